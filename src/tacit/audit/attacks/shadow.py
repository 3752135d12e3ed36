"""The shadow-model attack: make many releases of tables with and without a row, and learn how its score differs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.audit.attacks.released_rows import Codes
from tacit.errors import InputError

# How often, on average, each row is in a shadow table and how often it is not, at least.
APPEARANCES = 32
# Deviations are at least this share of the spread of all scores: releases without noise repeat themselves exactly.
LEAST_DEVIATION = 1e-6

# Scores labelled rows, the higher the more like a member.
ScoreRows = Callable[[FloatArray, Codes], FloatArray]
# Makes a release, or fits a model, of labelled rows and returns how it scores rows.
Train = Callable[[FloatArray, Codes], ScoreRows]


@dataclass(frozen=True, eq=False)
class Shadows:
    """How each row [N] scores when it is in the table (``inside``) and when it is not, and the common ``deviation``."""

    inside: FloatArray
    outside: FloatArray
    deviation: FloatArray

    def evidence(self, scores: FloatArray) -> FloatArray:
        """Return the log likelihood ratio of "in the table" to "not in the table" at the observed ``scores`` [N].

        (s - (a + b)/2)(a - b)/d² for normal laws of means a inside and b outside and one deviation d: with few shadow
        tables, one deviation for both is surer than two [lira].
        """
        middle = (self.inside + self.outside) / 2
        evidence: FloatArray = (scores - middle) * (self.inside - self.outside) / self.deviation**2
        return evidence


def cast_shadows(
    train: Train, X: FloatArray, y: Codes, *, size: int, appearances: int = APPEARANCES, random_state: int = 0
) -> Shadows:
    """Return how the rows of X [N, p] score in and out of random shadow tables of ``size`` of them.

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
    return _summarised(scores, inside)


def shadow_count(n_rows: int, size: int, appearances: int) -> int:
    """Return how many shadow tables of ``size`` of ``n_rows`` rows are needed."""
    checks.whole("appearances", appearances, least=2)
    if not 0 < size < n_rows:
        raise InputError(f"size must be between 1 and {n_rows - 1}, so that rows are left out; got {size}.")
    return math.ceil(appearances * n_rows / min(size, n_rows - size))


def _summarised(scores: FloatArray, inside: NDArray[np.bool_]) -> Shadows:
    n_in, n_out = inside.sum(axis=0), (~inside).sum(axis=0)
    means = [np.where(mask, scores, 0).sum(axis=0) / np.maximum(mask.sum(axis=0), 1) for mask in (inside, ~inside)]
    # A row that was always in, or always out, tells nothing: both means are then the same.
    seen_both = (n_in > 0) & (n_out > 0)
    middle = scores.mean(axis=0)
    a, b = (np.where(seen_both, mean, middle) for mean in means)
    residuals = scores - np.where(inside, a, b)
    variance = (residuals**2).sum(axis=0) / max(len(scores) - 2, 1)
    least = max(LEAST_DEVIATION * float(scores.std()), np.finfo(float).tiny ** 0.25)
    return Shadows(a, b, np.maximum(np.sqrt(variance), least))
