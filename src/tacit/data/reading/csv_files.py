"""CSV files as lazy tables of text: read piece by piece, and what is wrong with one that cannot be read."""

import csv
import gzip
import io
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import polars as pl

from tacit.data.reading.csv_dialect import (
    UNKNOWN,
    UTF8,
    CsvDialect,
    found_decimal,
    found_encoding,
    found_separator,
    header_names,
)
from tacit.errors import InputError

_START_BYTES = 1 << 20


@dataclass(frozen=True)
class CsvFile:
    """A CSV file, or the bytes of one.

    Parameters
    ----------
    content : path or bytes
    name : str
        What errors call it.
    given : CsvDialect
        What is known about how it is written; the rest is found from its first bytes.
    mended : bool
        Whether to drop cells beyond the header's, and to read bytes that are no text as a mark of their own, instead of
        refusing the file.
    """

    content: Path | bytes
    name: str
    given: CsvDialect = UNKNOWN
    mended: bool = False

    @cached_property
    def dialect(self) -> CsvDialect:
        """How the file is written, nothing left open."""
        # A mended file keeps to its stated encoding: bytes of one record must not decide how all others are read.
        encoding = self.given.encoding or (UTF8 if self.mended else found_encoding(self._start))
        stated = replace(self.given, encoding=encoding)
        text = self._start_text(stated)
        separator = stated.separator or found_separator(text)
        decimal = stated.decimal or found_decimal(text, separator)
        return CsvDialect(separator, decimal, encoding)

    @cached_property
    def header(self) -> list[str]:
        """The names of the columns."""
        names = header_names(self._start_text(self.dialect), self.dialect.separator or ",")
        if not any(names):
            raise InputError(
                f"{self.name}: the first line must name the columns; it is blank, or a quote is never closed."
            )
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise InputError(
                f"{self.name}: column {repeated[0]!r} appears more than once in the header; rename one of them."
            )
        return names

    def scan(self, only: Collection[str] | None) -> pl.LazyFrame:
        """Return the columns called ``only`` as text, to be collected whole or batch by batch."""
        names = self.header
        table = pl.scan_csv(
            self._source(),
            separator=self.dialect.separator or ",",
            infer_schema=False,
            new_columns=names,
            truncate_ragged_lines=self.mended,
            encoding="utf8-lossy" if self.mended else "utf8",
        ).select([name for name in names if only is None or name in only])
        wanted = table.collect_schema().names()
        if self.dialect.decimal == ",":
            table = table.with_columns(pl.all().str.replace(r"^(\s*[+-]?[0-9]+),([0-9]+)", "${1}.${2}"))
        # A blank line is read as a row of nothing.
        return table if len(wanted) < 2 else table.filter(~pl.all_horizontal(pl.all().is_null()))

    def trouble(self) -> str:
        """Return what is wrong with a file that could not be read, and in which line; no cell is quoted."""
        separator, n_columns = self.dialect.separator or ",", len(self.header)
        try:
            with _opened(self.content, self.name) as stream:
                text = io.TextIOWrapper(stream, encoding=_with_mark(self.dialect), newline="")
                lines = csv.reader(text, delimiter=separator, strict=True)
                for cells in lines:
                    if len(cells) > n_columns:
                        return (
                            f"{self.name}, line {lines.line_num}: {len(cells)} cells where the header has {n_columns}. "
                            f"Quote a cell that holds the separator {separator!r}."
                        )
        except UnicodeDecodeError:
            return self._not_text(self.dialect)
        except csv.Error:
            return (
                f"{self.name}: an opening quote is never closed, or a closing one is followed by text. Mend the quotes."
            )
        except (OSError, EOFError):
            return f"{self.name}: the file is cut short or damaged. Copy it again."
        return f"{self.name}: not a CSV table with separator {separator!r}. Check the quotes, or name the separator."

    @cached_property
    def _start(self) -> bytes:
        try:
            with _opened(self.content, self.name) as stream:
                return stream.read(_START_BYTES)
        except (OSError, EOFError):
            gzipped = "gzipped " * _is_gzipped(self.name)
            raise InputError(f"{self.name}: cannot be read as {gzipped}text.") from None

    def _start_text(self, dialect: CsvDialect) -> str:
        errors = "replace" if self.mended else "strict" if len(self._start) < _START_BYTES else "ignore"
        try:
            return self._start.decode(_with_mark(dialect), errors=errors)
        except UnicodeDecodeError:
            raise InputError(self._not_text(dialect)) from None

    def _source(self) -> Path | io.BytesIO:
        """Return what the library reads, which is UTF-8: another encoding is rewritten in memory."""
        if self.dialect.encoding == UTF8:
            return self.content if isinstance(self.content, Path) else io.BytesIO(self.content)
        try:
            with _opened(self.content, self.name) as stream:
                errors = "replace" if self.mended else "strict"
                return io.BytesIO(stream.read().decode(_with_mark(self.dialect), errors=errors).encode())
        except UnicodeDecodeError:
            raise InputError(self._not_text(self.dialect)) from None

    def _not_text(self, dialect: CsvDialect) -> str:
        name = "UTF-8" if dialect.encoding == UTF8 else dialect.encoding
        return (
            f"{self.name}: is not {name} text throughout. Say how it is written under [csv] in the schema, such as "
            'encoding = "latin-1", or save it as UTF-8.'
        )


def _with_mark(dialect: CsvDialect) -> str:
    """Return the codec that drops a byte-order mark."""
    return "utf-8-sig" if dialect.encoding == UTF8 else dialect.encoding or UTF8


def _is_gzipped(name: str) -> bool:
    return name.lower().endswith(".gz")


def _opened(content: Path | bytes, name: str) -> BinaryIO | gzip.GzipFile:
    if isinstance(content, bytes):
        return io.BytesIO(content)
    return gzip.open(content, "rb") if _is_gzipped(name) else content.open("rb")
