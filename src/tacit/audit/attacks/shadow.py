"""The shadow-model attack: releases of many tables with and without a row show how the row's score differs."""

import math
from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.errors import InputError
from tacit.records import record

# How often, on average, each row is in a shadow table and how often it is not, at least.
APPEARANCES = 32
# Deviations are at least this share of the spread of all scores: releases without noise repeat themselves exactly.
LEAST_DEVIATION = 1e-6

# Scores labelled rows, the higher the more like a member.
ScoreRows = Callable[[FloatArray, IntArray], FloatArray]
# Makes a release, or fits a model, of labelled rows and returns how it scores rows.
Train = Callable[[FloatArray, IntArray], ScoreRows]


@record
class ShadowScores:
    """Mean scores of each row [N] in shadow tables with it (``inside``) and without it, and their ``deviation``."""

    inside: FloatArray
    outside: FloatArray
    deviation: FloatArray

    def log_ratio(self, scores: FloatArray) -> FloatArray:
        """Return the log likelihood ratio of "in the table" to "not in the table" at the observed ``scores`` [N].

        (s - (a + b)/2)(a - b)/d² for normal laws of means a inside and b outside and one deviation d: with few shadow
        tables, one deviation for both is surer than two [lira].
        """
        middle = (self.inside + self.outside) / 2
        log_ratio: FloatArray = (scores - middle) * (self.inside - self.outside) / self.deviation**2
        return log_ratio


def shadow_scores(
    train: Train, X: FloatArray, y: IntArray, *, size: int, appearances: int = APPEARANCES, random_state: int = 0
) -> ShadowScores:
    """Return the scores of the rows of X [N, p] in and out of random shadow tables of ``size`` of them.

    The tables are as many as it takes for a row to be in, and out, ``appearances`` times on average.
    """
    count = shadow_count(len(X), size, appearances)
    random = check_random_state(random_state)
    inside = np.zeros((count, len(X)), dtype=bool)
    scores = np.empty((count, len(X)))
    for shadow in range(count):
        chosen = np.sort(random.permutation(len(X))[:size])
        inside[shadow, chosen] = True
        scores[shadow] = train(X[chosen], y[chosen])(X, y)
    return _score_statistics(scores, inside)


def shadow_count(n_rows: int, size: int, appearances: int) -> int:
    """Return how many shadow tables of ``size`` of ``n_rows`` rows are needed."""
    checks.whole("appearances", appearances, least=2)
    if not 0 < size < n_rows:
        raise InputError(f"size must be between 1 and {n_rows - 1}, so that rows are left out; got {size}.")
    return math.ceil(appearances * n_rows / min(size, n_rows - size))


def _score_statistics(scores: FloatArray, inside: BoolArray) -> ShadowScores:
    n_in, n_out = inside.sum(axis=0), (~inside).sum(axis=0)
    means = [np.where(mask, scores, 0).sum(axis=0) / np.maximum(mask.sum(axis=0), 1) for mask in (inside, ~inside)]
    # A row that was always in, or always out, tells nothing: both means are then the same.
    comparable = (n_in > 0) & (n_out > 0)
    middle = scores.mean(axis=0)
    a, b = (np.where(comparable, mean, middle) for mean in means)
    residuals = scores - np.where(inside, a, b)
    variance = (residuals**2).sum(axis=0) / max(len(scores) - 2, 1)
    least = max(LEAST_DEVIATION * float(scores.std()), np.finfo(float).tiny ** 0.25)
    return ShadowScores(a, b, np.maximum(np.sqrt(variance), least))
