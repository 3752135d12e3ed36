"""Data frames of any library (pandas, polars, pyarrow and others that narwhals knows) as polars frames."""

import math
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from tacit.errors import InputError


def is_frame(table: Any) -> bool:
    """Return whether ``table`` is a data frame that is in memory, of whatever library."""
    return isinstance(_wrapped(table), nw.DataFrame)


def polars_frame(table: Any, *, name: str = "table") -> pl.DataFrame:
    """Return the data frame ``table`` as a polars frame: same columns, same rows; missing cells are null.

    Anything but a data frame is refused; ``name`` is what the message calls it.
    """
    if isinstance(table, pl.DataFrame):
        return table
    frame = _wrapped(table)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(f"{name} must be a data frame (polars, pandas, pyarrow); got a {type(table).__name__}.")
    names = [str(column) for column in frame.columns]
    if len(set(names)) < len(names):
        raise InputError(f"{name} must have a different name for each column; got some twice.")
    return pl.DataFrame([_column(series, called) for series, called in zip(frame.iter_columns(), names, strict=True)])


def in_library_of(table: Any, frame: pl.DataFrame) -> Any:
    """Return ``frame`` in the library of the data frame ``table``, with its index; as it is for anything else."""
    model = _wrapped(table)
    if not isinstance(model, nw.DataFrame) or isinstance(table, pl.DataFrame):
        return frame
    columns = {name: frame[name].to_list() for name in frame.columns}
    native = nw.from_dict(columns, backend=nw.get_native_namespace(model)).to_native()
    index = nw.maybe_get_index(model)
    if index is not None:
        native.index = index
    return native


def _wrapped(table: Any) -> Any:
    try:
        return nw.from_native(table, eager_only=True, pass_through=True)
    except ValueError:
        kind = f"{type(table).__module__.partition('.')[0]} {type(table).__name__}"
        raise InputError(f"the columns of a {kind} must have names that differ; got one twice.") from None


def _column(series: Any, name: str) -> pl.Series:
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


def is_missing_cell(cell: Any) -> bool:
    """Return whether ``cell`` is None, NaN, or what pandas calls NA or NaT."""
    return (
        cell is None or type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float) and math.isnan(cell))
    )
