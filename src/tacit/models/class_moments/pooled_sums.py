"""Noisy class sums of several owners as one: means of each class weighed by how exactly they are known."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.class_moments.features import count_weight
from tacit.records import record

# A class counts as having at least so many rows, in standard deviations of the noise of its count.
LEAST_COUNT = 2.0


@record
class PooledSums:
    """What owners' sums say together."""

    sums: FloatArray
    """[C, F]"""
    counts: FloatArray
    """[C]"""
    sigma: float
    """Standard deviation of the noise in the sums, the root of its mean square over the classes."""
    shares: FloatArray
    """[K]: how much each owner counts, of sum 1."""


def safe_counts(counts: FloatArray, sigma: float) -> FloatArray:
    """Return noisy ``counts`` as positive numbers, no smaller than their noise explains."""
    return np.maximum(counts, max(1.0, LEAST_COUNT * sigma / count_weight(1.0)))


def pooled_sums(sums: Sequence[FloatArray], counts: Sequence[FloatArray], sigmas: Sequence[float]) -> PooledSums:
    """Return the sums [C, F] and counts [C] of all owners, each mean of a class weighed by its precision.

    A mean of n rows of length at most 1 in F features has the variance sigma²/n² of its noise beside at most 1/(F n) of
    the sampling of rows: its weight is n²/(sigma² + n/F). Owners with the same noise count by their rows squared while
    noise prevails, by their rows where it does not.
    """
    n = np.stack([safe_counts(*each) for each in zip(counts, sigmas, strict=True)])  # [K, C]
    noise = np.asarray(sigmas, dtype=np.float64)[:, None]
    precisions = n**2 / (noise**2 + n / sums[0].shape[1])
    weights = precisions / precisions.sum(axis=0)
    total = n.sum(axis=0)
    means = np.einsum("kc,kcf->cf", weights / n, np.stack(sums))
    deviations = total * np.sqrt(((weights * noise / n) ** 2).sum(axis=0))
    sigma = float(np.sqrt((deviations**2).mean()))
    return PooledSums(means * total[:, None], total, sigma, weights.mean(axis=1))
