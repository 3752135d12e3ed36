"""Fabrication per entry: noise first, then everything else from noisy rows alone."""

from typing import Any

import numpy as np

from tacit.arrays import Codes, Rows
from tacit.kinds.fabricated_rows.directions import Directions
from tacit.kinds.fabricated_rows.gaussians import NoisyMoments
from tacit.models.class_moments.moments import Moments

WHAT = "every entry of every row; fabricated rows are made of noisy ones alone"
LEAKS = (
    "blocks are clusters of the raw rows and smoothing stops at an error of the raw rows ([hull] Remark 4, Def. 14), "
    "so that which rows are smoothed together, and how often, depends on private entries without noise."
)


def noisy_moments(moments: Moments, directions: Directions) -> NoisyMoments:
    """Return class moments that were freed from noise whose law is public, along the directions."""
    counts = np.maximum(moments.counts, 1.0)
    V, d = directions.axes, directions.size
    shifted = moments.means - directions.centre
    means = shifted if V is None else shifted @ V
    covariances = moments.covariances.astype(np.float64)
    if V is not None:
        covariances = np.array([V.T @ each @ V for each in covariances])
    elif not directions.correlated:
        covariances = np.array([np.diag(np.diag(each)) for each in covariances])
    # The noise of one denoised value, squared, in each of the d (d + 1) entries of a sample covariance (d variances).
    entries = d * (d + 1) if directions.correlated else 2 * d
    return NoisyMoments(means, covariances, counts, d * moments.noise / counts, moments.noise**2 * entries / counts)


def smoothed_rows(noisy: Rows, codes: Codes, random: Any, *, block_size: int, n_jobs: int | None) -> Rows:
    """Return the images of noisy rows in hulls of random blocks after a fixed number of steps: sound."""
    from tacit.kinds.fabricated_rows import smoothing  # noqa: PLC0415 - loads hulls, which no other method needs

    blocks = smoothing.random_blocks(codes, random, block_size)
    rows = noisy.astype(np.float32)
    return smoothing.in_blocks(rows, blocks, lambda _, block: smoothing.through_hulls(block), n_jobs=n_jobs)


def smoothed_as_published(
    X: Rows, noisy: Rows, codes: Codes, random: Any, *, block_size: int, n_jobs: int | None
) -> Rows:
    """Return the images of noisy rows as printed, [hull] Def. 14 and Remark 4, which reads the raw rows twice."""
    from tacit.kinds.fabricated_rows import smoothing  # noqa: PLC0415 - as above

    raw = X.astype(np.float32)
    blocks = smoothing.clustered_blocks(raw, codes, random, block_size)

    def smooth(number: int, block: Rows) -> Rows:
        return smoothing.until_error(block, smoothing.modelling_error(raw[blocks[number]]))

    return smoothing.in_blocks(noisy.astype(np.float32), blocks, smooth, n_jobs=n_jobs)
