"""The levels of a column: the finest public partition of its values, fixed before any row is read."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray, Rows
from tacit.data.schemas.columns import Categorical, Feature, Numeric
from tacit.errors import InputError
from tacit.records import record

LevelCodes = NDArray[np.unsignedinteger[Any]]

# Intervals of a number: noise in their counts enters only through sums over few of them, so many cost little.
N_INTERVALS = 240
# The part of a range in which the logarithmic half of the intervals is still even.
EVEN_PART = 1 / 2000
# Values this close to zero, in parts of the range, count as zero: rows encoded in single precision are off by 1e-7.
ZERO_WIDTH = 1e-6


@record
class ColumnLevels:
    """The levels of one column."""

    name: str
    edges: FloatArray
    """[E]: for a number: level i holds the values in (edges[i - 1], edges[i]], open at both ends of the table; then
    comes one level for a missing value. Empty for categories."""
    categories: tuple[str, ...] = ()
    """For categories: their names, the last one "missing" if the schema gives it a category. Empty for a number."""
    low: float = 0.0
    high: float = 1.0
    """The public bounds of a number."""

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return not self.categories

    @property
    def size(self) -> int:
        """The number of levels."""
        return len(self.edges) + 2 if self.is_number else len(self.categories)

    @property
    def ends(self) -> FloatArray:
        """Of a number: where intervals begin and end, within the bounds."""
        return np.concatenate([[self.low], np.clip(self.edges, self.low, self.high), [self.high]])

    @property
    def centres(self) -> FloatArray:
        """Of a number: the middle of each interval, without the level of missing values."""
        middles: FloatArray = 0.5 * (self.ends[:-1] + self.ends[1:])
        return middles

    def codes(self, values: FloatArray) -> NDArray[np.intp]:
        """Return the level of each number; not-a-number is missing, values beyond the bounds are moved to them."""
        inside = np.clip(np.nan_to_num(values, nan=self.low), self.low, self.high)
        return np.where(np.isnan(values), self.size - 1, np.searchsorted(self.edges, inside, side="left"))

    def describe(self, level: int) -> str:
        """Return a level in words, such as ``"in (35, 40]"``, ``"= Private"`` or ``"is missing"``."""
        if not self.is_number:
            return f"= {self.categories[level]}"
        if level == self.size - 1:
            return "is missing"
        ends = np.concatenate([[self.low], self.edges, [self.high]])
        return f"in ({ends[level]:.6g}, {ends[level + 1]:.6g}]"


def number_levels(name: str, low: float, high: float, *, integer: bool = False) -> ColumnLevels:
    """Return the levels of a number between public bounds.

    Whole numbers of a short range have a level each. Otherwise half of the intervals are even, and half are
    logarithmic around the point nearest to zero, so that loose bounds do not crowd most rows into one interval. Zero
    itself, where many columns have a spike, is a level.
    """
    if integer and np.floor(high) - np.ceil(low) < N_INTERVALS:
        whole: FloatArray = np.arange(math.ceil(low), math.floor(high), dtype=np.float64)
        return ColumnLevels(name, whole + 0.5, (), low, high)
    centre, width = min(max(0.0, low), high), (high - low) * EVEN_PART
    half = N_INTERVALS // 2
    even = np.linspace(low, high, half + 1)[1:-1]
    first, last = (float(np.arcsinh((end - centre) / width)) for end in (low, high))
    logarithmic = centre + width * np.sinh(np.linspace(first, last, half + 1)[1:-1])
    edges = np.concatenate([even, logarithmic])
    if integer:
        edges = np.unique(np.floor(edges) + 0.5)
    else:
        zero = centre + (high - low) * ZERO_WIDTH * np.array([-1.0, 1.0])
        edges = np.unique(np.concatenate([edges[np.abs(edges - centre) > zero[1] - centre], zero]))
    return ColumnLevels(name, edges[(edges > low) & (edges < high)], (), low, high)


def levels_of(features: Sequence[Feature]) -> tuple[ColumnLevels, ...]:
    """Return the levels of each column of a schema."""
    return tuple(_levels_of(column) for column in features)


def _levels_of(column: Feature) -> ColumnLevels:
    if isinstance(column, Numeric):
        return number_levels(column.name, column.low, column.high, integer=column.integer)
    missing = ("missing",) if column.flagged else ()
    return ColumnLevels(column.name, np.zeros(0), (*column.categories, *missing))


def encoded_codes(X: Rows, features: Sequence[Feature], levels: Sequence[ColumnLevels]) -> LevelCodes:
    """Return the level [N, q] of each cell of rows that were encoded to [0, 1] by a schema's ``features``."""
    width = sum(len(column.encoded_names) for column in features)
    if X.ndim != 2 or X.shape[1] != width:
        raise InputError(f"X must have {width} encoded columns, as the schema gives; got shape {X.shape}.")
    codes = np.empty((len(X), len(features)), code_type(levels))
    start = 0
    for place, (column, level) in enumerate(zip(features, levels, strict=True)):
        end = start + len(column.encoded_names)
        codes[:, place] = _encoded_column(X[:, start:end], column, level)
        start = end
    return codes


def _encoded_column(part: Rows, column: Feature, level: ColumnLevels) -> NDArray[np.intp]:
    if isinstance(column, Categorical):
        return np.asarray(np.argmax(part, axis=1))
    values = column.low + part[:, 0].astype(np.float64) * (column.high - column.low)
    if column.flagged:
        values[part[:, 1] > 0.5] = np.nan
    return level.codes(values)


def number_codes(X: FloatArray, levels: Sequence[ColumnLevels]) -> LevelCodes:
    """Return the level [N, q] of each cell of a matrix of numbers."""
    codes = np.empty(X.shape, code_type(levels))
    for place, level in enumerate(levels):
        codes[:, place] = level.codes(X[:, place])
    return codes


def code_type(levels: Sequence[ColumnLevels]) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds every level."""
    most = max(level.size for level in levels)
    return np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.uint32


def levels_to_dict(levels: Sequence[ColumnLevels]) -> list[dict[str, Any]]:
    """Return the levels as JSON-ready data."""
    return [
        {"name": one.name, "bounds": [one.low, one.high], "edges": one.edges.tolist()}
        if one.is_number
        else {"name": one.name, "categories": list(one.categories)}
        for one in levels
    ]


def levels_from_dict(content: Sequence[dict[str, Any]]) -> tuple[ColumnLevels, ...]:
    """Return the levels that `levels_to_dict` wrote."""
    return tuple(_level_from_dict(one) for one in content)


def _level_from_dict(one: dict[str, Any]) -> ColumnLevels:
    if "categories" in one:
        return ColumnLevels(str(one["name"]), np.zeros(0), tuple(map(str, one["categories"])))
    low, high = map(float, one["bounds"])
    edges = checks.finite_array("edges", one["edges"]).reshape(-1)
    if not low < high or (np.diff(edges) <= 0).any():
        raise InputError("the levels of a number need bounds low < high and growing edges.")
    return ColumnLevels(str(one["name"]), edges, (), low, high)
