"""Fabrication per entry: noise first, then everything else from noisy rows alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.schema import Schema
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import EntryNoise
from tacit.scenarios.fabrication import smoothing
from tacit.scenarios.fabrication.directions import Directions
from tacit.scenarios.fabrication.gaussians import Codes, NoisyMoments
from tacit.scenarios.transfer.moments import class_moments
from tacit.scenarios.transfer.owner import entry_weights

Rows = NDArray[np.floating[Any]]
ADJACENCY = "two tables are neighbours if one entry of one row differs, within its public bounds or categories"
WHAT = "every entry of every row; fabricated rows are made of noisy ones alone"
PLAIN = "an entry scaled to [0, 1] changes by at most 1"
MIXED = "an entry moves the columns that encode it by at most 2 in 1-norm: a doubled number or two one-hot columns"
LEAKS = (
    "blocks are clusters of the raw rows and smoothing stops at an error of the raw rows ([hull] Remark 4, Def. 14), "
    "so that which rows are smoothed together, and how often, depends on private entries without noise."
)


def entry_step(schema: Schema, epsilon: float, delta: float) -> Step:
    """Return the one query: [hull] Alg. 1, its sensitivity counted over the columns that encode an entry."""
    plain = bool((entry_weights(schema) == 2).all())
    mechanism = EntryNoise(epsilon, delta, 1.0) if plain else EntryNoise(epsilon, delta, 2.0, coordinates=2)
    return Step(mechanism, WHAT, PLAIN if plain else MIXED)


def noisy_rows(account: Account, X: Rows, schema: Schema) -> tuple[Rows, Rows]:
    """Return rows with noise in every entry [N, p], and the scale of the noise in each column [p]."""
    mechanism = account.steps[0].mechanism
    weights = entry_weights(schema) if getattr(mechanism, "coordinates", 1) > 1 else np.ones(X.shape[1])
    noisy = account.release(mechanism, X * weights) / weights
    return noisy, float(getattr(mechanism, "scale", 0.0)) / weights


def noisy_moments(noisy: Rows, scale: Rows, codes: Codes, n_classes: int, directions: Directions) -> NoisyMoments:
    """Return class moments of the clean rows, freed from noise whose law is public, along the directions."""
    found = class_moments(noisy, codes, n_classes, scale)
    counts = np.maximum(found.counts, 1.0)
    V, d = directions.axes, directions.size
    shifted = found.means - directions.centre
    means = shifted if V is None else shifted @ V
    covariances = found.covariances.astype(np.float64)
    if V is not None:
        covariances = np.array([V.T @ each @ V for each in covariances])
    elif not directions.correlated:
        covariances = np.array([np.diag(np.diag(each)) for each in covariances])
    # The noise of one denoised value, squared, in each of the d (d + 1) entries of a sample covariance (d variances).
    entries = d * (d + 1) if directions.correlated else 2 * d
    return NoisyMoments(means, covariances, counts, d * found.noise / counts, found.noise**2 * entries / counts)


def smoothed_rows(noisy: Rows, codes: Codes, random: Any, *, block_size: int, n_jobs: int | None) -> Rows:
    """Return the images of noisy rows in hulls of random blocks after a fixed number of steps: sound."""
    blocks = smoothing.random_blocks(codes, random, block_size)
    rows = noisy.astype(np.float32)
    return smoothing.in_blocks(rows, blocks, lambda _, block: smoothing.through_hulls(block), n_jobs=n_jobs)


def smoothed_as_published(
    X: Rows, noisy: Rows, codes: Codes, random: Any, *, block_size: int, n_jobs: int | None
) -> Rows:
    """Return the images of noisy rows as printed, [hull] Def. 14 and Remark 4, which reads the raw rows twice."""
    raw = X.astype(np.float32)
    blocks = smoothing.clustered_blocks(raw, codes, random, block_size)

    def smooth(number: int, block: Rows) -> Rows:
        return smoothing.until_error(block, smoothing.modelling_error(raw[blocks[number]]))

    return smoothing.in_blocks(noisy.astype(np.float32), blocks, smooth, n_jobs=n_jobs)
