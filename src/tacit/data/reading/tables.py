"""Formats of tables by their names, tables written, and arrays of NPZ files as columns."""

import os
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source

from tacit.errors import InputError
from tacit.files.plain_text import spreadsheet_text

# What the name of a database begins with.
SCHEMES = ("sqlite", "duckdb", "postgresql")
Format = Literal["csv", "parquet", "arrow", "npz"]
FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
}


def is_database(table: str | os.PathLike[str]) -> bool:
    """Whether ``table`` names a database with a query."""
    return str(table).startswith(tuple(f"{scheme}:/" for scheme in SCHEMES))


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return how the file at ``path`` is laid out, by its suffix."""
    name = Path(path).name.lower()
    for suffix, layout in FORMATS.items():
        if name.endswith(suffix):
            return layout
    raise InputError(
        f"{Path(path).name}: a table's name must end in one of {', '.join(FORMATS)}. Convert or rename it."
    )


def is_npz(path: str | os.PathLike[str]) -> bool:
    """Whether the name at ``path`` is that of an NPZ file."""
    return Path(path).name.lower().endswith(".npz")


def write_table(table: pl.DataFrame, handle: BinaryIO, *, layout: Format) -> None:
    """Write ``table`` as CSV or Parquet to an open binary file; see `write_batches`."""
    write_batches([table], handle, layout=layout)


def write_batches(batches: Iterable[pl.DataFrame], handle: BinaryIO, *, layout: Format) -> None:
    """Write a table that comes in ``batches``, at least one, to an open binary file as CSV or Parquet.

    No more than a few batches are in memory. The caller puts the file in place when it is whole.

    In CSV, names and cells that a spreadsheet would run as a formula stand behind an apostrophe: they may come from a
    release of somebody else. Readers and schemas take them as they were.
    """
    if layout == "csv":
        for number, batch in enumerate(batches):
            _spreadsheet_table(batch).write_csv(handle, include_header=number == 0)
    elif layout == "parquet":
        _write_parquet(iter(batches), handle)
    else:
        raise InputError(f"layout must be 'csv' or 'parquet'; got {layout!r}. Name the output .csv or .parquet.")


def _write_parquet(batches: Iterator[pl.DataFrame], handle: BinaryIO) -> None:
    first = next(batches)

    def source(*_: object) -> Iterator[pl.DataFrame]:
        yield first
        for batch in batches:
            yield _with_types(batch, first)

    register_io_source(source, schema=first.schema).sink_parquet(handle)


def _with_types(batch: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Return ``batch`` with the types of the first one, which a Parquet file has throughout; no value may change."""
    common = pl.concat([first.clear(), batch.clear()], how="vertical_relaxed").schema
    unlike = next((name for name, kind in first.schema.items() if common[name] != kind), None)
    if unlike is not None:
        raise InputError(f"column {unlike!r} is of another type in later files. Name the output .csv.")
    return batch.cast(dict(first.schema))  # type: ignore[arg-type]  # names to types


def _spreadsheet_table(table: pl.DataFrame) -> pl.DataFrame:
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    quoted = table.with_columns(_spreadsheet_column(table[name]) for name in texts)
    return quoted.rename({name: spreadsheet_text(name) for name in table.columns})


def _spreadsheet_column(cells: pl.Series) -> pl.Series:
    # Few texts repeat over many rows: each one is looked at once.
    texts = cells.unique().drop_nulls().to_list()
    changed = {text: spreadsheet_text(text) for text in texts if spreadsheet_text(text) != text}
    return cells.replace(changed) if changed else cells


def read_arrays(path: str | os.PathLike[str], *, only: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of an NPZ file, or those called ``only``; never runs code that a file might carry."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files if only is None or name in only}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        raise InputError(
            f"{Path(path).name}: not a readable NPZ file of plain arrays. Write it with numpy.savez."
        ) from None


def image_shapes(path: str | os.PathLike[str]) -> dict[str, tuple[int, ...]]:
    """Return the picture shapes, [height, width] or [height, width, channels], of the arrays in an NPZ file."""
    if not is_npz(path):
        return {}
    return {name: array.shape[1:] for name, array in read_arrays(path).items() if array.ndim in {3, 4}}


def read_npz(file: Path, only: Collection[str] | None = None) -> pl.DataFrame:
    """Return the arrays of an NPZ file as columns: one each, or ``name0``, ``name1``, … of its flattened rows."""
    # An array that only names unwanted columns is skipped, so that train and test parts can share a file.
    parts = {name: array for name, array in read_arrays(file).items() if only is None or _named(name, only)}
    lengths = {name: array.shape[0] if array.ndim else None for name, array in parts.items()}
    if len(set(lengths.values())) != 1 or None in lengths.values():
        raise InputError(
            f"{file.name}: the arrays of one table must have the same number of rows; got {lengths or 'none'}. "
            'List the ones you want in the schema with extra_columns = "ignore", as `tacit schema draft --only` does.'
        )
    return pl.DataFrame([column for name, array in parts.items() for column in _array_columns(name, array, only)])


def _named(array: str, only: Collection[str]) -> bool:
    return array in only or f"{array}0" in only


def _array_columns(name: str, array: NDArray[np.generic], only: Collection[str] | None) -> Iterator[pl.Series]:
    if array.ndim == 1:
        yield pl.Series(name, array)
        return
    rows = array.reshape(len(array), -1)
    for position in range(rows.shape[1]):
        if only is None or name in only or f"{name}{position}" in only:
            yield pl.Series(f"{name}{position}", np.ascontiguousarray(rows[:, position]))
