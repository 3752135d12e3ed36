"""Adult: a last layer learned on some people, tuned from scores on others; what matters, and tuning for fairness."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.data.public.datasets import load_adult
from tacit.experiments import feedback_runs
from tacit.experiments.feedback_runs import PPS
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.records import record
from tacit.situations.feedback.goals import ConstrainedScores, Goal, WeightedScores
from tacit.situations.feedback.linear import LinearScorer
from tacit.situations.feedback.metrics import accuracy, accuracy_and_gap, rounded
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import tune

SEEDS, FAIR_RUNS = 5, 20
QUERIES, SIGMA, BATCH = 1000, 0.3, 40
SOURCE_ROWS, TARGET_ROWS = 10_000, 4_000
ABROAD, OLDER = "US to non-US", "under 40 to older"
RHO = 0.4  # [feedback] appendix C.2
# Batches, numbers of support rows and decimals of a score whose effect is measured.
BATCHES, SUPPORT_ROWS, DECIMALS = (4, 10, 20, 40, 80), (200, 500, 1000, 2000), (1, 2, 3, 4)
NETWORK: dict[str, Any] = {"hidden_layer_sizes": (80, 80), "max_iter": 8, "alpha": 1e-3}
QUICK: dict[str, Any] = {"SEEDS": 1, "FAIR_RUNS": 1, "QUERIES": 100}


@record
class LastLayer:
    """A network learned on one part of the people: its last layer, and the features of the other people before it."""

    start: FloatArray
    features: FloatArray
    y: IntArray
    male: IntArray

    def parts(self, n_support: int) -> tuple[slice, slice]:
        """Return at most ``n_support`` rows of the first half to answer queries, and the second half to test on."""
        half = len(self.y) // 2
        return slice(0, min(n_support, half)), slice(half, None)


@record
class People:
    """The table in numbers, and who belongs to the source and to the target of each shift."""

    X: FloatArray
    y: IntArray
    male: IntArray
    source: dict[str, NDArray[np.bool_]]
    target: dict[str, NDArray[np.bool_]]


def rows() -> Iterator[ResultRow]:
    """Yield accuracies for both shifts, the effects of the settings, and accuracy and gap of fair tuning."""
    for shift in (ABROAD, OLDER):
        runs = [_compare_searches(shift, seed) for seed in range(SEEDS)]
        yield from metric_rows(f"{shift}, {QUERIES} queries", runs)
    for batch in BATCHES:
        yield from _effect(f"batch {batch}", batch=batch)
    for n_support in SUPPORT_ROWS:
        yield from _effect(f"{n_support} support rows", n_support=n_support)
    for decimals in DECIMALS:
        yield from _effect(f"{decimals} decimals of the fraction", decimals=decimals)
    for form in ("weighted", "constrained"):
        runs = [_tune_fairly(form, seed) for seed in range(FAIR_RUNS)]
        yield from metric_rows(f"fair tuning, {ABROAD}, {QUERIES} queries", runs)


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
def trained_last_layer(shift: str, seed: int) -> LastLayer:
    """Return a network learned on source rows drawn by ``seed``, and target rows in a random order."""
    table, generator = people(), check_random_state(seed)
    source = generator.permutation(np.flatnonzero(table.source[shift]))[:SOURCE_ROWS]
    target = generator.permutation(np.flatnonzero(table.target[shift]))[:TARGET_ROWS]
    scaler = StandardScaler().fit(table.X[source])
    network = feedback_runs.train_perceptron(
        scaler.transform(table.X[source]), table.y[source], random_state=seed, **NETWORK
    )
    features = feedback_runs.hidden_features(network, scaler.transform(table.X[target]))
    return LastLayer(feedback_runs.last_layer(network), features, table.y[target], table.male[target])


def _compare_searches(shift: str, seed: int) -> Figures:
    layer = trained_last_layer(shift, seed)
    return feedback_runs.compare_last_layers(
        layer.start,
        (layer.features, layer.y),
        layer.parts(TARGET_ROWS),
        regularization=0.1,
        queries=QUERIES,
        sigma=SIGMA,
        batch=BATCH,
        seed=seed,
    )


def _effect(
    setting: str, *, batch: int = BATCH, n_support: int = TARGET_ROWS, decimals: int = 12
) -> Iterator[ResultRow]:
    runs = []
    for seed in range(SEEDS):
        layer = trained_last_layer(OLDER, seed)
        parts = layer.parts(n_support)
        support, holdout = (LinearScorer(layer.features[part], accuracy(layer.y[part])) for part in parts)
        answers = LinearScorer(layer.features[parts[0]], rounded(accuracy(layer.y[parts[0]]), decimals))
        search = PerformanceSearch(layer.start, queries=QUERIES, sigma=SIGMA, batch=batch, random_state=seed)
        runs.append(feedback_runs.accuracies({PPS: tune(search, answers).parameters}, support, holdout))
    yield from metric_rows(f"{OLDER}, {setting}", runs)


def _tune_fairly(form: str, seed: int) -> Figures:
    layer, method = trained_last_layer(ABROAD, seed), f"PPS, {form} scores"
    support, holdout = (
        LinearScorer(layer.features[part], accuracy_and_gap(layer.y[part], layer.male[part]))
        for part in layer.parts(TARGET_ROWS)
    )
    # The start's own accuracy, from which the floor follows, is the first query.
    goal = _goal(form, float(support(layer.start[None])[0, 0]), len(support.features))
    search = PerformanceSearch(layer.start, queries=QUERIES - 1, sigma=SIGMA, batch=BATCH, goal=goal, random_state=seed)
    after, before = (holdout(row[None])[0] for row in (tune(search, support).parameters, layer.start))
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
