"""Rows as levels, in batches: what one pass over a table sees of it."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial, reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.arrays import FloatArray
from tacit.data.rows.held import HeldParts, LocalParts
from tacit.data.rows.stream import Totals, added
from tacit.errors import InputError
from tacit.models.additive.levels import ColumnLevels, LevelCodes
from tacit.records import record

BATCH_ROWS = 1 << 15


@record
class RowBatch:
    """Some rows of a table."""

    indicator: sparse.csr_array
    """[B, L]: ones at the levels of each row, all columns' levels side by side: its products sum tables
    over a row's levels, those of its transpose sum rows over levels."""
    target: NDArray[np.intp] | FloatArray
    """[B]: class codes, or numbers within their public bounds."""

    def __len__(self) -> int:
        return len(self.target)


View = Callable[[RowBatch], RowBatch]


@record
class Batches:
    """The rows of a table, held in parts by this process or by workers, of which only sums come back.

    Their order and their division into batches and parts change no result.
    """

    parts: HeldParts
    """Lists of batches."""
    view: View | None = None
    """What each pass makes of a batch before it reads it."""

    def sums(self, partial_sums: Callable[[RowBatch], Totals]) -> Totals:
        """Return the sums of what ``partial_sums`` gives for each batch: one pass."""
        totals = self.parts.map(partial(_sums_of_part, self.view, partial_sums))
        return reduce(added, (total for total in totals if total is not None))

    def viewed(self, view: View) -> "Batches":
        """Return what ``view`` makes of the batches, anew at every pass."""
        return Batches(self.parts, view)

    def mapped(self, function: View) -> "Batches":
        """Return what ``function`` makes of the batches, made once and held beside them."""
        return Batches(self.parts.then(partial(_mapped_part, function)))


def _sums_of_part(
    view: View | None, partial_sums: Callable[[RowBatch], Totals], batches: list[RowBatch]
) -> Totals | None:
    """Return the sums over a part of the table; None if it has no batch."""
    seen = batches if view is None else map(view, batches)
    totals = map(partial_sums, seen)
    return reduce(added, totals) if batches else None


def _mapped_part(function: View, batches: list[RowBatch]) -> list[RowBatch]:
    return [function(batch) for batch in batches]


@record
class RowLayout:
    """Where each column's levels stand among all levels of a table."""

    levels: tuple[ColumnLevels, ...]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The first level of each column, and the number of all levels at the end [q + 1]."""
        return np.concatenate([[0], np.cumsum([one.size for one in self.levels])])

    @property
    def size(self) -> int:
        """The number of all levels."""
        return int(self.offsets[-1])

    def parts(self) -> Iterator[slice]:
        """Yield where each column's levels stand."""
        return (slice(start, end) for start, end in pairwise(self.offsets.tolist()))

    def energies(self, values: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the variance of each column's ``values`` [L, K] under ``shares`` [L], summed over the K scores [q]."""
        return np.array([float((shares[part] @ values[part] ** 2).sum()) for part in self.parts()])

    def indicator(self, codes: LevelCodes) -> sparse.csr_array:
        """Return the ones of rows with the given level ``codes`` [B, q]."""
        n_rows, n_columns = codes.shape
        if n_columns != len(self.levels):
            raise InputError(f"codes must have {len(self.levels)} columns; got {n_columns}.")
        places = codes.astype(np.int32)
        places += self.offsets[:-1].astype(np.int32)
        ends = np.arange(0, places.size + 1, n_columns, dtype=np.int32)
        return sparse.csr_array((_ones(places.size), places.ravel(), ends), shape=(n_rows, self.size))


def batches_of(codes: LevelCodes, target: NDArray[np.intp] | FloatArray, levels: Sequence[ColumnLevels]) -> Batches:
    """Return batches of rows held in memory, prepared once for every pass."""
    return Batches(LocalParts([batch_list(codes, target, levels)]))


def batch_list(
    codes: LevelCodes, target: NDArray[np.intp] | FloatArray, levels: Sequence[ColumnLevels]
) -> list[RowBatch]:
    """Return rows in batches, at least one of them."""
    layout = RowLayout(tuple(levels))
    return [
        RowBatch(layout.indicator(codes[start : start + BATCH_ROWS]), target[start : start + BATCH_ROWS])
        for start in range(0, max(len(codes), 1), BATCH_ROWS)
    ]


@lru_cache(maxsize=4)
def _ones(size: int) -> FloatArray:
    """Return ones that all batches of one size share: they are most of an indicator's memory."""
    ones = np.ones(size)
    ones.flags.writeable = False
    return ones
