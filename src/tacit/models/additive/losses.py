"""Residuals of rows for each loss: what a row's score is off by, the same bits wherever the row stands in the table.

Scores are exact sums of dyadic numbers, and transcendental functions are read from tables, since a library may round
them differently in different places of an array. What remains is arithmetic that IEEE 754 fixes.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray

# Scores beyond this are as certain as they get; between them tables have this many steps to a unit.
LARGEST_SCORE = 30.0
STEPS = 1024

# (scores [B, K], target [B]) -> residuals [B, K]
Residuals = Callable[[FloatArray, NDArray[np.intp] | FloatArray], FloatArray]


def probabilities(scores: FloatArray) -> FloatArray:
    """Return the probability of the second of two classes [B, 1] from one score, or of each class [B, C] from C."""
    if scores.shape[1] == 1:
        return _logistic_table()[_places(scores + LARGEST_SCORE, 2 * LARGEST_SCORE)]
    below = scores.max(axis=1, keepdims=True) - scores
    weights = _exponential_table()[_places(below, LARGEST_SCORE)]
    total = weights[:, 0].copy()
    for column in weights.T[1:]:  # added one by one: the same order for every row
        total += column
    return weights / total[:, None]


def class_residuals(scores: FloatArray, target: NDArray[np.intp] | FloatArray) -> FloatArray:
    """Return p - y of two classes with codes 0 and 1, or p - e_y of several, e_y the indicator of the row's class."""
    residuals = probabilities(scores)
    if scores.shape[1] == 1:
        return residuals - target[:, None]
    residuals[np.arange(len(target)), target.astype(np.intp)] -= 1.0
    return residuals


def squared_residuals(centre: float, spread: float) -> Residuals:
    """Return the function s - (y - centre)/spread of a numeric target y; it can be sent to another process."""
    return partial(_distances, centre, spread)


def _distances(centre: float, spread: float, scores: FloatArray, target: NDArray[np.intp] | FloatArray) -> FloatArray:
    return scores - ((target - centre) / spread)[:, None]


def limited(residuals: FloatArray, limits: FloatArray) -> FloatArray:
    """Return residuals [B, K] shortened to the norms ``limits`` [B] and cut towards zero to whole numbers.

    Cutting never lengthens; sums of whole numbers are exact in any order.
    """
    squares = residuals[:, 0] ** 2
    for column in residuals.T[1:]:
        squares += column**2
    inside = limits * (1 - 2.0**-30)  # room for the rounding of the root, of the division and of the limits
    factors = np.minimum(1.0, inside / np.sqrt(np.maximum(squares, 1e-300)))
    return np.trunc(residuals * factors[:, None])


def _places(values: FloatArray, largest: float) -> NDArray[np.intp]:
    places: NDArray[np.intp] = np.rint(np.clip(values, 0.0, largest) * STEPS).astype(np.intp)
    return places


@lru_cache(maxsize=1)
def _logistic_table() -> FloatArray:
    scores = np.arange(2 * int(LARGEST_SCORE) * STEPS + 1) / STEPS - LARGEST_SCORE
    return 1 / (1 + np.exp(-scores))


@lru_cache(maxsize=1)
def _exponential_table() -> FloatArray:
    return np.exp(-np.arange(int(LARGEST_SCORE) * STEPS + 1) / STEPS)
