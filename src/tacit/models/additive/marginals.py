"""How often each level of each column occurs, with noise: one query for the whole table."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import toeplitz
from scipy.optimize import isotonic_regression

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.additive.levels import ColumnLevels
from tacit.models.additive.rows import MOST_ROWS, Batches, RowLayout, rounding_room


@dataclass(frozen=True, eq=False)
class Marginals:
    """Noisy numbers of rows.

    Attributes
    ----------
    n_rows : float
        At least 1.
    columns : tuple of array
        Of each level of each column, at least 0.
    target : array
        Of each class, or of each level of a numeric target; at least 0.
    """

    n_rows: float
    columns: tuple[FloatArray, ...]
    target: FloatArray


@lru_cache(maxsize=8)
def root_of_sums(size: int) -> tuple[FloatArray, float]:
    """Return the square root of the matrix of running sums, lower triangular, and the largest norm of its columns.

    The series of (1 - x)^(-1/2) is its first column: [prefix]. Running sums of noisy counts are off by the square root
    of their number; with noise on the root's products they are off by about (ln size)/pi + 1 standard deviations only.
    """
    ratios = np.append(1.0, (2 * np.arange(1, size) - 1) / (2 * np.arange(1, size)))
    series = np.cumprod(ratios)
    return toeplitz(series, np.zeros(size)), float(np.linalg.norm(series))


def squared_norms(columns: Iterable[ColumnLevels]) -> float:
    """Return the most that the parts of one row in `marginal_query` measure together, squared, without the room.

    A row lies in one level of each column: a column of two levels adds 1/2 or -1/2, one of more levels a single 1, the
    intervals of a number a column of `root_of_sums` divided by the largest of their norms; the count adds 1.
    """
    return 1.0 + sum(0.25 if _is_binary(column) else 1.0 for column in columns)


def marginal_query(counts: FloatArray, layout: RowLayout, n_rows: int) -> FloatArray:
    """Return what is asked about exact ``counts`` of all levels: adding one row moves it by at most 1 in 2-norm."""
    if n_rows > MOST_ROWS:
        raise InputError(f"a table may have at most {MOST_ROWS} rows; got {n_rows}. Split it among several owners.")
    parts = [_asked(column, counts[part]) for column, part in zip(layout.levels, layout.parts(), strict=True)]
    return np.concatenate([*parts, [float(n_rows)]]) / _divisor(layout)


def read_marginals(answer: FloatArray, layout: RowLayout) -> Marginals:
    """Return the noisy numbers of rows from the ``answer`` to `marginal_query`; the target is the last column."""
    scaled = answer * _divisor(layout)
    n_rows = max(float(scaled[-1]), 1.0)
    sizes = [_asked_size(column) for column in layout.levels]
    parts = np.split(scaled[:-1], np.cumsum(sizes)[:-1])
    columns = [_answered(column, part, n_rows) for column, part in zip(layout.levels, parts, strict=True)]
    return Marginals(n_rows, tuple(columns[:-1]), columns[-1])


def query_size(columns: Iterable[ColumnLevels]) -> int:
    """Return how many numbers `marginal_query` holds."""
    return 1 + sum(_asked_size(column) for column in columns)


def count_levels(batches: Batches, size: int, target: ColumnLevels) -> tuple[FloatArray, int]:
    """Return the exact number of rows at each level of the columns and then of the target, and of all rows."""
    counts, targets, n_rows = np.zeros(size), np.zeros(target.size), 0
    for batch in batches():
        counts += np.bincount(batch.indicator.indices, minlength=size)
        codes = target.codes(batch.target.astype(np.float64)) if target.is_number else batch.target.astype(np.intp)
        targets += np.bincount(codes, minlength=target.size)
        n_rows += len(batch)
    return np.concatenate([counts, targets]), n_rows


def _divisor(layout: RowLayout) -> float:
    most = max(column.size for column in layout.levels)
    # Each level's column of the map has norm at most 1, so q columns of m levels have norm at most sqrt(m q).
    room = rounding_room(most, math.sqrt(most * len(layout.levels)))
    return math.sqrt(squared_norms(layout.levels)) * room


def _is_binary(column: ColumnLevels) -> bool:
    return not column.is_number and column.size == 2


def _asked_size(column: ColumnLevels) -> int:
    return 1 if _is_binary(column) else column.size


def _asked(column: ColumnLevels, counts: FloatArray) -> FloatArray:
    if _is_binary(column):
        return 0.5 * (counts[1:] - counts[:1])
    if not column.is_number:
        return counts
    root, norm = root_of_sums(column.size - 1)
    return np.append(root @ counts[:-1] / norm, counts[-1])


def _answered(column: ColumnLevels, part: FloatArray, n_rows: float) -> FloatArray:
    if _is_binary(column):
        return np.clip(0.5 * n_rows + np.array([-part[0], part[0]]), 0.0, n_rows)
    if not column.is_number:
        return np.maximum(part, 0.0)
    root, norm = root_of_sums(column.size - 1)
    # Running sums grow: the nearest growing ones lose noise and no signal.
    sums = np.maximum(isotonic_regression(root @ part[:-1] * norm).x, 0.0)
    return np.append(np.diff(sums, prepend=0.0), max(float(part[-1]), 0.0))
