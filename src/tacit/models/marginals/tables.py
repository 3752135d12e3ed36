"""Noisy tables put together: counts of one thing from several queries, averaged by their variances."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.counting import ColumnPair
from tacit.models.marginals.trees import Cells
from tacit.records import record


@record
class ColumnTable:
    """Counts by class of the fine cells of one column."""

    ranges: IntArray
    """[k, 2]: Levels of each fine cell."""
    counts: FloatArray
    """[C, k]: noisy; they add up to the common class counts."""
    groups: NDArray[np.intp]
    """[k]: the coarse cell of each fine cell."""

    @property
    def n_groups(self) -> int:
        """How many coarse cells there are."""
        return int(self.groups.max()) + 1

    def cell_of_level(self, size: int) -> NDArray[np.intp]:
        """Return the fine cell of each of ``size`` levels."""
        return np.repeat(np.arange(len(self.ranges)), self.ranges[:, 1] - self.ranges[:, 0])[:size]

    def projected(self) -> FloatArray:
        """Return the counts [C, k] with none below 0 and the same class totals."""
        totals = np.maximum(self.counts.sum(axis=1), 0.0)
        return np.stack([to_simplex(row, total) for row, total in zip(self.counts, totals, strict=True)])

    def coarse(self, counts: FloatArray) -> FloatArray:
        """Return ``counts`` [..., k] added up to coarse cells [..., g]."""
        sums: FloatArray = counts @ np.eye(self.n_groups)[self.groups]
        return sums


@record
class PairTable:
    """Noisy counts by class [C, a, b] of the coarse cells of columns i < j."""

    columns: ColumnPair
    counts: FloatArray


@record
class CoarseCounts:
    """Counts by class of all coarse cells, the columns one after another, from every table that holds them."""

    counts: FloatArray
    """[C, A]: none below 0; those of each column add up to the class counts."""
    variances: FloatArray
    """[A]: of the noise of a class's count."""
    class_counts: FloatArray
    """[C]"""


def with_trees(counts: FloatArray, cells: Cells, sigma: float) -> FloatArray:
    """Return counts by class [C, k] whose totals are averaged with those of the trees by inverse variance."""
    n_classes = len(counts)
    totals, variance = counts.sum(axis=0), n_classes * sigma**2
    best = (cells.counts / cells.variances + totals / variance) / (1 / cells.variances + 1 / variance)
    averaged: FloatArray = counts + (best - totals) / n_classes
    return averaged


def with_common_totals(tables: Sequence[FloatArray]) -> list[FloatArray]:
    """Return tables [C, k] shifted equally in each cell so that all add up to the same class counts.

    The class counts are the mean of each table's, weighted by 1/k, since a sum of k cells has k times the variance.
    """
    weights = np.array([1 / table.shape[1] for table in tables])
    totals = np.stack([table.sum(axis=1) for table in tables])
    common = np.maximum(weights @ totals / weights.sum(), 1.0)
    return [table + ((common - table.sum(axis=1)) / table.shape[1])[:, None] for table in tables]


def offsets_of(columns: Sequence[ColumnTable]) -> IntArray:
    """Return where the coarse cells of each column start among all of them, and their number at the end [q + 1]."""
    return np.concatenate([[0], np.cumsum([column.n_groups for column in columns])]).astype(np.int64)


def coarse_counts(
    columns: Sequence[ColumnTable], pairs: Sequence[PairTable], *, cell_sigma: float, pair_sigma: float
) -> CoarseCounts:
    """Return the best counts of coarse cells: from their column's table and the sums of every pair's, by variance."""
    offsets = offsets_of(columns)
    weights, sums = np.zeros(offsets[-1]), np.zeros((len(columns[0].counts), offsets[-1]))
    for j, column in enumerate(columns):
        own_cells = slice(offsets[j], offsets[j + 1])
        precision = 1 / (cell_sigma**2 * np.bincount(column.groups))
        weights[own_cells] += precision
        sums[:, own_cells] += precision * column.coarse(column.counts)
    for pair in pairs:
        for place, other in enumerate(pair.columns[::-1]):
            j = pair.columns[place]
            own_cells = slice(offsets[j], offsets[j + 1])
            shared = 1 / (pair_sigma**2 * columns[other].n_groups)
            weights[own_cells] += shared
            sums[:, own_cells] += shared * pair.counts.sum(axis=2 - place)
    return _consistent(sums / weights, 1 / weights, offsets)


def _consistent(counts: FloatArray, variances: FloatArray, offsets: IntArray) -> CoarseCounts:
    starts, sizes = offsets[:-1], np.diff(offsets)
    totals = np.add.reduceat(counts, starts, axis=1)  # [C, q]
    noise = np.add.reduceat(variances, starts)
    class_counts = np.maximum(totals @ (1 / noise) / (1 / noise).sum(), 1.0)
    # A difference is shared among the cells of a column as their variances are.
    moved = counts + np.repeat(class_counts[:, None] - totals, sizes, axis=1) * variances / np.repeat(noise, sizes)
    for start, end in zip(starts, offsets[1:], strict=True):
        for code, total in enumerate(class_counts):
            moved[code, start:end] = to_simplex(moved[code, start:end], float(total))
    return CoarseCounts(moved, variances, class_counts)


def to_simplex(values: FloatArray, total: float) -> FloatArray:
    """Return the nearest vector in 2-norm with no entry below 0 and the sum ``total`` >= 0 [michelot]."""
    descending = np.sort(values)[::-1]
    thresholds = (np.cumsum(descending) - total) / np.arange(1, len(values) + 1)
    kept = np.flatnonzero(descending > thresholds)
    threshold = thresholds[kept[-1]] if len(kept) else thresholds[0]
    nearest: FloatArray = np.maximum(values - threshold, 0.0)
    return nearest
