"""Adult: a last layer learned on some people, tuned from scores on others; what matters, and tuning for fairness."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.data.datasets import load_adult
from tacit.experiments.feedback_runs import (
    PPS,
    SUPERVISED,
    gathered,
    hidden_features,
    last_layer,
    scored,
    searched,
    supervised_last_layer,
)
from tacit.experiments.registry import Row
from tacit.situations.feedback.goals import ConstrainedScores, Goal, WeightedScores
from tacit.situations.feedback.linear import LinearScorer
from tacit.situations.feedback.metrics import accuracy, accuracy_and_gap, rounded
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import tune

SEEDS, FAIR_RUNS = 5, 20
QUERIES, SIGMA, BATCH = 1000, 0.1, 20
SOURCE_ROWS, TARGET_ROWS = 10_000, 4_000
ABROAD, OLDER = "US to non-US", "under 40 to older"
RHO = 0.4  # [feedback] appendix C.2


@dataclass(frozen=True)
class Case:
    """A network learned on one part of the people; features of the others before its last layer."""

    start: FloatArray
    features: FloatArray
    y: NDArray[np.int64]
    male: NDArray[np.int64]


@dataclass(frozen=True)
class People:
    """The table in numbers, and who belongs where."""

    X: FloatArray
    y: NDArray[np.int64]
    male: NDArray[np.int64]
    source: dict[str, NDArray[np.bool_]]
    target: dict[str, NDArray[np.bool_]]


def rows() -> Iterator[Row]:
    """Yield accuracies for both shifts, the effects of the settings, and accuracy and gap of fair tuning."""
    for shift in (ABROAD, OLDER):
        yield from gathered(f"{shift}, {QUERIES} queries", [_compared(shift, seed) for seed in range(SEEDS)])
    for batch in (4, 10, 20, 40, 80):
        yield from _effect(f"batch {batch}", batch=batch)
    for n_support in (200, 500, 1000, 2000):
        yield from _effect(f"{n_support} support rows", n_support=n_support)
    for decimals in (1, 2, 3, 4):
        yield from _effect(f"{decimals} decimals of the fraction", decimals=decimals)
    for form in ("weighted", "constrained"):
        yield from _fair_rows(form)


@cache
def people() -> People:
    """Return Adult without the native country, which tells source and target apart."""
    data = load_adult()
    encoded = data.encode(labels="required")
    kept = [place for place, name in enumerate(encoded.names) if not name.startswith("native-country")]
    country = data.table["native-country"].to_numpy()
    age, us = data.table["age"].cast(int).to_numpy(), country == "United-States"
    return People(
        X=np.asarray(encoded.X[:, kept], dtype=np.float64),
        y=np.asarray(encoded.y),
        male=(data.table["sex"].to_numpy() == "Male").astype(np.int64),
        source={ABROAD: us, OLDER: age < 40},
        target={ABROAD: ~us & (country != "?"), OLDER: age >= 40},
    )


@cache
def case(shift: str, seed: int) -> Case:
    """Return a network learned on source rows drawn by ``seed``, and target rows in a random order."""
    every, generator = people(), check_random_state(seed)
    learned = generator.permutation(np.flatnonzero(every.source[shift]))[:SOURCE_ROWS]
    others = generator.permutation(np.flatnonzero(every.target[shift]))[:TARGET_ROWS]
    scaler = StandardScaler().fit(every.X[learned])
    network = _trained(scaler.transform(every.X[learned]), every.y[learned], seed)
    features = hidden_features(network, scaler.transform(every.X[others]))
    return Case(last_layer(network), features, every.y[others], every.male[others])


def _trained(X: FloatArray, y: NDArray[np.int64], seed: int) -> MLPClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopped early on purpose, before it overfits
        return MLPClassifier((80, 80), max_iter=8, alpha=1e-3, random_state=seed).fit(X, y)


def _halves(found: Case, n_support: int) -> tuple[slice, slice]:
    half = len(found.y) // 2
    return slice(0, min(n_support, half)), slice(half, None)


def _compared(shift: str, seed: int) -> dict[tuple[str, str], float]:
    found = case(shift, seed)
    shown, hidden = _halves(found, TARGET_ROWS)
    support, holdout = (LinearScorer(found.features[part], accuracy(found.y[part])) for part in (shown, hidden))
    reached = searched(found.start, support, queries=QUERIES, sigma=SIGMA, batch=BATCH, seed=seed)
    reached[SUPERVISED] = supervised_last_layer(found.features[shown], found.y[shown])
    return scored(reached, support, holdout)


def _effect(setting: str, *, batch: int = BATCH, n_support: int = TARGET_ROWS, decimals: int = 12) -> Iterator[Row]:
    runs = []
    for seed in range(SEEDS):
        found = case(OLDER, seed)
        shown, hidden = _halves(found, n_support)
        support, holdout = (LinearScorer(found.features[part], accuracy(found.y[part])) for part in (shown, hidden))
        answers = LinearScorer(found.features[shown], rounded(accuracy(found.y[shown]), decimals))
        search = PerformanceSearch(found.start, queries=QUERIES, sigma=SIGMA, batch=batch, random_state=seed)
        runs.append(scored({PPS: tune(search, answers).parameters}, support, holdout))
    yield from gathered(f"{OLDER}, {setting}", runs)


def _fair_rows(form: str) -> Iterator[Row]:
    runs = [_fair(form, seed) for seed in range(FAIR_RUNS)]
    yield from gathered(f"fair tuning, {ABROAD}, {QUERIES} queries", runs)


def _fair(form: str, seed: int) -> dict[tuple[str, str], float]:
    found, method = case(ABROAD, seed), f"PPS, {form} scores"
    support, holdout = (
        LinearScorer(found.features[part], accuracy_and_gap(found.y[part], found.male[part]))
        for part in _halves(found, TARGET_ROWS)
    )
    # The start's own accuracy, from which the floor follows, is the first query.
    goal = _goal(form, float(support(found.start[None])[0, 0]), len(support.features))
    search = PerformanceSearch(found.start, queries=QUERIES - 1, sigma=SIGMA, batch=BATCH, goal=goal, random_state=seed)
    after, before = (holdout(row[None])[0] for row in (tune(search, support).parameters, found.start))
    return {
        ("start", "holdout accuracy"): float(before[0]),
        ("start", "holdout gap"): float(before[1]),
        (method, "holdout accuracy"): float(after[0]),
        (method, "holdout gap"): float(after[1]),
        (method, "runs with both improved"): float(after[0] > before[0] and after[1] < before[1]),
    }


def _goal(form: str, accuracy_before: float, n_rows: int) -> Goal:
    """Return the goal; the floor is two standard errors above the start, so that chance alone does not reach it."""
    if form == "weighted":
        return WeightedScores((RHO, -1.0))
    error: Any = np.sqrt(accuracy_before * (1 - accuracy_before) / n_rows)
    return ConstrainedScores(accuracy_before + 2 * float(error))
