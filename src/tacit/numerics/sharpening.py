"""Losses that distil predictions from logits, each with its gradient in closed form.

Every function takes logits [N, K] and returns a ``LossAndGradient``. Where a target is made from the prediction itself,
it is held fixed, as a stopped gradient, so the gradient is that of the distance to a fixed target.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax, softmax

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.sparsemax import checked_logits, shifted_logits, sparsemax, threshold


class LossAndGradient(NamedTuple):
    """What each row costs [N], and how that changes with the row's logits [N, K]."""

    values: FloatArray
    gradients: FloatArray


def fenchel_young_loss(logits: ArrayLike, targets: ArrayLike) -> LossAndGradient:
    """Return ½(|y - z|² - |p - z|²) with p = sparsemax(z), whose gradient is p - y. [sharpening] eq. 4.13.

    ``targets`` are class codes [N] or probabilities [N, K]. The value is computed as
    ½|y - p|² + sum_i y_i max(0, τ - z_i), equal because p - z = max(0, τ - z) - τ and y and p have the same sum: no
    large numbers cancel in it. [fenchel-young].
    """
    Z = shifted_logits(logits)
    Y = target_probabilities(targets, Z.shape)
    p, tau = sparsemax(Z), threshold(Z)[:, None]
    missed = np.where(Y > 0, np.maximum(tau - Z, 0.0), 0.0)
    return LossAndGradient(0.5 * ((Y - p) ** 2).sum(axis=1) + (Y * missed).sum(axis=1), p - Y)


def consistency_loss(logits: ArrayLike, reference: ArrayLike) -> LossAndGradient:
    """Return how far sparsemax(z) is from sparsemax(reference), which is held fixed, as a Fenchel-Young loss.

    It is finite whatever the supports, where KL is infinite when they differ, and 0 if the predictions agree.
    [sharpening] eq. 4.12.
    """
    return fenchel_young_loss(logits, sparsemax(reference))


def adaptive_sharpening_loss(logits: ArrayLike, *, power: float = 2.0) -> LossAndGradient:
    """Return KL(q‖p) of p = sparsemax(z) and its sharpened self q ∝ p^r (ADS). [sharpening] eq. 4.10 and 4.11.

    KL = sum_S q_i (r-1) log p_i - log sum_S p_i^r on the support S, and the gradient there is
    (mean_S p^(r-1) - p_i^(r-1)) / sum_S p^r, for r = 2 (1/|S| - p_i)/|p|². It is 0 where p is one-hot or uniform on S.
    """
    r = checked_power(power)
    p = sparsemax(logits)
    in_support = p > 0
    top = p.max(axis=1, keepdims=True)
    u = p / top  # powers of p itself underflow when r is large
    weights = np.where(in_support, u ** (r - 1.0), 0.0)
    total = (weights * u).sum(axis=1, keepdims=True)
    logs = np.log(u, out=np.zeros_like(u), where=in_support)
    values = (r - 1.0) * (weights * u * logs).sum(axis=1) / total[:, 0] - np.log(top * total)[:, 0]
    mean = weights.sum(axis=1, keepdims=True) / in_support.sum(axis=1, keepdims=True)
    return LossAndGradient(values, np.where(in_support, mean - weights, 0.0) / (top * total))


def entropy_loss(logits: ArrayLike) -> LossAndGradient:
    """Return the entropy H = -sum_i p_i log p_i of p = softmax(z) (ME), with gradient -p_i (log p_i + H).

    [sharpening] eq. 4.3.
    """
    logs = log_softmax(checked_logits(logits), axis=1)
    p = np.exp(logs)
    entropy = -(p * logs).sum(axis=1)
    return LossAndGradient(entropy, -p * (logs + entropy[:, None]))


def sharpening_loss(logits: ArrayLike, *, temperature: float = 0.5) -> LossAndGradient:
    """Return KL(q‖p) of p = softmax(z) and q ∝ p^(1/λ) (SH), with gradient p - q. [sharpening] eq. 4.4 and 4.5."""
    checks.positive("temperature", temperature)
    logs = log_softmax(checked_logits(logits), axis=1)
    target_logs = log_softmax(logs / temperature, axis=1)
    q = np.exp(target_logs)
    return LossAndGradient((q * (target_logs - logs)).sum(axis=1), np.exp(logs) - q)


def pseudo_label_loss(logits: ArrayLike, *, confidence: float = 0.95) -> LossAndGradient:
    """Return -log p_j of the likeliest class j where p_j exceeds ``confidence``, else 0 (PL); gradient p - e_j, else 0.

    p = softmax(z). Of equally likely classes the first is taken. [sharpening] eq. 4.6 and 4.7.
    """
    checks.fraction("confidence", confidence, zero=True)
    logs = log_softmax(checked_logits(logits), axis=1)
    rows, labels = np.arange(len(logs)), logs.argmax(axis=1)
    gradients = np.exp(logs)
    chosen = gradients[rows, labels] > confidence
    gradients[rows, labels] -= 1.0
    return LossAndGradient(np.where(chosen, -logs[rows, labels], 0.0), np.where(chosen[:, None], gradients, 0.0))


def negative_sampling_loss(logits: ArrayLike, *, negligible: float = 0.01) -> LossAndGradient:
    """Return -log(1 - sum of p_i below ``negligible``) with p = softmax(z) (NS). [sharpening] eq. 4.8.

    That is logsumexp(z) - logsumexp(z of the other classes), so the gradient is p less softmax over those others. A row
    all of whose classes are below ``negligible`` tells nothing apart and costs 0.
    """
    checks.fraction("negligible", negligible, zero=True)
    p = softmax(checked_logits(logits), axis=1)
    others = p >= negligible
    others |= ~others.any(axis=1, keepdims=True)
    suppressed = np.where(others, 0.0, p).sum(axis=1)
    rest = np.where(others, p, 0.0)
    return LossAndGradient(-np.log1p(-suppressed), p - rest / rest.sum(axis=1, keepdims=True))


def checked_power(power: Any) -> float:
    """Return the power r of adaptive sharpening, a finite number of at least 1; below 1 it would flatten."""
    if checks.positive("power", power) < 1:
        raise InputError(f"power must be at least 1; got {power!r}. 1 leaves predictions as they are, 2 is usual.")
    return float(power)


def target_probabilities(targets: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return targets as probabilities of ``shape`` [N, K], given as class codes [N] or as such probabilities."""
    Y = checks.finite_array("targets", targets)
    if Y.shape == shape[:1]:
        codes = Y.astype(np.intp)
        if not (np.array_equal(codes, Y) and ((codes >= 0) & (codes < shape[1])).all()):
            raise InputError(f"targets must be codes of the {shape[1]} classes, 0 to {shape[1] - 1}; got others.")
        return np.eye(shape[1])[codes]
    if Y.shape != shape:
        raise InputError(f"targets must have shape {shape[:1]} or {shape}; got {Y.shape}.")
    if (Y < 0).any() or not np.allclose(Y.sum(axis=1), 1.0, rtol=0, atol=1e-5):
        raise InputError("targets must be probabilities: rows of numbers of at least 0 that sum to 1; got others.")
    return Y
