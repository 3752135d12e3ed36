"""Exact counts of level codes by class: whole numbers, the same in whatever order and batches the rows come."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from tacit.arrays import IntArray
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.stream import RowStream, Totals
from tacit.models.marginals.layout import BATCH, Layout, LevelBatch
from tacit.records import record

ColumnPair = tuple[int, int]


class TableCounts(Protocol):
    """Exact counts of a private table."""

    @property
    def levels(self) -> list[IntArray]:
        """How many rows of each class have each level of a column [C, levels], for each column."""
        ...

    def pairs(self, cells: Sequence[IntArray], pairs: Sequence[ColumnPair], *, by_class: bool = True) -> list[IntArray]:
        """Return what `pair_counts` does; not ``by_class``: all rows are of one."""
        ...


@record
class BatchCounts:
    """Counts of a table whose level codes are in memory."""

    batches: Sequence[LevelBatch]
    layout: Layout

    @property
    def levels(self) -> list[IntArray]:
        """Counts of levels."""
        return level_counts(self.batches, self.layout)

    def pairs(self, cells: Sequence[IntArray], pairs: Sequence[ColumnPair], *, by_class: bool = True) -> list[IntArray]:
        """Return counts of pairs of cells."""
        return pair_counts(self.batches, cells, pairs, self.layout.n_classes if by_class else 1)


@record
class StreamCounts:
    """Counts of rows that are read again at every pass: one for the levels, one for the pairs, one for any links."""

    rows: RowStream
    layout: Layout

    @cached_property
    def levels(self) -> list[IntArray]:
        """Counts of levels."""
        return list(self.rows.sums(partial(_levels_of_rows, self.layout)))

    def pairs(self, cells: Sequence[IntArray], pairs: Sequence[ColumnPair], *, by_class: bool = True) -> list[IntArray]:
        """Return counts of pairs of cells."""
        n_classes = self.layout.n_classes if by_class else 1
        return list(self.rows.sums(partial(_pairs_of_rows, self.layout, tuple(cells), tuple(pairs), n_classes)))


def _levels_of_rows(layout: Layout, rows: EncodedColumns) -> Totals:
    return tuple(level_counts(_batches(layout, rows), layout))


def _pairs_of_rows(
    layout: Layout, cells: Sequence[IntArray], pairs: Sequence[ColumnPair], n_classes: int, rows: EncodedColumns
) -> Totals:
    return tuple(pair_counts(_batches(layout, rows), cells, pairs, n_classes))


def _batches(layout: Layout, rows: EncodedColumns) -> Iterator[LevelBatch]:
    """Yield level codes of a few thousand rows at a time, so that the columns at work stay in a core's cache."""
    for part in rows.slices(BATCH):
        y = part.y.astype(np.intp) if layout.label is not None else np.zeros(len(part), dtype=np.intp)
        yield layout.column_codes(part), y


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

    ``cells`` holds for each column the cell of each level. With one class, that of a row does not matter.
    """
    sizes = [int(cell.max()) + 1 for cell in cells]
    counts = [np.zeros((n_classes, sizes[i], sizes[j]), dtype=np.int64) for i, j in pairs]
    for codes, y in batches:
        columns = [cell[codes[:, j]] for j, cell in enumerate(cells)]
        first = y if n_classes > 1 else np.zeros_like(y)
        for place, (i, j) in enumerate(pairs):
            flat = (first * sizes[i] + columns[i]) * sizes[j] + columns[j]
            counts[place] += np.bincount(flat, minlength=counts[place].size).reshape(counts[place].shape)
    return counts


def range_counts(counts: IntArray, ranges: IntArray) -> IntArray:
    """Return the sums of ``counts`` [..., levels] over half-open ranges of levels [k, 2]: [..., k]."""
    zero = np.zeros((*counts.shape[:-1], 1), dtype=np.int64)
    cumulative = np.concatenate([zero, np.cumsum(counts, axis=-1)], axis=-1)
    sums: IntArray = cumulative[..., ranges[:, 1]] - cumulative[..., ranges[:, 0]]
    return sums
