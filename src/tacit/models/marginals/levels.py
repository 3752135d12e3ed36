"""The values of a column that tables tell apart: its categories, or numbers on a public grid, and a missing cell."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.data.schemas.columns import Categorical, Feature, Label, Numeric
from tacit.data.schemas.notations import Notation, write_number

# Integers are counted one by one up to so many; beyond, in steps of 10, 100, ...
MOST_INTEGERS = 20_000
# Other numbers are rounded to a power of ten that divides their bounds into at least so many steps.
LEAST_STEPS = 1000
# Near 0 steps are finer, down to this part of a step (integers: to 1): most amounts lie far below their bound.
FINEST_PART = 1e-3
# Which grid of levels a release was made with; 1 had even steps everywhere.
GRID = 2
# The largest fraction of a place inside its level.
INSIDE = 1 - 1e-9


@dataclass(frozen=True)
class Levels:
    """The levels of one column, coded 0, 1, ...; a missing cell is the last one where the schema keeps it."""

    name: str
    ordered: bool
    """Whether levels are numbers in increasing order."""
    count: int
    """Levels without that of a missing cell."""
    missing: bool = False
    """Whether a missing cell is a level of its own."""
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0
    """Level k of a number stands for low + k step; of integers for all of them from there to the next level, at most
    ``high``."""
    integer: bool = False
    names: tuple[str, ...] = ()
    """The categories."""
    bounds: tuple[float, float] = (0.0, 1.0)
    """Of the schema, between which encoded numbers run from 0 to 1."""
    notation: Notation | None = None
    """How cells write the numbers, where these are dates or codes."""
    graded: bool = False
    """Whether levels are finer near 0, as in `graded_starts`."""

    @cached_property
    def starts(self) -> FloatArray:
        """Where each level of a graded number starts."""
        return graded_starts(self.low, self.high, self.step, 1.0 if self.integer else FINEST_PART * self.step)

    @property
    def size(self) -> int:
        """Levels with that of a missing cell."""
        return self.count + self.missing

    def codes(self, part: Rows) -> IntArray:
        """Return the levels [N] of the column's encoded cells [N, k]; each depends on its own row alone."""
        if not self.ordered:
            categories: IntArray = np.argmax(part, axis=1).astype(np.int64)
            return categories
        numbers = self.bounds[0] + part[:, 0].astype(np.float64) * (self.bounds[1] - self.bounds[0])
        codes = self.levels_at(np.round(numbers) if self.integer else numbers)
        return np.where(part[:, 1] > 0.5, self.count, codes) if self.missing else codes

    def levels_at(self, numbers: FloatArray) -> IntArray:
        """Return the levels of numbers: of an integer the one that holds it, of others the nearest."""
        if self.graded:
            starts = self.starts
            edges = starts if self.integer else (starts + np.append(starts[0], starts[:-1])) / 2
            levels = np.searchsorted(edges, numbers, side="right") - 1.0
        elif self.integer:
            levels = np.floor_divide(numbers - self.low, self.step)
        else:
            levels = np.round((numbers - self.low) / self.step)
        inside: IntArray = np.clip(levels, 0, self.count - 1).astype(np.int64)
        return inside

    def places_at(self, numbers: FloatArray) -> FloatArray:
        """Return places (level plus fraction) whose values are ``numbers``, or the nearest on the grid."""
        levels = self.levels_at(np.clip(numbers, self.low, self.high)).astype(np.float64)
        inside = np.full(len(levels), 0.5)
        if self.integer:
            first, end = self.values(levels), self.values(levels + INSIDE) + 1
            inside = (np.clip(numbers, first, end - 1) - first + 0.5) / (end - first)
        places: FloatArray = levels + inside
        return places

    def values(self, places: Rows) -> FloatArray:
        """Return the numbers at ``places`` (level plus a fraction below 1); NaN for a missing cell."""
        if self.graded:
            levels = np.clip(np.floor(places), 0, self.count - 1).astype(np.int64)
            numbers = self.starts[levels]
            if self.integer:
                numbers = numbers + np.floor((places - levels) * np.diff(self.starts, append=self.high + 1)[levels])
        elif self.integer:
            numbers = self.low + np.floor(places * self.step)
        else:
            # Rounded as the grid is, so that 0.3 is written for 0.30000000000000004.
            numbers = np.round(self.low + np.floor(places) * self.step, self.decimals)
        return np.where(places >= self.count, np.nan, np.minimum(numbers, self.high))

    def cell_values(self, places: Rows) -> FloatArray:
        """Return the numbers, or the codes of categories, at ``places``; NaN for a missing cell."""
        if self.ordered:
            return self.values(places)
        codes = np.floor(places)
        return np.where(codes >= self.count, np.nan, codes)

    @property
    def decimals(self) -> int:
        """Decimal places of the grid, or of the lower bound where that has more."""
        for decimals in range(max(0, -math.floor(math.log10(self.step) + 1e-9)), 15):
            if round(self.low, decimals) == self.low:
                return decimals
        return 15

    def column(self, places: Rows) -> pl.Series:
        """Return the cells at ``places`` with the type that the schema gives the column."""
        if self.ordered:
            if self.notation is not None:
                return self.notation.cells(self.values(places)).alias(self.name)
            numbers = pl.Series(self.name, self.values(places)).fill_nan(None)
            return numbers.cast(pl.Int64) if self.integer else numbers
        texts = pl.Series([*self.names, None], dtype=pl.String)
        return texts.gather(np.minimum(places.astype(np.int64), self.count)).alias(self.name)

    def shown(self, number: float) -> str:
        """Return a number as a cell writes it."""
        return f"{number:g}" if self.notation is None else write_number(self.notation, number)

    def fractions(self, places: Rows) -> FloatArray:
        """Return the numbers at ``places`` as the schema encodes them, in [0, 1]; a missing cell in the middle."""
        low, high = self.bounds
        encoded: FloatArray = np.nan_to_num((self.values(places) - low) / (high - low), nan=0.5)
        return encoded


