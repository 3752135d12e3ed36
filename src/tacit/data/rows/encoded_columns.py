"""Encoded rows column by column: what sums over rows need, without the zeros of a matrix."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tacit.arrays import UNLABELLED, BoolArray, FloatArray, IntArray, Rows
from tacit.records import record

BLOCK = 4096


@record
class ColumnPart:
    """What one feature writes into the matrix: numbers into columns, and ones at ``start`` plus a code per row."""

    numbers: tuple[tuple[int, NDArray[Any]], ...] = ()
    """tuple of (position, array [N])"""
    ones: NDArray[np.integer[Any]] | None = None
    """[N] or None: codes of a category."""
    start: int = 0
    width: int = 0
    """The encoded column of code 0, and the number of codes."""

    def where(self, kept: BoolArray | slice) -> "ColumnPart":
        """Return the part of the rows that are ``kept``."""
        numbers = tuple((position, values[kept]) for position, values in self.numbers)
        return ColumnPart(numbers, None if self.ones is None else self.ones[kept], self.start, self.width)


class OutcomeRows:
    """Rows with something to predict: class codes ``y`` [N], or numbers ``targets`` [N]."""

    y: IntArray
    targets: FloatArray | None

    @property
    def outcomes(self) -> NDArray[Any]:
        """What is to be predicted: class codes, or numbers."""
        return self.y if self.targets is None else self.targets

    @property
    def has_outcome(self) -> BoolArray:
        """Which rows have a label, or a number to predict."""
        known: BoolArray = self.y != UNLABELLED if self.targets is None else np.isfinite(self.targets)
        return known


@record
class EncodedColumns(OutcomeRows):
    """Encoded rows."""

    parts: tuple[ColumnPart, ...]
    """One for each feature."""
    width: int
    """Encoded columns in all."""
    y: IntArray
    """[N]: class codes, −1 where the label is missing."""
    persons: NDArray[np.str_] | None = None
    targets: FloatArray | None = None
    """As in `tacit.data.rows.encoding.Encoded`."""

    @classmethod
    def of_matrix(cls, X: Rows, y: NDArray[Any]) -> "EncodedColumns":
        """Return the rows of a matrix [N, p], each of its columns a number in [0, 1], with class codes [N].

        Numbers beyond are moved there: no row may grow longer than rows that a schema encodes.
        """
        parts = tuple(ColumnPart(((position, np.clip(X[:, position], 0, 1)),)) for position in range(X.shape[1]))
        return cls(parts, X.shape[1], np.asarray(y, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.y)

    def where(self, kept: BoolArray) -> "EncodedColumns":
        """Return the rows for which the mask ``kept`` [N] is true."""
        return self if kept.all() else self._taken(kept)

    def slices(self, size: int, first: int | None = None) -> Iterator["EncodedColumns"]:
        """Yield ``first`` rows (None: ``size``), then ``size`` at a time, in order; nothing is copied."""
        start, stop = 0, size if first is None else first
        while start < len(self):
            yield self._taken(slice(start, stop))
            start, stop = stop, stop + size

    def _taken(self, kept: BoolArray | slice) -> "EncodedColumns":
        parts = tuple(part.where(kept) for part in self.parts)
        persons = None if self.persons is None else self.persons[kept]
        targets = None if self.targets is None else self.targets[kept]
        return EncodedColumns(parts, self.width, self.y[kept], persons, targets)

    def matrix(self, dtype: DTypeLike = np.float64, *, multiple: int = 1) -> NDArray[np.floating[Any]]:
        """Return the rows as a matrix [N, p], with rows of zeros at its end up to a ``multiple`` of rows."""
        X = np.zeros((-(-len(self) // multiple) * multiple, self.width), dtype=dtype)
        self.fill(X)
        return X

    def fill(self, X: NDArray[np.floating[Any]]) -> None:
        """Write the rows into the first of a matrix of zeros."""
        for start in range(0, len(self), BLOCK):
            self._fill(X[start : start + BLOCK], start)

    def blocks(self, size: int = BLOCK, dtype: DTypeLike = np.float64) -> Iterator[NDArray[np.floating[Any]]]:
        """Yield matrices [size, p], the last one with rows of zeros at its end.

        Matrix products round the rows of a ragged block differently; in full blocks a row's product depends on that
        row alone.
        """
        for start in range(0, len(self), size):
            yield self._fill(np.zeros((size, self.width), dtype=dtype), start)

    def _fill(self, block: NDArray[np.floating[Any]], start: int) -> NDArray[np.floating[Any]]:
        """Write the rows from ``start`` on; whole columns at once would miss the cache at every cell."""
        stop = min(start + len(block), len(self))
        rows = np.arange(stop - start)
        for part in self.parts:
            for position, values in part.numbers:
                block[: stop - start, position] = values[start:stop]
            if part.ones is not None:
                block[rows, part.ones[start:stop].astype(np.intp) + part.start] = 1.0
        return block
