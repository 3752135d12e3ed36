"""Sparsemax, the Euclidean projection of logits onto the probability simplex, row by row.

sparsemax_i(z) = max(0, z_i - τ), where τ makes a row sum to 1. [sharpening] eq. 4.9 and Proposition 1, [sparsemax].
"""

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import BoolArray, FloatArray
from tacit.errors import InputError

# From about this many classes, a few passes over the active set cost less than a sort.
NEWTON_FROM = 32


def sparsemax(logits: ArrayLike) -> FloatArray:
    """Return the nearest probabilities [N, K] to logits [N, K] in the Euclidean norm: max(0, z - τ)."""
    shifted = shifted_logits(logits)
    return np.maximum(shifted - threshold(shifted)[:, None], 0.0)


def support(logits: ArrayLike) -> BoolArray:
    """Return which classes have a probability above 0 [N, K]; at least one in every row."""
    classes: BoolArray = sparsemax(logits) > 0
    return classes


def threshold(logits: ArrayLike) -> FloatArray:
    """Return τ [N], the root of sum_i max(0, z_i - τ) = 1: by sorting few classes, by Newton's method many."""
    Z = checked_logits(logits)
    find = sorted_threshold if Z.shape[1] < NEWTON_FROM else newton_threshold
    return find(Z)


def sorted_threshold(logits: FloatArray) -> FloatArray:
    """Return τ [N] = (z_(1) + ... + z_(κ) - 1)/κ, with κ the last k where 1 + k z_(k) > z_(1) + ... + z_(k).

    [sharpening] Proposition 1.
    """
    largest, Z = _largest_and_shifted(logits)
    Z = -np.sort(-Z, axis=1)
    totals = np.cumsum(Z, axis=1)
    ranks = np.arange(1, Z.shape[1] + 1)
    # The condition holds for the first κ ranks and for no later one, so counting finds κ.
    last = np.count_nonzero(1.0 + ranks * Z > totals, axis=1)
    tau: FloatArray = largest + (totals[np.arange(len(Z)), last - 1] - 1.0) / last
    return tau


def newton_threshold(logits: FloatArray) -> FloatArray:
    """Return τ [N] by Newton's method on the convex, falling sum_i max(0, z_i - τ) - 1, from below.

    A step is τ + (sum over the active set of (z_i - τ) - 1)/|active set|. Newton's method never passes the root from
    that side, so the active sets shrink, and τ is exact once one repeats. [michelot].
    """
    largest, Z = _largest_and_shifted(logits)
    tau: FloatArray = (Z.sum(axis=1) - 1.0) / Z.shape[1]  # the root if every class were active; else below it
    sizes = np.full(len(Z), Z.shape[1] + 1)
    while True:
        excess = np.maximum(Z - tau[:, None], 0.0)
        previous, sizes = sizes, np.count_nonzero(excess, axis=1)
        tau += (excess.sum(axis=1) - 1.0) / sizes
        if not (sizes < previous).any():
            return largest + tau


def checked_logits(logits: ArrayLike) -> FloatArray:
    """Return logits as float64 [N, K] with at least one class and finite numbers only."""
    Z = checks.finite_array("logits", logits)
    if Z.ndim != 2 or Z.shape[1] == 0:
        raise InputError(f"logits must have shape [rows, classes] with a class at least; got shape {Z.shape}.")
    return Z


def shifted_logits(logits: ArrayLike) -> FloatArray:
    """Return logits less the largest of their row: τ shifts by the same amount, the probabilities do not change."""
    Z = checked_logits(logits)
    with np.errstate(over="ignore"):  # a class that far below the largest has no probability anyway
        shifted: FloatArray = np.maximum(Z - Z.max(axis=1, keepdims=True), np.finfo(np.float64).min)
    return shifted


def _largest_and_shifted(logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the largest logit of each row [N], and all logits relative to it, cut off at -1 [N, K].

    τ lies within 1 of the largest logit, so what is below counts as 0 however far below it is.
    """
    return logits.max(axis=1), np.maximum(shifted_logits(logits), -1.0)
