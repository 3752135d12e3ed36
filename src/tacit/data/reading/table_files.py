"""Files that hold a table or a part of one: which they are, and how each is read."""

import glob
import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import polars as pl

from tacit.data.reading.csv_dialect import UNKNOWN, CsvDialect
from tacit.data.reading.csv_files import CsvFile
from tacit.data.reading.parquet_groups import group_end, rows_of_group
from tacit.data.reading.tables import FORMATS, Format, format_of, read_npz
from tacit.errors import InputError
from tacit.records import record

# The first bytes of files that are no text, for what comes without a name.
_MAGIC: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "arrow"}
# Rows read at once where any range is found at once: about a row group, as most writers make them.
READ_ROWS = 1 << 17
# Formats in which any range of rows is found at once.
_BY_ROWS = ("parquet", "arrow")
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


@record
class FilePart:
    """A file of a table, or some of its rows."""

    content: Path | bytes
    """path or bytes"""
    name: str
    """What errors call it."""
    layout: Format
    dialect: CsvDialect = UNKNOWN
    mended: bool = False
    """As in `CsvFile`."""
    folders: tuple[tuple[str, str], ...] = ()
    """Names and values: columns that the names of its folders give to all rows."""
    first_row: int = 0
    n_rows: int | None = None
    """Which rows; ``n_rows`` None for all that follow."""

    @cached_property
    def csv(self) -> CsvFile:
        """The file as CSV."""
        return CsvFile(self.content, self.name, self.dialect, self.mended)

    @property
    def note(self) -> str:
        """What was found about how a CSV file is written; "" if nothing is unusual."""
        return self.csv.dialect.words if self.layout == "csv" else ""

    def batches(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        """Yield the rows in order, at most ``size`` at a time."""
        try:
            yield from self._slices(only, size) if self.layout in _BY_ROWS else self._stream(only, size)
        except _UNREADABLE:
            # The library's own message may quote cells: say where the trouble is, never what stands there.
            raise InputError(self._trouble()) from None

    def _slices(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        """Yield ranges of rows, each read when it is asked for: nothing is read ahead.

        They end where row groups end: of a group that two ranges share, much is decoded twice.
        """
        table = self._whole(only)
        start, rows = self.first_row, self._height() if self.n_rows is None else self.n_rows
        end = start + rows
        while start < end:
            stop = min(group_end(start, self._group, max(size, READ_ROWS)), end)
            frame = table.slice(start, stop - start).collect()
            if not frame.height:
                return
            yield from frame.iter_slices(size)
            start += frame.height

    @cached_property
    def _group(self) -> int | None:
        return rows_of_group(self.content) if self.layout == "parquet" else None

    def _stream(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        if self.layout == "npz":
            return self.scan(only).collect().iter_slices(size)
        return iter(self.scan(only).collect_batches(chunk_size=size, maintain_order=True))

    def _height(self) -> int:
        return int(self._scanned(None).select(pl.len()).collect().item())

    def scan(self, only: Collection[str] | None = None) -> pl.LazyFrame:
        """Return the columns called ``only`` as a lazy table."""
        table = self._whole(only)
        return table if not self.first_row and self.n_rows is None else table.slice(self.first_row, self.n_rows)

    def _whole(self, only: Collection[str] | None) -> pl.LazyFrame:
        table = self._scanned(only)
        folder_columns = [(name, value) for name, value in self.folders if only is None or name in only]
        return table.with_columns([pl.lit(value).alias(name) for name, value in folder_columns])

    def split(self, pieces: int) -> tuple["FilePart", ...]:
        """Return about ``pieces`` ranges of rows that cover the file, where reading a range is cheap.

        What came through standard input stays whole: each part would take all of it along to its worker.
        """
        if pieces < 2 or self.layout not in _BY_ROWS or isinstance(self.content, bytes):
            return (self,)
        try:
            height = self._height()
        except _UNREADABLE:
            raise InputError(self._trouble()) from None
        each = max(1, -(-height // pieces))
        if self._group and self._group < height and 2 * each >= self._group:
            # Whole groups: of one that two ranges share, much is decoded twice.
            each = max(1, each // self._group) * self._group
        return tuple(replace(self, first_row=start, n_rows=each) for start in range(0, max(height, 1), each))

    def _scanned(self, only: Collection[str] | None) -> pl.LazyFrame:
        if self.layout == "csv":
            return self.csv.scan(only)
        if self.layout == "npz":
            return read_npz(self.content, only).lazy()  # type: ignore[arg-type]  # never from standard input
        try:
            table = pl.scan_parquet(self.content) if self.layout == "parquet" else pl.scan_ipc(self.content)
            return table.select([name for name in table.collect_schema().names() if only is None or name in only])
        except _UNREADABLE:
            raise InputError(self._trouble()) from None

    def _trouble(self) -> str:
        if self.layout == "csv":
            return self.csv.trouble()
        kind = {"parquet": "Parquet", "arrow": "Arrow", "npz": "NPZ"}[self.layout]
        return f"{self.name}: not a readable {kind} file; it may be cut short. Write it again."


def file_parts(path: Path, dialect: CsvDialect, *, mended: bool = False) -> Iterator[FilePart]:
    """Yield the files of a table: one, those of a folder, or those that a pattern with ``*`` matches, by name."""
    if path.is_dir():
        files, base = [file for file in sorted(path.rglob("*")) if file.is_file() and _is_table(file)], path
        if not files:
            raise InputError(f"{path}: the folder holds no table; files must end in one of {', '.join(FORMATS)}.")
    elif glob.has_magic(str(path)) and not path.exists():
        base = _fixed_part(path)
        files = sorted(file for file in base.glob(os.fspath(path.relative_to(base))) if file.is_file())
        if not files:
            raise InputError(f"{path}: no file matches. Quote the pattern, and check its folder.")
    else:
        files, base = [path], path.parent
    for file in files:
        yield _file_part(file, base, dialect, mended=mended)


def stream_part(content: bytes, dialect: CsvDialect, *, mended: bool = False) -> FilePart:
    """Return what came through standard input: Parquet or Arrow by its first bytes, else CSV."""
    layout: Format = next((layout for magic, layout in _MAGIC.items() if content.startswith(magic)), "csv")
    if not content:
        raise InputError("standard input: is empty; a table needs a header and rows.")
    return FilePart(content, "standard input", layout, dialect, mended)


def _file_part(file: Path, base: Path, dialect: CsvDialect, *, mended: bool) -> FilePart:
    layout = format_of(file)
    if not file.is_file():
        raise InputError(f"{file}: no such file. Check the path.")
    if file.stat().st_size == 0:
        raise InputError(f"{file.name}: the file is empty; a table needs a header and rows.")
    inside = file.relative_to(base)
    folders = tuple((name, value) for name, mark, value in (part.partition("=") for part in inside.parts[:-1]) if mark)
    return FilePart(file, os.fspath(inside), layout, dialect, mended, folders)


def _is_table(file: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in file.parts[-1:])
    return not hidden and any(file.name.lower().endswith(suffix) for suffix in FORMATS)


def _fixed_part(pattern: Path) -> Path:
    """Return the folder of a pattern before its first wildcard."""
    fixed = Path(pattern.anchor)
    for part in pattern.parts[len(fixed.parts) : -1]:
        if glob.has_magic(part):
            break
        fixed /= part
    return fixed
