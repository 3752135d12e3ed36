"""Class moments of clean rows, estimated from rows with Laplace noise whose law is public.

For x in [0, 1] and y = x + Laplace(b), T(y) = y clipped to [-b, 1 + b] from outside the unit interval (y < 0 becomes
-b, y > 1 becomes 1 + b) has mean x: T = f - b² f'' for the function f that is linear inside and saturates outside.
It has a smaller variance than y itself. Everything here is post-processing of noisy rows.
"""

from collections.abc import Iterable

import numpy as np

from tacit.arrays import Codes, Float32Array, FloatArray, Rows
from tacit.errors import InputError
from tacit.records import record

BLOCK = 4096


@record
class Moments:
    """Estimated class moments."""

    means: FloatArray
    """[C, p]"""
    counts: FloatArray
    """[C]: exact: labels are not protected at the level of one entry."""
    covariances: Float32Array
    """array [C, p, p], float32"""
    noise: FloatArray
    """[C]: mean variance of one denoised value in each class: how uncertain means and covariances are."""


def denoised(Y: Rows, scale: Rows | float) -> Rows:
    """Return values whose mean over Laplace noise of ``scale`` is the clean value, for clean values in [0, 1]."""
    clean: Rows = np.array(Y)
    np.copyto(clean, 1 + np.asarray(scale), where=Y > 1)
    np.copyto(clean, -np.asarray(scale), where=Y < 0)
    return clean


def denoised_squares(Y: Rows, scale: Rows | float) -> Rows:
    """Return values whose mean over Laplace noise of ``scale`` is the clean value's square."""
    return np.where(Y > 1, 1 + 2 * np.asarray(scale), np.where(Y < 0, 0, Y**2 - 2 * np.asarray(scale) ** 2))


def class_moments(Y: Rows, codes: Codes, n_classes: int, scale: Rows | float) -> Moments:
    """Return the moments of the clean rows behind ``Y`` [N, p], one column's noise having its ``scale``."""
    starts = range(0, len(Y), BLOCK)
    blocks = ((Y[start : start + BLOCK], codes[start : start + BLOCK]) for start in starts)
    return moments_of_blocks(blocks, n_classes, scale)


def moments_of_blocks(blocks: Iterable[tuple[Rows, Codes]], n_classes: int, scale: Rows | float) -> Moments:
    """Return the moments of the clean rows behind ``blocks`` of noisy rows [B, p] with class codes [B].

    The covariance's diagonal is freed from the noise, whose part is the difference of the two estimates of squares.
    """
    total: _Totals | None = None
    for Y, codes in blocks:
        total = total or _Totals(n_classes, Y.shape[1])
        total.add(Y, codes, scale)
    if total is None:
        raise InputError("blocks must hold at least one row; got none.")
    return total.moments()


class _Totals:
    """Running sums over noisy rows of each class: counts, denoised values, their noise and their products."""

    def __init__(self, n_classes: int, width: int) -> None:
        self.counts = np.zeros(n_classes)
        self.sums, self.noise = np.zeros((n_classes, width)), np.zeros((n_classes, width))
        self.products = np.zeros((n_classes, width, width))

    def add(self, Y: Rows, codes: Codes, scale: Rows | float) -> None:
        clean = denoised(Y, scale).astype(np.float32)
        # What `denoised` squared has more than `denoised_squares`: 2 b² inside the unit interval, b² outside.
        inside = (Y >= 0) & (Y <= 1)
        for code in np.unique(codes):
            members = codes == code
            rows = clean[members]
            self.counts[code] += len(rows)
            self.sums[code] += rows.sum(axis=0, dtype=np.float64)
            self.noise[code] += np.asarray(scale) ** 2 * (len(rows) + np.count_nonzero(inside[members], axis=0))
            self.products[code] += rows.T @ rows

    def moments(self) -> Moments:
        n = np.maximum(self.counts, 1.0)
        means, noise = self.sums / n[:, None], self.noise / n[:, None]
        covariances = self.products / n[:, None, None] - means[:, :, None] * means[:, None, :]
        diagonal = np.arange(means.shape[1])
        covariances[:, diagonal, diagonal] -= noise
        return Moments(means, self.counts, covariances.astype(np.float32), noise.mean(axis=1))