def levels_of(column: Feature | Label, grid: int = GRID) -> Levels:
    """Return the levels that the schema's public facts give to ``column``, on the grid of that number."""
    if isinstance(column, Label):
        return Levels(column.name, ordered=False, count=len(column.classes), names=column.classes)
    if isinstance(column, Categorical):
        return Levels(
            column.name, False, len(column.categories), missing=column.flagged, names=tuple(column.categories)
        )
    return _number_levels(column, grid)


def graded_starts(low: float, high: float, step: float, finest: float) -> FloatArray:
    """Return multiples of ``step`` between two bounds, with two digits kept of those below ten steps.

    From 0 on they are 0, 1, ... 99 times the finest step, then 10 to 99 times each power of ten of it, up to ``step``.
    """
    blocks, unit = [np.arange(100)], 1
    while 10 * unit * finest < step * (1 - 1e-9):
        unit *= 10
        blocks.append(np.arange(10, 100) * unit)
    last = round(step / finest)
    blocks.append(np.arange(10 if last > 1 else 100, math.floor(max(abs(low), abs(high)) / step + 1e-9) + 1) * last)
    # Whole multiples of the finest step, so that no start is off by a rounding error.
    positive = np.round(np.concatenate(blocks) * finest, max(0, -math.floor(math.log10(finest) + 1e-9)))
    both = np.concatenate([-positive[:0:-1], positive])
    inside = both[(both > low) & (both <= high)]
    starts: FloatArray = np.append(low, inside)
    return starts


def _is_graded(column: Numeric, low: float, high: float, step: float) -> bool:
    """Return whether bounds come near 0, where steps are finer; the numbers of dates and codes have no 0."""
    return column.notation is None and not (column.integer and step <= 1) and low < 10 * step and high > -10 * step


def _number_levels(column: Numeric, grid: int) -> Levels:
    if column.integer:
        low, high = float(math.ceil(column.low)), float(math.floor(column.high))
        step = 1.0
        while (high - low) // step + 1 > MOST_INTEGERS + 1:
            step *= 10
        count = int((high - low) // step) + 1
    else:
        low, high = column.bounds
        step = 10.0 ** math.floor(math.log10((high - low) / LEAST_STEPS) + 1e-9)
        count = round((high - low) / step) + 1
    graded = grid > 1 and _is_graded(column, low, high, step)
    if graded:
        count = len(graded_starts(low, high, step, 1.0 if column.integer else FINEST_PART * step))
    return Levels(
        column.name,
        ordered=True,
        count=count,
        missing=column.flagged,
        low=low,
        high=high,
        step=step,
        integer=column.integer,
        bounds=column.bounds,
        notation=column.notation,
        graded=graded,
    )
