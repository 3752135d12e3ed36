"""Conditions on cells (``age = 60-70``) and constraints between columns (``pregnant = yes implies sex = female``)."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.data.schemas.columns import Categorical, Column, Label, Numeric, canonical
from tacit.data.schemas.notations import read_number
from tacit.errors import InputError, SchemaError

IMPLIES = " implies "
MISSING = "missing"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"^({_NUMBER})\s*(?:-|to)\s*({_NUMBER})$")
_OPERATOR = re.compile(r"^\s*(<=|>=|<|>|=)\s*(.+?)\s*$")

# Gives the numbers of a column by its name, or the codes of its categories; NaN where a cell is missing.
ColumnValues = Callable[[str], FloatArray]


@dataclass(frozen=True)
class Condition:
    """What a cell of one column must hold."""

    column: str
    low: float = -math.inf
    high: float = math.inf
    """Bounds of a number, both included."""
    codes: tuple[int, ...] | None = None
    """Codes of the allowed categories or classes; None for a number."""
    missing: bool = False
    """Whether the cell must be missing."""

    def holds(self, values: FloatArray) -> BoolArray:
        """Return where values [N] of the column meet the condition; a missing cell meets none but "missing"."""
        if self.missing:
            return np.isnan(values)
        if self.codes is not None:
            return np.isin(values, self.codes)
        met: BoolArray = (values >= self.low) & (values <= self.high)
        return met


@dataclass(frozen=True)
class Implication:
    """Rows that meet ``given`` also meet ``then``; a missing cell contradicts nothing."""

    given: Condition
    then: Condition

    @property
    def columns(self) -> tuple[str, str]:
        """The columns that it is about."""
        return self.given.column, self.then.column

    def holds(self, values: ColumnValues) -> BoolArray:
        """Return which rows keep it."""
        then = values(self.then.column)
        kept: BoolArray = ~self.given.holds(values(self.given.column)) | self.then.holds(then)
        return kept if self.then.missing else kept | np.isnan(then)


@dataclass(frozen=True)
class ColumnOrder:
    """The number in column ``low`` is never above that in ``high``; a missing cell contradicts nothing."""

    low: str
    high: str

    @property
    def columns(self) -> tuple[str, str]:
        """The columns that it is about."""
        return self.low, self.high

    def holds(self, values: ColumnValues) -> BoolArray:
        """Return which rows keep it."""
        kept: BoolArray = ~(values(self.low) > values(self.high))
        return kept


Constraint = Implication | ColumnOrder


def parse_condition(text: str, columns: Sequence[Column]) -> Condition:
    """Return the condition in ``text``: ``age = 60-70``, ``age >= 18``, ``sex = female``, ``dose = missing``.

    Several categories are separated by ``|``.
    """
    column, rest = _column_at_start(text, columns)
    match = _OPERATOR.match(rest)
    if match is None:
        raise InputError(f"a condition must read COLUMN = VALUE, such as age = 60-70 or sex = female; got {text!r}.")
    operator, value = match.groups()
    if operator == "=" and value == MISSING and _may_be_missing(column):
        return Condition(column.name, missing=True)
    if isinstance(column, Numeric):
        return _number_condition(column, operator, value, text)
    if operator != "=":
        raise InputError(f"a category is compared by = alone; got {text!r}.")
    return Condition(column.name, codes=_codes(column, value))


def parse_constraint(text: str, columns: Sequence[Column]) -> Constraint:
    """Return the constraint in ``text``: ``CONDITION implies CONDITION``, or ``COLUMN <= COLUMN`` for two numbers."""
    try:
        if IMPLIES in text:
            premise, then = text.split(IMPLIES, 1)
            return Implication(parse_condition(premise, columns), parse_condition(then, columns))
        low, rest = _column_at_start(text, columns)
        match = re.match(r"^\s*<=\s*(.+?)\s*$", rest)
        high = None if match is None else next((each for each in columns if each.name == match.group(1)), None)
    except InputError as problem:
        raise SchemaError(f"constraints: {problem}") from None
    if not isinstance(low, Numeric) or not isinstance(high, Numeric) or low.unit != high.unit:
        raise SchemaError(
            "constraints: each must read CONDITION implies CONDITION, such as 'pregnant = yes implies sex = female', "
            f"or NUMBER <= NUMBER for two numeric columns, or two of dates with one step; got {text!r}."
        )
    return ColumnOrder(low.name, high.name)


def _column_at_start(text: str, columns: Sequence[Column]) -> tuple[Numeric | Categorical | Label, str]:
    """Return the column whose name ``text`` begins with, the longest of several, and what follows."""
    stripped = text.strip()
    named_columns = [column for column in columns if isinstance(column, Numeric | Categorical | Label)]
    for column in sorted(named_columns, key=lambda each: -len(each.name)):
        if stripped.startswith(column.name):
            return column, stripped[len(column.name) :]
    names = ", ".join(column.name for column in named_columns[:12])
    raise InputError(f"a condition must begin with the name of a column ({names}); got {text!r}.")


def _may_be_missing(column: Numeric | Categorical | Label) -> bool:
    return not isinstance(column, Label) and column.flagged


def _number_condition(column: Numeric, operator: str, value: str, text: str) -> Condition:
    ends = _range_ends(column, value) if operator == "=" else None
    if ends is not None:
        return Condition(column.name, _number(column, ends[0], text), _number(column, ends[1], text))
    number = _number(column, value, text)
    limits = {
        "=": (number, number),
        "<=": (-math.inf, number),
        ">=": (number, math.inf),
        "<": (-math.inf, math.nextafter(number, -math.inf)),
        ">": (math.nextafter(number, math.inf), math.inf),
    }
    return Condition(column.name, *limits[operator])


def _range_ends(column: Numeric, value: str) -> tuple[str, str] | None:
    """Return the two ends of ``60-70`` or ``60 to 70``; dates and codes, which hold hyphens, need "to"."""
    between = _RANGE.match(value) if column.notation is None else re.match(r"^(.+?)\s+to\s+(.+)$", value)
    return None if between is None else (between.group(1), between.group(2))


def _number(column: Numeric, value: str, text: str) -> float:
    if column.notation is None:
        if re.fullmatch(_NUMBER, value) is None:
            raise InputError(f"column {column.name!r} holds numbers; got {text!r}. Write 65, 60-70 or >= 18.")
        return float(value)
    number = read_number(column.notation, value)
    if number is None:
        low, high = map(column.shown, column.bounds)
        raise InputError(f"column {column.name!r} holds texts like {low}; got {text!r}. Write {low} to {high}.")
    return number


def _codes(column: Categorical | Label, value: str) -> tuple[int, ...]:
    names = column.categories if isinstance(column, Categorical) else column.classes
    wanted = [value] if canonical(value) in names else value.split("|")
    codes = [names.index(canonical(each)) if canonical(each) in names else -1 for each in wanted]
    if min(codes) < 0:
        raise InputError(f"column {column.name!r} holds {', '.join(names[:12])}; got {value!r}.")
    return tuple(codes)
