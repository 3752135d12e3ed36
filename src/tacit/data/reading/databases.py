"""Tables that a database answers a query with: SQLite by Python itself, others through the extra ``databases``."""

import importlib
import re
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tacit.data.reading.tables import SCHEMES
from tacit.errors import InputError

# A path object keeps one of several slashes: one is enough.
_DATABASE = re.compile(rf"(?P<scheme>{'|'.join(SCHEMES)}):/+(?P<place>[^?]*)(\?(?P<query>.+))?", re.DOTALL)


@dataclass(frozen=True)
class QueryPart:
    """The rows that a query gives."""

    scheme: str
    place: str
    query: str
    """Which kind of database, where it lies, and what is asked."""
    first_row: int = 0

    @property
    def name(self) -> str:
        """The name of the database; no password, no query."""
        return f"{self.scheme} {re.split(r'[/@]', self.place)[-1] or 'database'}"

    def batches(self, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        """Yield the rows as the database gives them, at most ``size`` at a time."""
        with closing(self._connection()) as connection:
            try:
                yield from self._answers(connection, only, size)
            except Exception as problem:  # noqa: BLE001 - every driver has a tree of errors of its own
                # A driver's message may quote cells.
                raise InputError(f"{self.name}: the query failed ({type(problem).__name__}). Check it there.") from None

    def _answers(self, connection: Any, only: Collection[str] | None, size: int) -> Iterator[pl.DataFrame]:
        # A named cursor stays on the server: rows come as they are fetched, not all at once.
        named = {"name": "tacit"} if self.scheme == "postgresql" else {}
        with closing(connection.cursor(**named)) as cursor:
            cursor.execute(self.query)
            names = [str(column[0]) for column in cursor.description]
            wanted = [name for name in names if only is None or name in only]
            while rows := cursor.fetchmany(size):
                columns = zip(names, zip(*rows, strict=True), strict=True)
                yield pl.DataFrame([pl.Series(name, cells, strict=False) for name, cells in columns]).select(wanted)

    @property
    def _file(self) -> Path:
        """The database's file: from here if it is there, else from the root."""
        return Path(self.place) if Path(self.place).exists() else Path("/", self.place)

    def _connection(self) -> Any:
        try:
            if self.scheme == "sqlite":
                return sqlite3.connect(f"{self._file.resolve().as_uri()}?mode=ro", uri=True)
            if self.scheme == "duckdb":
                return _driver("duckdb").connect(str(self._file), read_only=True)
            return _driver("psycopg").connect(f"postgresql://{self.place}")
        except Exception as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError(f"{self.name}: cannot be opened ({type(problem).__name__}). Check its place.") from None


def query_part(url: str) -> QueryPart:
    """Return the part that ``url`` names, such as ``"sqlite:///clinic.db?SELECT * FROM visits"``."""
    match = _DATABASE.fullmatch(url)
    if match is None or not match["query"]:
        raise InputError(
            "a database must be given with its query after a question mark, such as "
            "'sqlite:///clinic.db?SELECT * FROM visits'."
        )
    return QueryPart(match["scheme"], match["place"], match["query"])


def _driver(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"this database needs the package {name!r}: pip install 'tacit-knowledge[databases]'."
        ) from None
