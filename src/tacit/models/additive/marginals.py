"""How often each level of each column occurs, with noise: one query for the whole table."""

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray, IntArray
from tacit.data.rows.stream import Totals
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.rows import Batches, RowBatch, RowLayout
from tacit.numerics.exact_sums import ROW_BITS, IntegerSum, require_countable, with_room
from tacit.numerics.growing import nearest_growing
from tacit.records import record


@record
class Marginals:
    """Noisy numbers of rows."""

    n_rows: float
    """At least 1."""
    columns: tuple[FloatArray, ...]
    """Of each level of each column, at least 0."""
    target: FloatArray
    """Of each class, or of each level of a numeric target; at least 0."""


@lru_cache(maxsize=8)
def root_of_sums(size: int) -> tuple[FloatArray, float]:
    """Return the square root of the matrix of running sums, lower triangular, and the largest norm of its columns.

    The series of (1 - x)^(-1/2) is its first column: [prefix]. Running sums of noisy counts are off by the square root
    of their number; with noise on the root's products they are off by about (ln size)/pi + 1 standard deviations only.
    """
    ratios = np.append(1.0, (2 * np.arange(1, size) - 1) / (2 * np.arange(1, size)))
    series = np.cumprod(ratios)
    below = np.subtract.outer(np.arange(size), np.arange(size))
    return np.where(below >= 0, series[below], 0.0), float(np.linalg.norm(series))


def squared_norms(columns: Iterable[ColumnLevels]) -> float:
    """Return the most that the parts of one row in `marginal_query` measure together, squared, in units of a count.

    A row lies in one level of each column: a column of two levels adds 1/2 or -1/2, one of more levels a single 1, the
    intervals of a number a column of `root_of_sums` divided by the largest of their norms; the count adds 1.
    """
    return 1.0 + sum(0.25 if _is_binary(column) else 1.0 for column in columns)


def marginal_query(counts: IntArray, layout: RowLayout, n_rows: int) -> IntegerSum:
    """Return what is asked about exact ``counts`` of all levels: adding one row moves it by at most 1 in 2-norm.

    A row adds whole numbers: `count_unit` where it counts once, and a column of the root of sums rounded down.
    """
    require_countable(n_rows)
    unit, roomy = count_unit(layout), with_room(counts, n_rows)
    parts = [_asked(column, roomy[part], unit) for column, part in zip(layout.levels, layout.parts(), strict=True)]
    return IntegerSum(np.concatenate([*parts, with_room(np.array([n_rows]), n_rows) * unit]), 2.0**-ROW_BITS)


def read_marginals(answer: FloatArray, layout: RowLayout) -> Marginals:
    """Return the noisy numbers of rows from the ``answer`` to `marginal_query`; the target is the last column."""
    scaled = answer * (2.0**ROW_BITS / count_unit(layout))
    n_rows = max(float(scaled[-1]), 1.0)
    sizes = [_asked_size(column) for column in layout.levels]
    parts = np.split(scaled[:-1], np.cumsum(sizes)[:-1])
    columns = [_answered(column, part, n_rows) for column, part in zip(layout.levels, parts, strict=True)]
    return Marginals(n_rows, tuple(columns[:-1]), columns[-1])


def query_size(columns: Iterable[ColumnLevels]) -> int:
    """Return how many numbers `marginal_query` holds."""
    return 1 + sum(_asked_size(column) for column in columns)


def count_levels(batches: Batches, size: int, target: ColumnLevels) -> tuple[IntArray, int]:
    """Return the exact number of rows at each level of the columns and then of the target, and of all rows."""
    counts, n_rows = batches.sums(partial(_level_counts, size, target))
    return counts, int(n_rows)


def _level_counts(size: int, target: ColumnLevels, batch: RowBatch) -> Totals:
    codes = target.codes(batch.target.astype(np.float64)) if target.is_number else batch.target.astype(np.intp)
    counts = (np.bincount(batch.indicator.indices, minlength=size), np.bincount(codes, minlength=target.size))
    return np.concatenate(counts).astype(np.int64), np.array(len(batch))


def count_unit(layout: RowLayout) -> int:
    """Return what a count weighs, in quanta: an even number m of which rows of `squared_norms` s have m² s <= 4^32."""
    return math.isqrt(int(4**ROW_BITS / Fraction(squared_norms(layout.levels)))) // 2 * 2


def _is_binary(column: ColumnLevels) -> bool:
    return not column.is_number and column.size == 2


def _asked_size(column: ColumnLevels) -> int:
    return 1 if _is_binary(column) else column.size


def _asked(column: ColumnLevels, counts: NDArray[Any], unit: int) -> NDArray[Any]:
    if _is_binary(column):
        return np.asarray((counts[1:] - counts[:1]) * (unit // 2))
    if not column.is_number:
        return counts * unit
    root, norm = root_of_sums(column.size - 1)
    # Rounded down, no column is longer than the unit, which the factor keeps from the rounding of doubles.
    whole = np.floor(root * (unit / norm * (1 - 2.0**-40))).astype(np.int64)
    return np.append(whole.astype(counts.dtype) @ counts[:-1], counts[-1:] * unit)


def _answered(column: ColumnLevels, part: FloatArray, n_rows: float) -> FloatArray:
    if _is_binary(column):
        return np.clip(0.5 * n_rows + np.array([-part[0], part[0]]), 0.0, n_rows)
    if not column.is_number:
        return np.maximum(part, 0.0)
    root, norm = root_of_sums(column.size - 1)
    # Running sums grow: the nearest growing ones lose noise and no signal.
    sums = np.maximum(nearest_growing(root @ part[:-1] * norm), 0.0)
    return np.append(np.diff(sums, prepend=0.0), max(float(part[-1]), 0.0))
