"""A table as a source of batches, wherever it lies: files, folders, standard input, data frames, databases.

Everything that reads a table opens it here. A source has parts, each of which can be read by itself and sent to another
process; batches of rows come one after the other, so that a table need not fit into memory.
"""

import os
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from tacit.data.reading.csv_dialect import UNKNOWN, CsvDialect
from tacit.data.reading.databases import query_part
from tacit.data.reading.frames import as_frame
from tacit.data.reading.table_files import FilePart, file_parts, stream_part
from tacit.data.reading.tables import is_database
from tacit.errors import InputError
from tacit.records import record

# Rows of a batch: the few columns at work stay in a core's cache, and a batch costs far more than its bookkeeping.
BATCH_ROWS = 1 << 17
STANDARD_INPUT = "-"
NO_LABELS = (
    "no row has a label, and a release is learned from labelled rows. Fill the label column, or check its name and its "
    "missing_values in the schema."
)


class TablePart(Protocol):
    """A part of a table that can be read by itself."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    @property
    def first_row(self) -> int:
        """How many rows of what ``name`` says stand before it."""
        ...

    def batches(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        """Yield the columns called ``only`` (None: all), at most ``size`` rows at a time, in order."""
        ...


@record
class Batch:
    """Some rows of a table: where they come from, and how many rows stand before them there."""

    frame: pl.DataFrame
    source: str
    first_row: int


@record
class TableSource:
    """A table in parts."""

    name: str
    """What messages call the table."""
    parts: tuple[TablePart, ...]

    def batches(self, only: Collection[str] | None = None, *, size: int = BATCH_ROWS) -> Iterator[Batch]:
        """Yield the rows in order, at most ``size`` at a time; raise InputError if there are none."""
        n_rows = 0
        for part in self.parts:
            n_before = part.first_row
            for frame in part.batches(only, size):
                if frame.height:
                    yield Batch(frame, part.name, n_before)
                n_before += frame.height
                n_rows += frame.height
        self.require_rows(n_rows)

    def require_rows(self, n_rows: int, *, n_unlabelled: int = 0) -> None:
        """Raise InputError if a pass over the table met no row, or none but ``n_unlabelled`` without a label."""
        if n_rows == 0 and n_unlabelled:
            raise InputError(f"{self.name}: {NO_LABELS}")
        if n_rows == 0:
            raise InputError(f"{self.name}: the table has columns but no rows.")

    def read(self, only: Collection[str] | None = None) -> pl.DataFrame:
        """Return the whole table."""
        frames = [batch.frame for batch in self.batches(only)]
        return frames[0] if len(frames) == 1 else pl.concat(_alike(frames), how="diagonal_relaxed", rechunk=True)

    def split(self, pieces: int) -> "TableSource":
        """Return the same table with Parquet and Arrow files cut into row ranges, about ``pieces`` of them in all."""
        each = -(-pieces // len(self.parts))
        cut = [part.split(each) if isinstance(part, FilePart) else (part,) for part in self.parts]
        return replace(self, parts=tuple(piece for group in cut for piece in group))

    @property
    def notes(self) -> str:
        """What was found about how the files are written, in words; "" if nothing is unusual."""
        remarks = {part.note for part in self.parts if isinstance(part, FilePart)} - {""}
        return "; ".join(sorted(remarks))


@record
class FramePart:
    """A table that is in memory already."""

    frame: pl.DataFrame
    name: str = "table"
    first_row: int = 0

    def batches(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        """Yield slices, which copy nothing."""
        names = [name for name in self.frame.columns if only is None or name in only]
        yield from self.frame.select(names).iter_slices(size)


def open_table(table: Any, *, dialect: CsvDialect | None = None, mended: bool = False) -> TableSource:
    """Return ``table`` as a source of batches; nothing but the beginnings of files is read yet.

    Parameters
    ----------
    table : path, str, data frame or TableSource
        A file (CSV, TSV, Parquet, Arrow/Feather, NPZ), a folder or a pattern such as ``visits/*.parquet`` (folders
        named ``year=2024`` give a column ``year``), ``"-"`` for standard input, a database with a query, such as
        ``"sqlite:///clinic.db?SELECT * FROM visits"``, or a data frame of polars, pandas or pyarrow.
    dialect : CsvDialect or None
        How CSV files are written, as far as it is known.
    mended : bool
        Whether CSV lines with too many cells and bytes that are no text are read all the same.
    """
    if isinstance(table, TableSource):
        return table
    if not isinstance(table, str | os.PathLike):
        return TableSource("table", (FramePart(as_frame(table)),))
    stated = dialect or UNKNOWN
    if is_database(table):
        part = query_part(str(table))
        return TableSource(part.name, (part,))
    if str(table) == STANDARD_INPUT:
        stdin = stream_part(sys.stdin.buffer.read(), stated, mended=mended)
        return TableSource(stdin.name, (stdin,))
    path = Path(table)
    return TableSource(path.name, tuple(file_parts(path, stated, mended=mended)))


def read_table(
    table: Any,
    *,
    only: Collection[str] | None = None,
    separator: str | None = None,
    mended: bool = False,
) -> pl.DataFrame:
    """Return the whole table; CSV cells stay text, so that a schema decides what they mean.

    ``only`` names the columns to read; one that the table lacks is left out. The other arguments are those of
    `open_table`.
    """
    return open_table(table, dialect=CsvDialect(separator), mended=mended).read(only)


def _alike(frames: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """Return the frames with a column as text in all of them where some have it as text: files of several kinds."""
    texts = {name for frame in frames for name, kind in frame.schema.items() if kind == pl.String}
    mixed = {name for frame in frames for name, kind in frame.schema.items() if name in texts and kind != pl.String}
    return [frame.cast({name: pl.String for name in frame.columns if name in mixed}) for frame in frames]
