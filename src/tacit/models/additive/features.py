"""Features of levels whose inner products say how much two levels have in common; made of noisy numbers of rows alone.

Gradient descent in these features learns first what many rows agree on: the slope of a number before its fine
structure, common categories before rare ones. All of it is post-processing of noisy counts.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.arrays import FloatArray
from tacit.models.additive.levels import ColumnLevels
from tacit.records import record

# Bins of a number, and the most of a bin's share of rows that counts for its place among the others: a spike of half
# the rows is one bin, and leaves its neighbours apart from each other.
N_BINS = 64
SPIKE_SHARE = 1 / 16
# Categories that have features of their own.
N_CATEGORIES = 256
# How far the curve of a number is correlated, in parts of its rows.
CORRELATION_LENGTH = 0.35
# Of a curve with a straight part: the part of the features' variance that is the number itself, and the part of a
# number's place that is its value and not its rank among the rows, beyond which so few rows lie that they do not count.
# A delay of 300 minutes is 60 % more than one of 180, though both are among the last two of a hundred.
STRAIGHT_PART, VALUE_PART, OUTLIERS = 0.25, 0.25, 1e-4
# The expected squared norm of a number's features; a category's follows from its shares.
NUMBER_WEIGHT = 2.0
# A number whose rows nearly all lie at one value counts for less. Scaled up without a limit, one such column would
# leave nothing of all others; and where noise hides its few other rows, its variance is 0.
LEAST_VARIANCE = 0.05
# A category of share p is weighted (p(1 - p) + RARE)^(-1/4), between equal weight and equal variance.
RARE = 0.02
CATEGORY_POWER = 0.25
# Directions of less than this part of the largest variance are left out.
SMALLEST_VARIANCE = 1e-3


@record
class ColumnFeatures:
    """Features of one column's levels, uncorrelated and centred under the noisy shares."""

    values: FloatArray
    """[m, d]: of each level."""
    variances: FloatArray
    """[d]: under the noisy shares."""
    shares: FloatArray
    """[m]: noisy shares of rows; they add up to 1."""


@record
class LevelFeatureTable:
    """Features of all levels of a table, scaled to a mean squared norm of 1 over rows."""

    matrix: sparse.csr_array
    """[L, D]: one block for each column."""
    variances: FloatArray
    """[D]"""
    columns: tuple[slice, ...]
    """The features of each column."""
    shares: tuple[FloatArray, ...]
    """Noisy shares of each column's levels."""


def table_features(
    levels: Sequence[ColumnLevels], counts: Sequence[FloatArray], *, public_rows: float = 0.0, straight: bool = False
) -> LevelFeatureTable:
    """Return the features of every column from its noisy ``counts`` of rows, numbers with a ``straight`` part or not.

    To the counts so many ``public_rows`` are added, equally at each level: of few rows the counts are mostly noise, and
    levels that are even by public bounds are the better guess.
    """
    filled = [np.maximum(mass, 0.0) + public_rows / len(mass) for mass in counts]
    columns = [column_features(one, mass, straight=straight) for one, mass in zip(levels, filled, strict=True)]
    variances = np.concatenate([column.variances for column in columns])
    # Constant columns have no variance at all; a table of nothing else keeps its features at zero.
    scale = 1 / np.sqrt(max(float(variances.sum()), 1e-12))
    matrix = sparse.csr_array(sparse.block_diag([column.values * scale for column in columns]))
    ends = np.cumsum([0, *(column.values.shape[1] for column in columns)])
    places = tuple(slice(start, end) for start, end in pairwise(ends.tolist()))
    return LevelFeatureTable(matrix, variances * scale**2, places, tuple(column.shares for column in columns))


def column_features(levels: ColumnLevels, counts: FloatArray, *, straight: bool = False) -> ColumnFeatures:
    """Return the features of one column from noisy ``counts`` of rows at its levels."""
    if levels.is_number:
        return number_features(counts, levels.ends if straight else None)
    bins = frequent_bins(counts)
    shares = shares_of(np.bincount(bins, counts).astype(np.float64))
    features = principal_features(category_kernel(shares), shares)
    return ColumnFeatures(features.values[bins], features.variances, shares_of(counts))


