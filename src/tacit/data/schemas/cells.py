"""Cells of one column read by its rule: numbers or category codes, and which are missing or wrong."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.data.schemas.columns import Categorical, Label, Numeric, canonical
from tacit.errors import SchemaError
from tacit.records import record

# Marks of cells outside the closed list, and of missing cells, while codes are looked up.
_UNKNOWN, _MISSING = -1, -2
# How truth values are written, in any case.
BOOLEANS = {"true": True, "false": False}


@record
class NumericCells:
    """Numbers of a column: NaN where the cell is missing or no finite number."""

    values: FloatArray
    missing: BoolArray
    malformed: BoolArray

    def outside(self, column: Numeric) -> BoolArray:
        """Return where a number lies outside the column's bounds."""
        return (self.values < column.low) | (self.values > column.high)


@record
class CategoryCells:
    """Codes of a column, of any integer type: −1 where the cell is missing or outside the closed list."""

    codes: NDArray[np.integer[Any]]
    missing: BoolArray
    unknown: BoolArray


def numeric_cells(series: pl.Series, column: Numeric, *, missing_values: Iterable[str] = ()) -> NumericCells:
    """Return the numbers of ``series``; NaN counts as missing, infinity as malformed."""
    blanks = {text.strip() for text in (*missing_values, *column.missing_values, "")}
    if column.notation is None and _is_full(series) and blanks == {""}:
        finite = series.cast(pl.Float64).to_numpy()
        if np.isfinite(finite).all():
            none = np.zeros(len(series), np.bool_)
            return NumericCells(finite, none, none)
    numbers, absent = _numbers(series, column, blanks)
    values = numbers.fill_null(np.nan).to_numpy(writable=True)
    unread = numbers.is_null().to_numpy() & ~absent
    missing = absent | (np.isnan(values) & ~unread)
    for code in [] if column.notation else _as_numbers(blanks):
        missing |= values == code
    malformed = (unread | np.isinf(values)) & ~missing
    values[missing | malformed] = np.nan
    return NumericCells(values, missing, malformed)


def category_cells(
    series: pl.Series, column: Categorical | Label, *, missing_values: Iterable[str] = ()
) -> CategoryCells:
    """Return the codes of ``series`` in the column's closed list."""
    codes = codes_of(column) | {canonical(text): _MISSING for text in (*missing_values, *column.missing_values, "")}
    texts = _texts(series, column.name)
    spellings = list(codes)
    places = texts.cast(_enum(tuple(spellings)), strict=False)
    # Few texts repeat over many rows: each spelling that is not the category itself is looked up once.
    others = texts.filter(places.is_null()).drop_nulls().unique().to_list() if places.null_count() else []
    if others:
        spellings += others
        places = texts.cast(pl.Enum(spellings), strict=False)
    marks = np.array([*codes.values(), *(_code(spelling, codes) for spelling in others), _MISSING])
    physical = places.to_physical()
    if not physical.null_count() and _are_codes(physical.to_numpy(), marks):
        none = np.zeros(len(series), np.bool_)
        return CategoryCells(physical.to_numpy(), none, none)
    codes_or_marks = marks[physical.cast(pl.Int64).fill_null(len(spellings)).to_numpy()]
    return CategoryCells(np.maximum(codes_or_marks, -1), codes_or_marks == _MISSING, codes_or_marks == _UNKNOWN)


def _are_codes(places: NDArray[Any], marks: IntArray) -> bool:
    """Whether the places of all cells among the spellings are their codes: nothing missing, unknown or merged."""
    most = int(places.max(initial=0))
    return bool(np.array_equal(marks[: most + 1], np.arange(most + 1)))


@lru_cache(maxsize=1024)
def _enum(spellings: tuple[str, ...]) -> pl.Enum:
    """Return the type of cells with these texts, made once for all batches of a column."""
    return pl.Enum(spellings)


def _code(spelling: str, codes: Mapping[str, int]) -> int:
    """Return the code of a spelling; a truth value may be written in any case, as programs differ in it."""
    text = canonical(spelling)
    if text not in codes and text.casefold() in BOOLEANS:
        text = next((listed for listed in codes if listed.casefold() == text.casefold()), text)
    return codes.get(text, _UNKNOWN)


def codes_of(column: Categorical | Label) -> dict[str, int]:
    """Return the code of each text that a cell may hold."""
    if isinstance(column, Categorical):
        return {text: code for code, text in enumerate(column.categories)}
    codes = {text: code for code, text in enumerate(column.classes)}
    return codes | {text: codes[name] for text, name in column.merge.items()}


def category_texts(series: pl.Series, missing_values: Iterable[str]) -> pl.Series:
    """Return the cells as categories are compared, null where missing."""
    texts = _texts(series, series.name).str.strip_chars().str.replace(r"^([+-]?[0-9]+)\.0+$", "${1}")
    blanks = [canonical(text) for text in (*missing_values, "")]
    return texts.set(texts.is_in(blanks).fill_null(value=True), None)


def _numbers(series: pl.Series, column: Numeric, blanks: Collection[str]) -> tuple[pl.Series, BoolArray]:
    """Return the cells as numbers, null where unreadable, and which of them are empty or mean "missing"."""
    if column.notation is not None:
        texts = _texts(series, column.name).str.strip_chars()
        absent = texts.is_null() | texts.is_in(list(blanks)).fill_null(value=True)
        return column.notation.numbers(series.fill_nan(None) if series.dtype.is_float() else series), absent.to_numpy()
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return series.cast(pl.Float64), series.is_null().to_numpy()
    texts = _texts(series, column.name)
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() > texts.null_count():
        # Blanks around a number are common in hand-made files and cost a second pass only where they are.
        texts = texts.str.strip_chars()
        numbers = texts.replace(_truth_values(texts)).cast(pl.Float64, strict=False)
    return numbers, (texts.is_null() | texts.is_in(list(blanks)).fill_null(value=True)).to_numpy()


def _truth_values(texts: pl.Series) -> dict[str, str]:
    """Return the numbers of truth values, which Parquet files hold as such and CSV files as words."""
    lower = texts.filter(texts.str.to_lowercase().is_in(list(BOOLEANS)).fill_null(value=False)).unique().to_list()
    return {word: str(int(BOOLEANS[word.lower()])) for word in lower}


def _is_full(series: pl.Series) -> bool:
    """Whether every cell is a number or a truth value as it is."""
    return not series.null_count() and (series.dtype.is_numeric() or series.dtype == pl.Boolean)


def _texts(series: pl.Series, name: str) -> pl.Series:
    if series.dtype.is_nested() or series.dtype == pl.Binary:
        raise SchemaError(
            f"column {name!r}: cells must be numbers or text; got {series.dtype}. Flatten it, or make it 'ignored'."
        )
    return (series.fill_nan(None) if series.dtype.is_float() else series).cast(pl.String)


def _as_numbers(texts: Collection[str]) -> list[float]:
    numbers = pl.Series(list(texts), dtype=pl.String).cast(pl.Float64, strict=False)
    return [number for number in numbers.drop_nulls().to_list() if not np.isnan(number)]
