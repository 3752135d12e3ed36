"""Exact counts of level codes by class: whole numbers, the same in whatever order and batches the rows come."""

from collections.abc import Iterable, Sequence

import numpy as np

from tacit.arrays import IntArray
from tacit.models.marginals.layout import Layout, LevelBatch

ColumnPair = tuple[int, int]


def level_counts(batches: Iterable[LevelBatch], layout: Layout) -> list[IntArray]:
    """Return for each column how many rows of each class have each level [C, levels]."""
    counts = [np.zeros((layout.n_classes, column.size), dtype=np.int64) for column in layout.columns]
    for codes, y in batches:
        for j, column in enumerate(layout.columns):
            flat = np.bincount(y * column.size + codes[:, j], minlength=counts[j].size)
            counts[j] += flat.reshape(counts[j].shape)
    return counts


def pair_counts(
    batches: Iterable[LevelBatch], cells: Sequence[IntArray], pairs: Sequence[ColumnPair], n_classes: int
) -> list[IntArray]:
    """Return for each pair of columns how many rows of each class lie in each pair of cells [C, a, b].

    ``cells`` holds for each column the cell of each level.
    """
    sizes = [int(cell.max()) + 1 for cell in cells]
    counts = [np.zeros((n_classes, sizes[i], sizes[j]), dtype=np.int64) for i, j in pairs]
    for codes, y in batches:
        columns = [cell[codes[:, j]] for j, cell in enumerate(cells)]
        for place, (i, j) in enumerate(pairs):
            flat = (y * sizes[i] + columns[i]) * sizes[j] + columns[j]
            counts[place] += np.bincount(flat, minlength=counts[place].size).reshape(counts[place].shape)
    return counts


def range_counts(counts: IntArray, ranges: IntArray) -> IntArray:
    """Return the sums of ``counts`` [..., levels] over half-open ranges of levels [k, 2]: [..., k]."""
    zero = np.zeros((*counts.shape[:-1], 1), dtype=np.int64)
    cumulative = np.concatenate([zero, np.cumsum(counts, axis=-1)], axis=-1)
    sums: IntArray = cumulative[..., ranges[:, 1]] - cumulative[..., ranges[:, 0]]
    return sums
