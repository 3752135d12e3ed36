"""Tables from CSV, Parquet and NPZ files, and back; the only place that knows how files are laid out."""

import csv
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.files.plain_text import cell_text, spreadsheet_text

Format = Literal["csv", "parquet", "npz"]
FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".parquet": "parquet",
    ".npz": "npz",
}
SEPARATORS = ",;\t|"
_HEADER_BYTES = 1 << 20


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return how the file at ``path`` is laid out, by its suffix."""
    name = Path(path).name.lower()
    for suffix, layout in FORMATS.items():
        if name.endswith(suffix):
            return layout
    raise InputError(
        f"{Path(path).name}: a table's name must end in one of {', '.join(FORMATS)}. Convert or rename it."
    )


def read_table(
    path: str | os.PathLike[str],
    *,
    only: Collection[str] | None = None,
    separator: str | None = None,
    mended: bool = False,
) -> pl.DataFrame:
    """Return the table at ``path``; CSV cells stay text, so that a schema decides what they mean.

    Parameters
    ----------
    path : path
        A file named ``.csv``, ``.tsv`` (either may be gzipped), ``.parquet`` or ``.npz``. In an NPZ file each array is
        one column, or, with more than one axis, the columns ``name0``, ``name1``, … of its flattened rows.
    only : collection of str or None
        Read these columns and no others; one that the file lacks is left out. An NPZ array may be named whole.
    separator : str or None
        What separates CSV cells; found from the header when not given.
    mended : bool
        Whether to drop cells beyond the header's of a CSV line, and to read bytes that are no UTF-8 as a mark of their
        own, instead of refusing the file.
    """
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file}: is a folder; give the file inside it.")
    layout = format_of(file)
    if not file.is_file():
        raise InputError(f"{file}: no such file. Check the path.")
    if file.stat().st_size == 0:
        raise InputError(f"{file.name}: the file is empty; a table needs a header and rows.")
    if layout == "csv":
        table = _read_csv(file, only, separator, mended=mended)
    else:
        table = _read_parquet(file, only) if layout == "parquet" else _read_npz(file, only)
    if table.height == 0:
        raise InputError(f"{file.name}: the table has columns but no rows.")
    return table


def write_table(table: pl.DataFrame, handle: BinaryIO, *, layout: Format) -> None:
    """Write ``table`` as CSV or Parquet to an open binary file, which the caller puts in place when it is whole.

    In CSV, names and cells that a spreadsheet would run as a formula stand behind an apostrophe: they may come from a
    release of somebody else. `read_table` and schemas read them as they were.
    """
    if layout == "csv":
        texts = [name for name, kind in table.schema.items() if kind == pl.String]
        quoted = table.with_columns(_spreadsheet_column(table[name]) for name in texts)
        quoted.rename({name: spreadsheet_text(name) for name in table.columns}).write_csv(handle)
    elif layout == "parquet":
        table.write_parquet(handle)
    else:
        raise InputError(f"layout must be 'csv' or 'parquet'; got {layout!r}. Name the output .csv or .parquet.")


def _spreadsheet_column(cells: pl.Series) -> pl.Series:
    # Few texts repeat over many rows: each one is looked at once.
    texts = cells.unique().drop_nulls().to_list()
    changed = {text: spreadsheet_text(text) for text in texts if spreadsheet_text(text) != text}
    return cells.replace(changed) if changed else cells


def _read_csv(file: Path, only: Collection[str] | None, separator: str | None, *, mended: bool) -> pl.DataFrame:
    header, used = _read_header(file, separator, errors="replace" if mended else "strict")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputError(
            f"{file.name}: column {repeated[0]!r} appears more than once in the header; rename one of them."
        )
    try:
        table = pl.read_csv(
            file,
            separator=used,
            infer_schema=False,
            new_columns=header,
            columns=_positions(header, only),
            truncate_ragged_lines=mended,
            encoding="utf8-lossy" if mended else "utf8",
        )
    except (pl.exceptions.PolarsError, OSError):
        # The library's own message may quote cells: say where the trouble is, never what stands there.
        raise InputError(_csv_trouble(file, len(header), used)) from None
    # A blank line is read as a row of nothing.
    return table if table.width < 2 else table.filter(~pl.all_horizontal(pl.all().is_null()))


def _positions(header: list[str], only: Collection[str] | None) -> list[int] | None:
    return None if only is None else [position for position, name in enumerate(header) if name in only]


def _read_header(file: Path, separator: str | None, *, errors: str = "strict") -> tuple[list[str], str]:
    """Return the column names and the separator that splits them: the given one, or the one that gives most names."""
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise InputError(f"separator must be one character such as ',' or ';'; got {separator!r}.")
    start = _start_of(file, errors)
    headers = {candidate: _names(start, candidate) for candidate in (SEPARATORS if separator is None else separator)}
    used = max(headers, key=lambda candidate: len(headers[candidate]))
    if not any(headers[used]):
        raise InputError(f"{file.name}: the first line must name the columns; it is blank, or a quote is never closed.")
    return headers[used], used


def _names(start: str, separator: str) -> list[str]:
    try:
        header = next(csv.reader(io.StringIO(start, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        # Text after a closing quote: the names are separated by something else.
        return []
    return [cell_text(name.strip()) for name in header]


def _start_of(file: Path, errors: str) -> str:
    try:
        with _open(file) as stream:
            start = stream.read(_HEADER_BYTES)
        # A character that is cut in two at the end of the piece is no fault of the file.
        return start.decode("utf-8-sig", errors=errors if len(start) < _HEADER_BYTES else "ignore")
    except UnicodeDecodeError:
        raise InputError(_not_utf8(file)) from None
    except (OSError, EOFError):
        raise InputError(f"{file.name}: cannot be read as {'gzipped ' * _is_gzipped(file)}text.") from None


def _is_gzipped(file: Path) -> bool:
    return file.name.lower().endswith(".gz")


def _open(file: Path) -> BinaryIO | gzip.GzipFile:
    return gzip.open(file, "rb") if _is_gzipped(file) else file.open("rb")


def _not_utf8(file: Path) -> str:
    return f"{file.name}: is not UTF-8 text. Save it as UTF-8 (iconv -f latin1 -t utf-8 converts the commonest kind)."


def _csv_trouble(file: Path, n_columns: int, separator: str) -> str:
    """Return what is wrong with a CSV file that could not be read, and in which line."""
    try:
        with _open(file) as stream:
            lines = csv.reader(
                io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), delimiter=separator, strict=True
            )
            for cells in lines:
                if len(cells) > n_columns:
                    return (
                        f"{file.name}, line {lines.line_num}: {len(cells)} cells where the header has {n_columns}. "
                        f"Quote a cell that holds the separator {separator!r}."
                    )
    except UnicodeDecodeError:
        return _not_utf8(file)
    except csv.Error:
        return f"{file.name}: an opening quote is never closed, or a closing one is followed by text. Mend the quotes."
    except (OSError, EOFError):
        return f"{file.name}: the file is cut short or damaged. Copy it again."
    return f"{file.name}: not a CSV table with separator {separator!r}. Check the quotes, or name the separator."


def _read_parquet(file: Path, only: Collection[str] | None) -> pl.DataFrame:
    try:
        names = pl.read_parquet_schema(file)
        return pl.read_parquet(file, columns=None if only is None else [name for name in names if name in only])
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise InputError(f"{file.name}: not a readable Parquet file; it may be cut short. Write it again.") from None


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
    if format_of(path) != "npz":
        return {}
    return {name: array.shape[1:] for name, array in read_arrays(path).items() if array.ndim in {3, 4}}


def _read_npz(file: Path, only: Collection[str] | None) -> pl.DataFrame:
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
