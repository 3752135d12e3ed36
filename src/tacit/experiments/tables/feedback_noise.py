"""What a search gains from noisy scores, as a share of what it gains from exact ones: how much noise is useful."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.experiments.results import ResultRow
from tacit.situations.feedback.linear import LinearScorer, linear_vector
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import tune

SEEDS = 10
# Rows at the desk and queries a run.
CASES = ((500, 300), (500, 1000), (2000, 300), (2000, 1000))
NOISE = (0.0, 0.005, 0.01, 0.02, 0.04, 0.08)
COLUMNS, SOURCE_ROWS, HOLDOUT_ROWS = 20, 2_000, 5_000
SIGMA, BATCH = 0.3, 20
QUICK: dict[str, Any] = {"SEEDS": 2, "CASES": ((500, 300),)}


def rows() -> Iterator[ResultRow]:
    """Yield, for each size, the accuracy gained on rows that answer no query, by the noise of the answers."""
    for n_rows, queries in CASES:
        gains = np.array([_gains(n_rows, queries, seed) for seed in range(SEEDS)])  # [runs, noise levels]
        shares = gains.mean(axis=0) / gains[:, 0].mean()
        for noise, gain, share in zip(NOISE, gains.T, shares, strict=True):
            setting = f"{n_rows} rows, {queries} queries"
            yield ResultRow(f"noise {noise:g}", setting, "accuracy gained", gain.mean(), gain.std(ddof=1), SEEDS)
            yield ResultRow(f"noise {noise:g}", setting, "share of the exact gain", share, 0.0, SEEDS)


def _gains(n_rows: int, queries: int, seed: int) -> list[float]:
    source, support, holdout = _shifted_tables(n_rows, seed)
    start = linear_vector(LogisticRegression(C=0.1).fit(*source))
    score = LinearScorer(support[0], accuracy(support[1]))
    holdout_score = LinearScorer(holdout[0], accuracy(holdout[1]))
    before = float(holdout_score(start[None])[0])
    tuned = [_tune(start, score, noise, queries, seed) for noise in NOISE]
    return [float(holdout_score(parameters[None])[0]) - before for parameters in tuned]


def _tune(start: FloatArray, score: LinearScorer, noise: float, queries: int, seed: int) -> FloatArray:
    generator = check_random_state(seed)
    search = PerformanceSearch(start, queries=queries, sigma=SIGMA, batch=BATCH, random_state=seed)

    def answer(candidates: FloatArray) -> FloatArray:
        exact = score(candidates)
        return exact + generator.normal(0.0, noise, exact.shape) if noise else exact

    return tune(search, answer).parameters


def _shifted_tables(n_rows: int, seed: int) -> list[tuple[FloatArray, NDArray[np.int64]]]:
    """Return rows to learn from, to score on and to test on; the latter two with shifted columns."""
    total = SOURCE_ROWS + n_rows + HOLDOUT_ROWS
    X, y = make_classification(total, COLUMNS, n_informative=10, class_sep=1.0, flip_y=0.02, random_state=seed)
    X /= X.std(axis=0)
    generator = check_random_state(seed)
    # A shift alone could be repaired in one direction; signs that turn need many.
    X[SOURCE_ROWS:] = X[SOURCE_ROWS:] * generator.choice([-1.0, 1.0], COLUMNS, p=[0.2, 0.8])
    X[SOURCE_ROWS:] += generator.normal(0.0, 0.3, COLUMNS)
    ends = [0, SOURCE_ROWS, SOURCE_ROWS + n_rows, total]
    return [(X[a:b], y[a:b]) for a, b in itertools.pairwise(ends)]
