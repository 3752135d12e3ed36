"""The contrastive loss of pairs and its clipped gradients, without one matrix for each pair.

The gradient of a pair is a matrix of rank one, a (W Δ) Δᵀ with a number a, so its norms are products of norms of two
vectors, and a sum of clipped gradients is one matrix product. [pairs] eq. 3.7 and 3.8.
"""

import numpy as np

from tacit.arrays import BoolArray, FloatArray


def projected_distances(W: FloatArray, differences: FloatArray) -> FloatArray:
    """Return D_W = |W Δ|_2 of each difference [K]."""
    distances: FloatArray = np.linalg.norm(differences @ W.T, axis=1)
    return distances


def contrastive_losses(W: FloatArray, differences: FloatArray, dissimilar: BoolArray, margin: float) -> FloatArray:
    """Return ½ D_W² of similar and ½ max(0, m - D_W)² of dissimilar pairs [K]. [pairs] eq. 3.7."""
    distances = projected_distances(W, differences)
    return 0.5 * np.where(dissimilar, np.maximum(0.0, margin - distances), distances) ** 2


def gradient_factors(distances: FloatArray, dissimilar: BoolArray, margin: float) -> FloatArray:
    """Return a of each pair's gradient a (W Δ) Δᵀ: 1 if similar, 1 - m/D_W if dissimilar and nearer than m, else 0.

    At D_W = 0 the gradient has no direction, and 0 is taken. [pairs] eq. 3.8.
    """
    pushed = dissimilar & (distances < margin) & (distances > 0)
    ratios = np.divide(margin, distances, out=np.zeros_like(distances), where=pushed)
    return np.where(pushed, 1.0 - ratios, np.where(dissimilar, 0.0, 1.0))


def clipped_gradient_sum(
    W: FloatArray, differences: FloatArray, dissimilar: BoolArray, *, margin: float, clip: float, norm: int
) -> FloatArray:
    """Return the sum of the pairs' gradients [d', d], each shortened to ``clip`` in the entrywise 1- or 2-norm.

    |a u vᵀ| = |a| |u| |v| in either norm, over all entries of the matrix.
    """
    projected = differences @ W.T  # [K, d']
    factors = gradient_factors(np.linalg.norm(projected, axis=1), dissimilar, margin)
    lengths = np.abs(factors) * np.linalg.norm(projected, norm, axis=1) * np.linalg.norm(differences, norm, axis=1)
    factors *= _shortening(lengths, clip)
    total: FloatArray = (factors[:, None] * projected).T @ differences
    return total


def row_clipped_gradients(
    W: FloatArray, differences: FloatArray, dissimilar: BoolArray, *, margin: float, clip: float, norm: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of gradients [d', d] with each row of each pair shortened on its own, and the largest norm [d'].

    [pairs] Alg. 1, lines 7 and 8: row r of a pair has the norm |a| |W_r Δ| |Δ| and is cut to ``clip``; ``norm`` is 1,
    or 2 in appendix A.3.
    """
    projected = differences @ W.T
    factors = gradient_factors(np.linalg.norm(projected, axis=1), dissimilar, margin)
    scaled = factors[:, None] * projected  # [K, d']
    lengths = np.abs(scaled) * np.linalg.norm(differences, norm, axis=1)[:, None]
    scaled *= _shortening(lengths, clip)
    return scaled.T @ differences, np.minimum(lengths, clip).max(axis=0)


def _shortening(lengths: FloatArray, clip: float) -> FloatArray:
    """Return min(1, clip/length)."""
    return np.divide(clip, lengths, out=np.ones_like(lengths), where=lengths > clip)