def number_features(counts: FloatArray, ends: FloatArray | None = None) -> ColumnFeatures:
    """Return the features of a number, whose last level is "missing".

    Bins of about equal shares have the kernel e^(-|u - v|/l), u and v their places among the rows and l the correlation
    length; "missing" stands apart from all of them. With ``ends`` [m] of the levels, places depend on values too, and
    a straight part is added: the product of standardised values.
    """
    shares = shares_of(counts)
    present = shares_of(counts[:-1])
    places = shares_of(np.minimum(present, SPIKE_SHARE))
    if ends is not None:
        places = (1 - VALUE_PART) * places + VALUE_PART * _lengths(ends, present)
    bins = bins_of(places, N_BINS)
    n_bins = int(bins[-1]) + 1
    widths = np.bincount(bins, places, n_bins)
    masses = np.asarray(np.bincount(bins, present, n_bins), dtype=np.float64)
    middles = np.cumsum(widths) - widths / 2
    kernel = np.exp(-np.abs(middles[:, None] - middles) / CORRELATION_LENGTH)
    spread = kernel_variance(kernel, masses)
    kernel /= max(spread, LEAST_VARIANCE)
    if ends is not None:
        values = np.bincount(bins, 0.5 * (ends[:-1] + ends[1:]), n_bins) / np.bincount(bins)
        line = np.multiply.outer(values - masses @ values, values - masses @ values)
        # Of the same variance as the rest, whatever the number's unit.
        line *= min(spread / LEAST_VARIANCE, 1.0) / max(kernel_variance(line, masses), 1e-300)
        kernel = (1 - STRAIGHT_PART) * kernel + STRAIGHT_PART * line
    whole = np.zeros((n_bins + 1, n_bins + 1))
    whole[:-1, :-1] = kernel * NUMBER_WEIGHT if n_bins > 1 else 0.0
    whole[-1, -1] = 1.0
    missing = shares[-1]
    features = principal_features(whole, np.append(masses * (1 - missing), missing))
    values = features.values[np.append(bins, n_bins)]
    return ColumnFeatures(values, features.variances, shares)


def _lengths(ends: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the lengths of levels as parts of their sum, where rows are; all alike if there are none."""
    below = np.cumsum(shares)
    return shares_of(np.where((below > OUTLIERS) & (below < 1 - OUTLIERS), np.diff(ends), 0.0))


def kernel_variance(kernel: FloatArray, masses: FloatArray) -> float:
    """Return the variance of a kernel's features under ``masses`` of sum 1: the mean of k(u, u) - k(u, v)."""
    return max(float(masses @ np.diag(kernel) - masses @ kernel @ masses), 0.0)


def bins_of(shares: FloatArray, n_bins: int) -> NDArray[np.intp]:
    """Return the bin of each level: neighbours are merged until they hold 1/n_bins; a heavier level stands alone."""
    bins = np.zeros(len(shares), np.intp)
    current, mass, full = 0, 0.0, (1 - 1e-9) / n_bins
    for level, share in enumerate(shares):
        if mass >= full or (share >= full and mass > 0):
            current, mass = current + 1, 0.0
        bins[level], mass = current, mass + share
    return bins


def category_kernel(shares: FloatArray) -> FloatArray:
    """Return the kernel of categories with these ``shares``: they have nothing in common, and rare ones count more."""
    kernel: FloatArray = np.diag((shares * (1 - shares) + RARE) ** (-2 * CATEGORY_POWER))
    return kernel


def frequent_bins(counts: FloatArray, most: int = N_CATEGORIES) -> NDArray[np.intp]:
    """Return the bin of each category: the most frequent ones stand alone, all others of a long list share the last."""
    bins = np.full(len(counts), min(len(counts), most) - 1)
    order = np.argsort(-counts, kind="stable")[: most - 1]
    bins[order] = np.arange(len(order))
    return bins


def principal_features(kernel: FloatArray, shares: FloatArray) -> ColumnFeatures:
    """Return features whose inner products are ``kernel``, centred under ``shares``, along their principal axes."""
    mean = shares @ kernel
    centred = kernel - mean - mean[:, None] + shares @ mean
    roots = np.sqrt(shares + 1e-6)  # levels that no row seems to have still need features
    variances, axes = np.linalg.eigh(roots[:, None] * centred * roots)
    kept = variances > SMALLEST_VARIANCE * max(float(variances.max()), 1e-12)
    values = axes[:, kept] * np.sqrt(variances[kept]) / roots[:, None]
    values -= shares @ values
    return ColumnFeatures(values, shares @ values**2, shares)


def shares_of(counts: FloatArray) -> FloatArray:
    """Return ``counts`` as shares of their sum, negative ones as 0; equal shares if nothing is left."""
    positive = np.maximum(counts, 0.0)
    total = float(positive.sum())
    return positive / total if total > 0 else np.full(len(counts), 1 / max(len(counts), 1))
