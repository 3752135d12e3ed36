"""Tables as matrices in [0, 1] by the rules of a schema, and back to names."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tacit import checks
from tacit.arrays import UNLABELLED, BoolArray, FloatArray, IntArray
from tacit.data.reading.frames import polars_frame
from tacit.data.reading.table_source import TableSource, open_table
from tacit.data.rows.encoded_columns import ColumnPart, EncodedColumns, OutcomeRows
from tacit.data.schemas.cells import category_cells, category_texts, numeric_cells
from tacit.data.schemas.columns import Categorical, Feature, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

CodeArray = NDArray[np.integer[Any]]
# "column": the label's column must be there, whatever it holds; "required": with at least two classes.
LabelPresence = Literal["required", "column", "optional"]


@dataclass(frozen=True)
class Place:
    """What errors call the rows at hand, and how many rows stand before them there."""

    source: str = "table"
    first_row: int = 0


@dataclass(frozen=True)
class Encoded(OutcomeRows):
    """A table as numbers."""

    X: NDArray[np.floating[Any]]
    """[rows, encoded columns]: in [0, 1]: numbers by their bounds, categories one-hot."""
    y: IntArray
    """[rows]: class codes; −1 where the label is missing."""
    names: tuple[str, ...]
    """Names of the encoded columns."""
    classes: tuple[str, ...]
    """Names of the class codes."""
    persons: NDArray[np.str_] | None = None
    """[rows] or None: whose row each is, as text ("" where that is missing); None where the schema names no such
    column, or the table lacks it."""
    targets: FloatArray | None = None
    """[rows] or None: numbers to predict, within their public bounds, NaN where unknown; None where the schema has
    classes instead."""

    def where(self, kept: BoolArray) -> "Encoded":
        """Return the rows for which the mask ``kept`` [rows] is true."""
        persons = None if self.persons is None else self.persons[kept]
        targets = None if self.targets is None else self.targets[kept]
        return replace(self, X=self.X[kept], y=self.y[kept], persons=persons, targets=targets)


def columns_to_read(schema: Schema) -> set[str] | None:
    """Return the columns to read from a file; None for all, so that a column the schema does not list is noticed."""
    return {column.name for column in schema.columns} if schema.extra_columns == "ignore" else None


def read_file(path: str | os.PathLike[str], schema: Schema) -> pl.DataFrame:
    """Return the columns of the table at ``path`` that ``schema`` needs.

    Where the schema has a rule for every cell, lines with too many cells and bytes that are no text stop nothing.
    """
    return open_for(path, schema).read(columns_to_read(schema))


def open_for(table: Any, schema: Schema) -> TableSource:
    """Return ``table`` as a source of batches, its CSV files read as ``schema`` says."""
    return open_table(table, dialect=schema.csv, mended=not schema.refusing_columns)


def encode_file(
    path: str | os.PathLike[str], schema: Schema, *, labels: LabelPresence = "optional", dtype: DTypeLike = np.float64
) -> Encoded:
    """Return the table at ``path`` as numbers; see `encode`."""
    return encode(read_file(path, schema), schema, labels=labels, dtype=dtype, source=Path(path).name)


def encode(
    table: Any,
    schema: Schema,
    *,
    labels: LabelPresence = "optional",
    dtype: DTypeLike = np.float64,
    source: str = "table",
) -> Encoded:
    """Return ``table`` as numbers in [0, 1].

    A number x becomes (x − low) / (high − low) after clipping to the schema's public bounds, so that no row can reach
    further than the schema says. Errors name columns and rows, never what stands in them.

    Parameters
    ----------
    table : DataFrame
        Of polars, pandas, pyarrow or another library that narwhals knows.
    schema : Schema
        The rules.
    labels : "optional", "column" or "required"
        Whether the label column may be absent (every row is then unlabelled), must be there, or must be there with two
        classes: a private release must not depend on whether it has.
    dtype : dtype
        Of the matrix: float64 or float32.
    source : str
        What error messages call the table.
    """
    precision = checks.one_of("dtype", np.dtype(dtype).name, ("float64", "float32"))
    columns = encode_columns(polars_frame(table, name=source), schema, labels=labels, place=Place(source))
    if labels == "required" and columns.targets is None:
        _check_classes(columns.y, schema, source)
    X = columns.matrix(precision)
    return Encoded(X, columns.y, schema.encoded_names, schema.classes, columns.persons, columns.targets)


def encode_source(source: TableSource, schema: Schema, *, labels: LabelPresence = "optional") -> Encoded:
    """Return a table as `encode` does, its cells read batch by batch: memory holds the matrix and little else.

    The batches wait column by column, which takes a fraction of the matrix, until the number of rows is known.
    """
    batches = [
        encode_columns(batch.frame, schema, labels=labels, place=Place(batch.source, batch.first_row))
        for batch in source.batches(columns_to_read(schema))
    ]
    y = np.concatenate([batch.y for batch in batches])
    persons = _joined([batch.persons for batch in batches], [np.full(len(batch), "") for batch in batches])
    targets = _joined([batch.targets for batch in batches], [np.full(len(batch), np.nan) for batch in batches])
    if labels == "required" and targets is None:
        _check_classes(y, schema, source.name)
    X, end = np.zeros((len(y), len(schema.encoded_names))), len(y)
    while batches:  # what is in the matrix is given free
        rows = batches.pop()
        rows.fill(X[end - len(rows) : end])
        end -= len(rows)
    return Encoded(X, y, schema.encoded_names, schema.classes, persons, targets)


def _joined(parts: list[NDArray[Any] | None], blanks: list[NDArray[Any]]) -> NDArray[Any] | None:
    """Return the parts one after the other, blanks in place of those that are None; None if all are."""
    if all(part is None for part in parts):
        return None
    return np.concatenate([blank if part is None else part for part, blank in zip(parts, blanks, strict=True)])


def encode_columns(
    table: pl.DataFrame, schema: Schema, *, labels: LabelPresence = "optional", place: Place
) -> EncodedColumns:
    """Return ``table`` column by column: numbers in [0, 1] and positions of ones, which `encode` spreads out.

    ``place`` says what errors call the table and how many of its rows stand before these.
    """
    check_columns(table, schema, labels=labels, source=place.source)
    return EncodedColumns(
        tuple(_encode_feature(table[column.name], column, schema, place) for column in schema.features),
        len(schema.encoded_names),
        _encode_label(table, schema, place),
        _persons(table, schema),
        _encode_target(table, schema, place),
    )


def decode(X: ArrayLike, schema: Schema, *, y: ArrayLike | None = None) -> pl.DataFrame:
    """Return the table of names and values that ``X`` encodes: nearest category, numbers within their bounds."""
    matrix = checks.finite_array("X", X)
    if matrix.ndim != 2 or matrix.shape[1] != len(schema.encoded_names):
        raise InputError(
            f"X must have {len(schema.encoded_names)} columns, as the schema encodes to; got shape {matrix.shape}."
        )
    columns = []
    for column in schema.features:
        positions = schema.positions[column.name]
        columns.append(_decode_feature(matrix[:, positions.start : positions.stop], column))
    if y is not None:
        columns.append(decode_labels(y, schema))
    return pl.DataFrame(columns)


def decode_labels(y: ArrayLike, schema: Schema) -> pl.Series:
    """Return class codes as a column of names; −1 becomes an empty cell."""
    if schema.label is None:
        raise SchemaError('the schema has no label column to decode y with; declare one with kind = "label".')
    codes = np.asarray(y)
    if codes.dtype.kind not in "iu" or codes.ndim != 1 or not np.isin(codes, range(-1, len(schema.classes))).all():
        raise InputError(f"y must hold class codes from -1 to {len(schema.classes) - 1}; got something else.")
    return _name_codes(schema.label.name, codes.astype(np.int64), schema.classes)


def check_columns(table: pl.DataFrame, schema: Schema, *, labels: LabelPresence, source: str) -> None:
    """Refuse a table that lacks a column of the schema, or has one that the schema does not list."""
    present = set(table.columns)
    needed = [column.name for column in schema.features]
    if labels != "optional":
        outcome = schema.label or schema.target
        if outcome is None:
            raise SchemaError('the schema declares no label; give one column kind = "label", or "target" if a number.')
        needed.append(outcome.name)
    lacking = [name for name in needed if name not in present]
    if lacking:
        way_out = "Add it, or take it out of the schema."
        if any(name.strip() in present for name in lacking):
            way_out = "Names are read from files without outer blanks: leave these out of the schema."
        raise SchemaError(f"{source}: the table lacks {_some(lacking)} of the schema. {way_out}")
    listed = {column.name for column in schema.columns}
    extra = [name for name in table.columns if name not in listed]
    if extra and schema.extra_columns == "error":
        raise SchemaError(
            f'{source}: the table has {_some(extra)} that the schema does not list. Give each one kind = "ignored", '
            'or set extra_columns = "ignore" at the top of the schema.'
        )


def _encode_feature(series: pl.Series, column: Feature, schema: Schema, place: Place) -> ColumnPart:
    start = schema.positions[column.name].start
    if isinstance(column, Categorical):
        codes = _encode_categorical(series, column, schema, place)
        return ColumnPart((), codes, start, len(column.encoded_names))
    values, missing = _encode_numeric(series, column, schema, place)
    return ColumnPart(((start, values), (start + 1, missing)) if column.flagged else ((start, values),))


def _encode_numeric(series: pl.Series, column: Numeric, schema: Schema, place: Place) -> tuple[FloatArray, BoolArray]:
    cells = numeric_cells(series, column, missing_values=schema.missing_values)
    fault = _Fault(place, column.name)
    if column.malformed == "error":
        fault.refuse(cells.malformed, *_malformed(column))
    missing = cells.missing | cells.malformed
    if column.missing == "error":
        fault.refuse(missing, "is missing", 'Set missing to "middle", "flag" or a number in the schema')
    # Clipped first, so that nothing overflows; rounding keeps the order, so the quotient stays in [0, 1].
    values = np.clip(cells.values, column.low, column.high)
    if missing.any():
        values[missing] = column.filler
    values -= column.low
    values /= column.high - column.low
    return values, missing


def _malformed(column: Numeric) -> tuple[str, str]:
    """Return what is wrong with a cell that cannot be read, and the way out."""
    if column.notation is None:
        return "is no finite number", "Write numbers like 3.5, or list the text in missing_values"
    example = column.shown(column.low)
    return f"is no {column.kind} as the schema says", f"Write it like {example}, or list the text in missing_values"


def _encode_categorical(series: pl.Series, column: Categorical, schema: Schema, place: Place) -> CodeArray:
    cells = category_cells(series, column, missing_values=schema.missing_values)
    fault = _Fault(place, column.name)
    if column.unknown == "error":
        fault.refuse(cells.unknown, "is outside the closed list", 'Add the category, or set unknown = "missing"')
    missing = cells.missing | cells.unknown
    if column.missing == "error":
        fault.refuse(missing, "is missing", 'Set missing to "category" or to one of the categories')
    if not missing.any():
        return cells.codes
    filler = len(column.categories) if column.flagged else _filler_code(column)
    return np.where(missing, filler, cells.codes)


def _filler_code(column: Categorical) -> int:
    return column.categories.index(column.missing) if column.missing in column.categories else 0


def _encode_label(table: pl.DataFrame, schema: Schema, place: Place) -> IntArray:
    label = schema.label
    if label is None or label.name not in table.columns:
        return np.full(table.height, UNLABELLED, dtype=np.int64)
    cells = category_cells(table[label.name], label, missing_values=schema.missing_values)
    if label.unknown == "error":
        fault = _Fault(place, label.name)
        fault.refuse(cells.unknown, "is no class of the schema", 'Add the class, or set unknown = "missing"')
    return cells.codes.astype(np.int64)


def _encode_target(table: pl.DataFrame, schema: Schema, place: Place) -> FloatArray | None:
    if schema.target is None:
        return None
    if schema.target.name not in table.columns:
        return np.full(table.height, np.nan)
    column = schema.target.as_number
    cells = numeric_cells(table[column.name], column, missing_values=schema.missing_values)
    fault = _Fault(place, column.name)
    fault.refuse(cells.malformed, *_malformed(column))
    return np.where(cells.missing, np.nan, np.clip(cells.values, column.low, column.high))


def _persons(table: pl.DataFrame, schema: Schema) -> NDArray[np.str_] | None:
    if schema.person is None or schema.person.name not in table.columns:
        return None
    texts = category_texts(table[schema.person.name], schema.missing_values).fill_null("")
    return np.array(texts.to_list(), dtype=np.str_)


def _check_classes(y: IntArray, schema: Schema, source: str) -> None:
    n_classes = len(np.unique(y[y != UNLABELLED]))
    if n_classes < 2:
        raise SchemaError(
            f"{source}: the label column must hold at least two classes; got {n_classes}. "
            f"Learning to tell {_some(list(schema.classes))} apart needs examples of each."
        )


@dataclass(frozen=True)
class _Fault:
    """Where a cell is wrong, said without showing what stands in it."""

    place: Place
    column: str

    def refuse(self, wrong: BoolArray, what: str, way_out: str) -> None:
        rows = np.flatnonzero(wrong)
        if len(rows) == 0:
            return
        others = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        raise SchemaError(
            f"{self.place.source}: column {self.column!r}, row {self.place.first_row + rows[0] + 1:d}{others} "
            "(the header is not counted): "
            f"the cell {what}. {way_out}."
        )


def _decode_feature(part: FloatArray, column: Feature) -> pl.Series:
    if isinstance(column, Categorical):
        codes = np.argmax(part, axis=1)
        return _name_codes(column.name, np.where(codes == len(column.categories), -1, codes), column.categories)
    values = np.clip(column.low + part[:, 0] * (column.high - column.low), column.low, column.high)
    if column.integer:
        # Rounding may step over a fractional bound: stay inside.
        values = np.clip(np.round(values), np.ceil(column.low), np.floor(column.high))
    series = number_cells(values, column)
    return series.set(pl.Series(part[:, 1] > 0.5), None) if column.flagged else series


def number_cells(values: FloatArray, column: Numeric) -> pl.Series:
    """Return numbers of a column as its cells write them; NaN becomes an empty cell."""
    if column.notation is not None:
        return column.notation.cells(values).alias(column.name)
    numbers = pl.Series(column.name, values).fill_nan(None)
    return numbers.cast(pl.Int64) if column.integer else numbers


def _name_codes(name: str, codes: IntArray, names: tuple[str, ...]) -> pl.Series:
    texts = pl.Series([*names, None], dtype=pl.String)
    return texts.gather(np.where(codes < 0, len(names), codes)).alias(name)


def _some(names: list[str]) -> str:
    listed = ", ".join(repr(name) for name in names[:5])
    return listed if len(names) <= 5 else f"{listed} and {len(names) - 5} more"
