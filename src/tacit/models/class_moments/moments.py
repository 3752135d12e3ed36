"""Class moments of clean rows, estimated from rows with Laplace noise whose law is public.

For x in [0, 1] and y = x + Laplace(b), T(y) = y clipped to [-b, 1 + b] from outside the unit interval (y < 0 becomes
-b, y > 1 becomes 1 + b) has mean x: T = f - b² f'' for the function f that is linear inside and saturates outside.
It has a smaller variance than y itself. Everything here is post-processing of noisy rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, Rows

BLOCK = 4096


@dataclass(frozen=True)
class Moments:
    """Estimated class moments.

    Attributes
    ----------
    means : array [C, p]
    counts : array [C]
        Exact: labels are not protected at the level of one entry.
    covariances : array [C, p, p], float32
    noise : array [C]
        Mean variance of one denoised value in each class: how uncertain means and covariances are.
    """

    means: FloatArray
    counts: FloatArray
    covariances: NDArray[np.float32]
    noise: FloatArray


def denoised(Y: Rows, scale: Rows | float) -> Rows:
    """Return values whose mean over Laplace noise of ``scale`` is the clean value, for clean values in [0, 1]."""
    return np.where(Y > 1, 1 + scale, np.where(Y < 0, -np.asarray(scale), Y))


def denoised_squares(Y: Rows, scale: Rows | float) -> Rows:
    """Return values whose mean over Laplace noise of ``scale`` is the clean value's square."""
    return np.where(Y > 1, 1 + 2 * np.asarray(scale), np.where(Y < 0, 0, Y**2 - 2 * np.asarray(scale) ** 2))


def class_moments(Y: Rows, codes: NDArray[np.intp], n_classes: int, scale: Rows | float) -> Moments:
    """Return the moments of the clean rows behind ``Y`` [N, p], one column's noise having its ``scale``.

    The covariance's diagonal is freed from the noise, whose part is the difference of the two estimates of squares.
    """
    counts = np.bincount(codes, minlength=n_classes).astype(float)
    means = np.zeros((n_classes, Y.shape[1]))
    noise = np.zeros((n_classes, Y.shape[1]))
    covariances = np.zeros((n_classes, Y.shape[1], Y.shape[1]), np.float32)
    for code in np.flatnonzero(counts):
        members = np.flatnonzero(codes == code)
        for block in np.array_split(members, -(-len(members) // BLOCK)):
            clean = denoised(Y[block], scale).astype(np.float32)
            means[code] += clean.sum(axis=0, dtype=np.float64)
            noise[code] += (clean**2 - denoised_squares(Y[block], scale)).sum(axis=0, dtype=np.float64)
            covariances[code] += clean.T @ clean
        means[code] /= counts[code]
        noise[code] /= counts[code]
        covariances[code] /= np.float32(counts[code])
        covariances[code] -= np.outer(means[code], means[code]).astype(np.float32)
        covariances[code][np.diag_indices(Y.shape[1])] -= noise[code].astype(np.float32)
    return Moments(means, counts, covariances, noise.mean(axis=1))
