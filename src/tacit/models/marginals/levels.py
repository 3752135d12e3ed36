"""The values of a column that tables tell apart: its categories, or numbers on a public grid, and a missing cell."""

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.data.columns import Categorical, Feature, Label, Numeric
from tacit.data.notations import Notation, write_number

# Integers are counted one by one up to so many; beyond, in steps of 10, 100, ...
MOST_INTEGERS = 20_000
# Other numbers are rounded to a power of ten that divides their bounds into at least so many steps.
LEAST_STEPS = 1000


@dataclass(frozen=True)
class Levels:
    """The levels of one column, coded 0, 1, ...; a missing cell is the last one where the schema keeps it.

    Attributes
    ----------
    name : str
    ordered : bool
        Whether levels are numbers in increasing order.
    count : int
        Levels without that of a missing cell.
    missing : bool
        Whether a missing cell is a level of its own.
    low, high, step : float
        Level k of a number stands for low + k step; of integers for all of them from there to the next level, at most
        ``high``.
    integer : bool
    names : tuple of str
        The categories.
    bounds : (float, float)
        Of the schema, between which encoded numbers run from 0 to 1.
    notation : Notation or None
        How cells write the numbers, where these are dates or codes.
    """

    name: str
    ordered: bool
    count: int
    missing: bool = False
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0
    integer: bool = False
    names: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    notation: Notation | None = None

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
        if self.integer:
            levels = np.floor_divide(np.round(numbers) - self.low, self.step)
        else:
            levels = np.round((numbers - self.low) / self.step)
        codes = np.clip(levels, 0, self.count - 1).astype(np.int64)
        return np.where(part[:, 1] > 0.5, self.count, codes) if self.missing else codes

    def values(self, places: Rows) -> FloatArray:
        """Return the numbers at ``places`` (level plus a fraction below 1); NaN for a missing cell."""
        if self.integer:
            numbers = self.low + np.floor(places * self.step)
        else:
            # Rounded as the grid is, so that 0.3 is written for 0.30000000000000004.
            numbers = np.round(self.low + np.floor(places) * self.step, self.decimals)
        return np.where(places >= self.count, np.nan, np.minimum(numbers, self.high))

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


def levels_of(column: Feature | Label) -> Levels:
    """Return the levels that the schema's public facts give to ``column``."""
    if isinstance(column, Label):
        return Levels(column.name, ordered=False, count=len(column.classes), names=column.classes)
    if isinstance(column, Categorical):
        return Levels(
            column.name, False, len(column.categories), missing=column.flagged, names=tuple(column.categories)
        )
    return _number_levels(column)


def _number_levels(column: Numeric) -> Levels:
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
    )
