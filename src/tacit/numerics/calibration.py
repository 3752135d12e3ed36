"""Calibration of a classifier's confidence: the temperature that corrects it, and the error that remains."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from tacit import checks
from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.errors import InputError
from tacit.numerics.sharpening import target_probabilities
from tacit.numerics.sparsemax import checked_logits
from tacit.records import record

# The usual number of bins. [temperature]
BINS = 15
# How far a temperature may be from the logits' own size, above or below it, and how exactly it is found.
FURTHEST, EXACT = 1e4, 1e-12
MOST_STEPS = 100


@record
class Bins:
    """Rows grouped by confidence: count, mean confidence and accuracy of each bin; no bin is empty."""

    counts: IntArray
    confidence: FloatArray
    accuracy: FloatArray

    @property
    def error(self) -> float:
        """The expected calibration error: sum_b n_b |accuracy_b - confidence_b| / n. [temperature] eq. 3."""
        return float(self.counts @ np.abs(self.accuracy - self.confidence) / self.counts.sum())


@dataclass(frozen=True)
class Coverage:
    """Rows answered with at least some confidence: their share, their accuracy, their number."""

    share: float
    accuracy: float
    answered: int


def find_temperature(logits: ArrayLike, targets: ArrayLike) -> float:
    """Return the T > 0 with which softmax(z / T) fits the targets best, by likelihood. [temperature] eq. 9.

    With b = 1 / T the loss sum_i (log sum_k e^(b z_ik) - b t_i z_i) is convex in b; its slope is sum_i (p_i - t_i) z_i,
    and the slope's own is the variance of z_i under p_i. Newton's steps find the root, within a bracket. Each target
    t_i is smoothed, with a share K / (n + K) for all K classes alike [platt]: without it, rows that are all right would
    give a temperature of 0. ``targets`` are class codes [n] or probabilities [n, K] of rows that the classifier has
    **not** learned from.
    """
    Z = checked_logits(logits)
    n, n_classes = Z.shape
    probabilities = target_probabilities(targets, Z.shape)
    if n == 0:
        raise InputError("logits must have a row at least; got none. Hold labelled rows out.")
    # With mean 0 in each row, the smoothed share of the targets adds nothing to their product with Z.
    Z = Z - Z.mean(axis=1, keepdims=True)
    size = float(np.abs(Z).max())
    if size == 0:
        return 1.0
    Z /= size
    target = float((probabilities * Z).sum()) * n / (n + n_classes)
    return size / _find_sharpness(Z, target)


def _find_sharpness(Z: FloatArray, target: float) -> float:
    """Return the b in [1 / FURTHEST, FURTHEST] where sum_i p_i z_i, which grows with b, is nearest to ``wanted``."""
    low, high, b = 1 / FURTHEST, FURTHEST, 1.0
    for _ in range(MOST_STEPS):
        p = softmax(b * Z, axis=1)
        means = (p * Z).sum(axis=1)
        slope = float(means.sum()) - target
        low, high = (b, high) if slope < 0 else (low, b)
        curvature = float((p * Z**2).sum() - (means**2).sum())
        step = b - slope / curvature if curvature > 0 else high
        # A Newton step outside the bracket is replaced by the bracket's geometric mean.
        nearer = step if low < step < high else float(np.sqrt(low * high))
        if abs(nearer - b) <= EXACT * b:
            return nearer
        b = nearer
    return b


def apply_temperature(logits: ArrayLike, temperature: float) -> FloatArray:
    """Return the probabilities softmax(z / T): the order of the classes stays, the confidence changes."""
    scaled: FloatArray = softmax(checked_logits(logits) / checks.positive("temperature", temperature), axis=1)
    return scaled


def reliability(probabilities: ArrayLike, y: ArrayLike, *, bins: int = BINS) -> Bins:
    """Return rows gathered into ``bins`` equally wide bins of their confidence, the largest probability of each.

    ``y`` are the true codes. A confidence on the border of two bins belongs to the lower one. [temperature] section 2.
    """
    confidence, right = _confidence(probabilities, y)
    places = np.ceil(confidence * checks.whole("bins", bins)).astype(np.intp) - 1
    _, members, counts = np.unique(places, return_inverse=True, return_counts=True)
    return Bins(
        counts=counts.astype(np.int64),
        confidence=np.bincount(members, weights=confidence) / counts,
        accuracy=np.bincount(members, weights=right) / counts,
    )


def calibration_error(probabilities: ArrayLike, y: ArrayLike, *, bins: int = BINS) -> float:
    """Return the expected calibration error of ``probabilities`` [n, K] for the true codes ``y``; see `reliability`."""
    return reliability(probabilities, y, bins=bins).error


def coverage(probabilities: ArrayLike, y: ArrayLike, *, least: float) -> Coverage:
    """Return the coverage of answers with a confidence of at least ``least``; the accuracy of no answers is NaN."""
    confidence, right = _confidence(probabilities, y)
    answered = confidence >= checks.fraction("least", least, zero=True, one=True)
    count = int(answered.sum())
    accuracy = float(right[answered].mean()) if count else float("nan")
    return Coverage(count / len(answered), accuracy, count)


def _confidence(probabilities: ArrayLike, y: ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Return the largest probability of each row, and whether its class is the true one."""
    P = checks.finite_array("probabilities", probabilities)
    codes = np.asarray(y)
    if P.ndim != 2 or len(P) == 0 or codes.shape != P.shape[:1]:
        raise InputError(
            f"probabilities and y must be [n, K] and [n] with n of at least 1; got {P.shape} and {codes.shape}."
        )
    target_probabilities(P, P.shape)
    return P.max(axis=1), P.argmax(axis=1) == codes
