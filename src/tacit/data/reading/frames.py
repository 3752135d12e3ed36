"""Data frames of any library (pandas, polars, pyarrow and others that narwhals knows) as polars frames.

Owners name files: narwhals is loaded when the first frame of another library comes.
"""

import math
import os
from typing import Any

import polars as pl

from tacit.errors import InputError


def is_frame(table: Any) -> bool:
    """Return whether ``table`` is a data frame that is in memory, of whatever library."""
    return isinstance(table, pl.DataFrame) or isinstance(_wrapped(table), _narwhals().DataFrame)


def polars_frame(table: Any, *, name: str = "table") -> pl.DataFrame:
    """Return the data frame ``table`` as a polars frame: same columns, same rows; missing cells are null.

    Anything but a data frame is refused; ``name`` is what the message calls it.
    """
    if isinstance(table, pl.DataFrame):
        return table
    frame = _wrapped(table)
    if not isinstance(frame, _narwhals().DataFrame):
        raise InputError(f"{name} must be a data frame (polars, pandas, pyarrow); got a {type(table).__name__}.")
    names = [str(column) for column in frame.columns]
    if len(set(names)) < len(names):
        raise InputError(f"{name} must have a different name for each column; got some twice.")
    return pl.DataFrame([_column(series, called) for series, called in zip(frame.iter_columns(), names, strict=True)])


def as_frame(table: Any) -> pl.DataFrame:
    """Return a private table that is in memory, of polars, pandas or pyarrow, as a polars frame."""
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    try:
        frame = _narwhals().from_native(table, eager_only=True)
    except TypeError:
        raise InputError(
            f"table must be a path, a database query or a data frame (polars, pandas, pyarrow); got {type(table)}."
        ) from None
    if frame.implementation.is_pyarrow():
        return pl.DataFrame(frame.to_native())
    return pl.DataFrame([_cells(str(name), frame[name]) for name in frame.columns])


def in_library_of(table: Any, frame: pl.DataFrame) -> Any:
    """Return ``frame`` in the library of the data frame ``table``, with its index; as it is for anything else."""
    if isinstance(table, str | os.PathLike | pl.DataFrame):
        return frame
    nw, model = _narwhals(), _wrapped(table)
    if not isinstance(model, nw.DataFrame):
        return frame
    columns = {name: frame[name].to_list() for name in frame.columns}
    native = nw.from_dict(columns, backend=nw.get_native_namespace(model)).to_native()
    index = nw.maybe_get_index(model)
    if index is not None:
        native.index = index
    return native


def _wrapped(table: Any) -> Any:
    try:
        return _narwhals().from_native(table, eager_only=True, pass_through=True)
    except ValueError:
        kind = f"{type(table).__module__.partition('.')[0]} {type(table).__name__}"
        raise InputError(f"the columns of a {kind} must have names that differ; got one twice.") from None


def _narwhals() -> Any:
    import narwhals.stable.v2 as nw  # noqa: PLC0415 - slow to load, and for frames of other libraries alone

    return nw


def _column(series: Any, name: str) -> pl.Series:
    nw = _narwhals()
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        if series.null_count() == 0:
            return pl.Series(name, series.to_numpy())
        return pl.Series(name, [None if is_missing_cell(cell) else cell for cell in series.to_list()])
    if series.dtype in {nw.Categorical, nw.Enum}:
        series = series.cast(nw.String)
    cells = [None if is_missing_cell(cell) else cell for cell in series.to_list()]
    if series.dtype.is_temporal():
        return pl.Series(name, cells)
    if series.dtype.is_nested() or series.dtype == nw.Binary:
        return pl.Series(name, cells, strict=False)
    # A column of objects may mix numbers and texts: each cell is read as it is written.
    return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _cells(name: str, column: Any) -> pl.Series:
    """Return a column of another library; texts and mixed cells go through Python objects, without that of Arrow."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return pl.Series(name, values)
    cells = [None if cell is None or cell != cell else cell for cell in column.to_list()]  # noqa: PLR0124 - NaN, NaT
    return pl.Series(name, cells, strict=False)


def is_missing_cell(cell: Any) -> bool:
    """Return whether ``cell`` is None, NaN, or what pandas calls NA or NaT."""
    return (
        cell is None or type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float) and math.isnan(cell))
    )
