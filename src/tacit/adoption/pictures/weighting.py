"""How much each set of class scores counts: weights by the likelihood of the receiver's labels, gated for releases.

Scores are matrices [N, C]. Reconstruction errors of clean and of noisy models live on different scales, so
that comparing them directly ([membership] eq. 87) ignores one of them; weights put them on one scale.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from tacit.arrays import Codes, FloatArray

# Ridge on the weights: a few labels cannot make scores infinitely sure.
PENALTY = 0.05
LARGEST_WEIGHT = 20.0
# A release stays if twice its gain in log-likelihood reaches the gate: with many labels 4, the 95 % point for one more
# parameter; with few, less, since ten labels cannot give such a gain to anything.
GATE = 4.0
LABELS_PER_GATE = 25.0


def centred(scores: FloatArray) -> FloatArray:
    """Return scores with the mean of each row taken off: what all classes share says nothing."""
    rows: FloatArray = scores - scores.mean(axis=1, keepdims=True)
    return rows


def combine(weights: FloatArray, scores: Sequence[FloatArray]) -> FloatArray:
    """Return the weighted sum of scores [N, C]."""
    total: FloatArray = np.tensordot(weights, np.asarray(scores), axes=1)
    return total


def probabilities(scores: FloatArray) -> FloatArray:
    """Return the softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return rows


def negative_log_likelihood(weights: FloatArray, scores: Sequence[FloatArray], codes: Codes) -> float:
    """Return -sum log softmax(sum_k w_k scores_k)[true class] + penalty |w|²."""
    return _objective(weights, np.asarray(scores), codes)[0]


def fitted_weights(scores: Sequence[FloatArray], codes: Codes) -> FloatArray:
    """Return the non-negative weights of largest penalised likelihood; the problem is convex."""
    solution = minimize(
        _objective,
        np.ones(len(scores)),
        args=(np.asarray(scores), codes),
        jac=True,
        bounds=[(0.0, LARGEST_WEIGHT)] * len(scores),
        method="L-BFGS-B",
    )
    weights: FloatArray = np.asarray(solution.x, dtype=np.float64)
    return weights


def gated_weights(own: Sequence[FloatArray], released: Sequence[FloatArray], codes: Codes) -> FloatArray:
    """Return weights of ``own`` and ``released`` scores; released ones that hardly raise the likelihood weigh 0.

    The weakest release is dropped, one at a time, while twice its gain is below the gate: a release that carries
    no knowledge then leaves the receiver's own result as it would be without it.
    """
    gate = min(GATE, len(codes) / LABELS_PER_GATE)
    kept = list(range(len(released)))
    weights = fitted_weights([*own, *released], codes)
    while kept:
        full = negative_log_likelihood(weights, [*own, *(released[k] for k in kept)], codes)
        trials = [_without(own, released, [k for k in kept if k != dropped], codes) for dropped in kept]
        weakest = int(np.argmin([loss for loss, _ in trials]))
        if 2 * (trials[weakest][0] - full) >= gate:
            break
        kept.pop(weakest)
        weights = trials[weakest][1]
    result = np.zeros(len(own) + len(released))
    result[: len(own)] = weights[: len(own)]
    result[[len(own) + k for k in kept]] = weights[len(own) :]
    return result


def _without(
    own: Sequence[FloatArray], released: Sequence[FloatArray], kept: list[int], codes: Codes
) -> tuple[float, FloatArray]:
    scores = [*own, *(released[k] for k in kept)]
    weights = fitted_weights(scores, codes)
    return negative_log_likelihood(weights, scores, codes), weights


def _objective(weights: FloatArray, scores: FloatArray, codes: Codes) -> tuple[float, FloatArray]:
    shares = probabilities(combine(weights, list(scores)))
    rows = np.arange(len(codes))
    loss = -np.log(np.maximum(shares[rows, codes], 1e-300)).sum() + PENALTY * float(weights @ weights)
    shares[rows, codes] -= 1
    gradient: FloatArray = (scores * shares).sum(axis=(1, 2)) + 2 * PENALTY * weights
    return float(loss), gradient
