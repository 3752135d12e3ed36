"""The SQLite file behind a ledger: made whole or not at all, append-only, one connection for each operation."""

import os
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tacit.errors import LedgerError, LedgerTamperedError
from tacit.files.hash_chain import Head, Receipt, digest, follow, require_head
from tacit.privacy.ledger_records import EDITED_HEADER, READABLE, LedgerHeader, Line

APPLICATION = 0x54434C47  # "TCLG", in the header of every ledger
# What SQLite keeps beside a file; left over from another file of the same name it would be replayed into a new one.
COMPANIONS = ("-wal", "-shm", "-journal")

# REPLACE removes a row without its DELETE trigger, so the INSERT triggers guard the rows that are there.
# The table called charter holds the header; files were made with that name.
SCHEMA = """
CREATE TABLE charter (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE lines (number INTEGER PRIMARY KEY, content TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, digest TEXT NOT NULL);
CREATE TRIGGER charter_stands BEFORE UPDATE ON charter BEGIN SELECT RAISE(ABORT, 'the charter is fixed'); END;
CREATE TRIGGER charter_stays BEFORE DELETE ON charter BEGIN SELECT RAISE(ABORT, 'the charter is fixed'); END;
CREATE TRIGGER charter_is_one BEFORE INSERT ON charter WHEN EXISTS (SELECT 1 FROM charter)
BEGIN SELECT RAISE(ABORT, 'the charter is fixed'); END;
CREATE TRIGGER lines_stand BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER lines_stay BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER lines_follow BEFORE INSERT ON lines WHEN NEW.number IS NOT (SELECT count + 1 FROM head)
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER head_advances BEFORE UPDATE ON head WHEN NEW.id <> OLD.id OR NEW.count <> OLD.count + 1
BEGIN SELECT RAISE(ABORT, 'the head only advances'); END;
CREATE TRIGGER head_stays BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'the head only advances'); END;
CREATE TRIGGER head_is_one BEFORE INSERT ON head WHEN EXISTS (SELECT 1 FROM head)
BEGIN SELECT RAISE(ABORT, 'the head only advances'); END;
"""
# How far other files had come that were charged here; made when the first of them is anchored.
ANCHORS = """
CREATE TABLE anchors (name TEXT PRIMARY KEY, count INTEGER NOT NULL, digest TEXT NOT NULL);
CREATE TRIGGER anchors_advance BEFORE UPDATE ON anchors WHEN NEW.name <> OLD.name OR NEW.count <= OLD.count
BEGIN SELECT RAISE(ABORT, 'an anchor only advances'); END;
CREATE TRIGGER anchors_stay BEFORE DELETE ON anchors BEGIN SELECT RAISE(ABORT, 'an anchor only advances'); END;
CREATE TRIGGER anchors_differ BEFORE INSERT ON anchors WHEN EXISTS (SELECT 1 FROM anchors WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'an anchor only advances'); END;
"""

LOCKED = "the ledger {path} is locked by another program. Nothing was charged; try again when it has finished."
READ_ONLY = "the ledger {path} is read-only. Nothing was charged; allow writing to the file and to its folder."
DAMAGED = "the ledger {path} is damaged. Restore a copy and check it with `tacit ledger verify --receipt`."
NO_LEDGER = "{path} is not a ledger. Make one with `tacit ledger init` or Ledger.create."
NO_SPACE = (
    "the ledger {path} cannot be read or written: the disk is full or failing. No charge is confirmed, so nothing may "
    "be drawn; free some space and try again."
)
# By the beginning of SQLite's name for an error: what it means for the owner, and the way out.
PROBLEMS = {
    "SQLITE_BUSY": LOCKED,
    "SQLITE_LOCKED": LOCKED,
    "SQLITE_PROTOCOL": LOCKED,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_FULL": NO_SPACE,
    "SQLITE_IOERR": NO_SPACE,
    "SQLITE_NOTADB": NO_LEDGER,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_CANTOPEN": "the ledger {path} cannot be opened. Check the permissions of the file and of its folder.",
}

Kind = Literal["DEFERRED", "IMMEDIATE"]

# One operation at a time in one process, and none while the process forks: a child that inherited SQLite's record of
# the locks that another thread held would take them for its own.
_operation = threading.RLock()
if sys.platform != "win32":
    os.register_at_fork(
        before=_operation.acquire, after_in_parent=_operation.release, after_in_child=_operation.release
    )


def exclusive() -> AbstractContextManager[Any]:
    """Keep this process's other threads from the ledgers, until what an operation did is noted."""
    return _operation


class LedgerFile:
    """One transaction on an open ledger; ``reading`` and ``writing`` give it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def header(self) -> LedgerHeader:
        """Return what was fixed when the ledger was made."""
        rows = self._connection.execute("SELECT content, digest FROM charter").fetchall()
        if len(rows) != 1 or not isinstance(rows[0][0], str) or digest(rows[0][0]) != rows[0][1]:
            raise LedgerTamperedError(EDITED_HEADER)
        header = LedgerHeader.from_json(rows[0][0])
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if header.format != version:
            raise LedgerTamperedError(EDITED_HEADER)
        return header

    def lines_after(self, start: Head) -> list[Line]:
        """Return the lines that follow ``start``, checked link by link up to the head."""
        stored = self._head()
        if stored.count < start.count:
            raise LedgerTamperedError(
                f"line {stored.count + 1} of the ledger is missing: {start.count} lines were there before, "
                f"its head counts {stored.count}."
            )
        rows = self._connection.execute(
            # No chain holds a line of number 0 or below: such a line is read so that it is found.
            "SELECT number, content, digest FROM lines WHERE number > ? OR number < 1 ORDER BY number",
            (start.count,),
        ).fetchall()  # a cursor left open, by an error say, would keep the connection and its locks alive
        lines = list(follow(rows, start, parse=Line.from_json))
        require_head(Head(lines[-1].number, lines[-1].digest) if lines else start, stored)
        return lines

    def require_end(self, start: Head) -> None:
        """Check that the head is the last line, without reading the others; ``start`` is the head of no lines."""
        rows = self._connection.execute("SELECT number, digest FROM lines ORDER BY number DESC LIMIT 1").fetchall()
        if self._head() != (Head(*rows[0]) if rows else start):
            self.lines_after(start)  # says which line is at fault

    def append(self, content: str, head: Head) -> Receipt:
        """Write ``content`` as the line after ``head``; it stands once the transaction has ended."""
        receipt = Receipt(head.count + 1, digest(content, head.digest))
        self._connection.execute("INSERT INTO lines VALUES (?, ?, ?)", (receipt.line, content, receipt.digest))
        self._connection.execute("UPDATE head SET count = ?, digest = ?", (receipt.line, receipt.digest))
        return receipt

    def anchor(self, name: str) -> Head | None:
        """Return the anchor ``name``, None if there is none."""
        if not self._has_anchors():
            return None
        rows = self._connection.execute("SELECT count, digest FROM anchors WHERE name = ?", (name,)).fetchall()
        return Head(*rows[0]) if rows else None

    def set_anchor(self, name: str, head: Head) -> None:
        """Write the anchor ``name`` as ``head``; it stands once the transaction has ended."""
        if not self._has_anchors():
            for statement in _statements(ANCHORS):
                self._connection.execute(statement)
        if self.anchor(name) is None:
            self._connection.execute("INSERT INTO anchors VALUES (?, ?, ?)", (name, head.count, head.digest))
        else:
            new = (head.count, head.digest, name)
            self._connection.execute("UPDATE anchors SET count = ?, digest = ? WHERE name = ?", new)

    def _has_anchors(self) -> bool:
        return _schema_of(self._connection) == _schema(ANCHORS)

    def is_intact(self) -> bool:
        """Whether every page of the file is as SQLite wrote it."""
        return bool(self._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok")

    def _head(self) -> Head:
        rows = self._connection.execute("SELECT count, digest FROM head").fetchall()
        if len(rows) != 1 or not isinstance(rows[0][0], int) or not isinstance(rows[0][1], str):
            raise LedgerTamperedError("the head of the ledger was edited.")
        return Head(*rows[0])


@contextmanager
def reading(path: Path, *, timeout: float) -> Iterator[LedgerFile]:
    """Give one consistent view of the ledger at ``path``; works where nothing may be written."""
    with _transaction(path, timeout, "DEFERRED") as file:
        yield file


@contextmanager
def writing(path: Path, *, timeout: float) -> Iterator[LedgerFile]:
    """Give the only right to write to the ledger at ``path``; on disk when the block ends without an error."""
    with _transaction(path, timeout, "IMMEDIATE") as file:
        yield file


def make(path: Path, header: LedgerHeader) -> None:
    """Write a new ledger to ``path``: complete or not at all, and never over a file that is there."""
    try:
        _require_free(path)
        # Built aside and then linked: a link, unlike a rename, fails where a file already stands.
        with _plainly(path), tempfile.TemporaryDirectory(prefix=".ledger-", dir=path.parent) as folder:
            draft = Path(folder) / "draft"
            _build(draft, header, path)
            os.link(draft, path)
        _sync_folder(path.parent)
    except OSError as problem:
        _require_free(path)
        raise LedgerError(
            f"the ledger {path} cannot be made: {problem.strerror}. Choose a folder that exists and can be written."
        ) from problem


@contextmanager
def _transaction(path: Path, timeout: float, kind: Kind) -> Iterator[LedgerFile]:
    # Closing the connection without COMMIT takes the transaction back.
    with _operation, _plainly(path), closing(_connect(path, timeout, kind)) as connection:
        _require_ledger(connection, path)
        if kind == "IMMEDIATE":
            _make_durable(connection, path)
        connection.execute(f"BEGIN {kind}")
        if _schema_of(connection) not in (_schema(), _schema(ANCHORS)):
            raise LedgerTamperedError(f"the tables or triggers of the ledger {path} were changed.")
        yield LedgerFile(connection)
        connection.execute("COMMIT")


def _connect(path: Path, timeout: float, kind: Kind) -> sqlite3.Connection:
    # Nothing but SQLite may open the file itself: closing any other descriptor of it would drop SQLite's locks.
    if not _is_there(path):
        raise LedgerError(f"there is no ledger at {path}. Check the path, or make one with `tacit ledger init`.")
    mode = "rw"
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        if kind == "IMMEDIATE":
            raise LedgerError(READ_ONLY.format(path=path))
        # Without write permission SQLite cannot take part in the locking; at rest the file alone is the ledger.
        mode = "ro" if _is_there(path.with_name(f"{path.name}-wal")) else "ro&immutable=1"
    connection = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, timeout=timeout, isolation_level=None)
    # A text that is no UTF-8 is not ours; it must reach the digests, which refuse it.
    connection.text_factory = lambda raw: raw.decode(errors="replace")
    return connection


def _require_ledger(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LedgerError(NO_LEDGER.format(path=path))
    if version not in READABLE:
        raise LedgerError(
            f"the ledger {path} has format {version}; this version of tacit reads formats up to {max(READABLE)}. "
            "Use the version of tacit that wrote it."
        )


def _make_durable(connection: sqlite3.Connection, path: Path) -> None:
    """Have every COMMIT wait until the line is on the disk."""
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise LedgerError(
            f"the ledger {path} lies where SQLite has no write-ahead log (a network folder?). Move it to a local disk."
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone stops at the drive's cache


def _build(draft: Path, header: LedgerHeader, path: Path) -> None:
    start = header.start
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {header.format}")
        _make_durable(connection, path)
        connection.executescript(f"BEGIN; {SCHEMA}")
        connection.execute("INSERT INTO charter VALUES (1, ?, ?)", (header.to_json(), start.digest))
        connection.execute("INSERT INTO head VALUES (1, ?, ?)", (start.count, start.digest))
        connection.execute("COMMIT")
        # The log does not move with the file: everything must have left it. A full disk shows here.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that may not be entered, or a name that is too long
        return False


def _require_free(path: Path) -> None:
    if _is_there(path):
        raise LedgerError(f"{path} exists already, and a ledger is never overwritten. Use it, or choose another path.")
    for companion in (path.with_name(path.name + ending) for ending in COMPANIONS):
        if _is_there(companion):
            raise LedgerError(
                f"{companion} is left over from another ledger and would be read into a new one. "
                "Bring that ledger back, or remove the file if its charges no longer matter."
            )


def _sync_folder(folder: Path) -> None:
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _schema_of(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


@lru_cache(maxsize=2)
def _schema(more: str = "") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA + more)
        return _schema_of(connection)


def _statements(script: str) -> Iterator[str]:
    """Give the statements of ``script`` one by one: running a whole script would end the transaction."""
    lines = ""
    for line in script.strip().splitlines(keepends=True):
        lines += line
        if sqlite3.complete_statement(lines):
            yield lines
            lines = ""


@contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ones that say what they mean for the ledger at ``path``."""
    try:
        yield
    except sqlite3.Error as problem:
        name = getattr(problem, "sqlite_errorname", "")
        for beginning, meaning in PROBLEMS.items():
            if name.startswith(beginning):
                raise LedgerError(meaning.format(path=path)) from problem
        raise LedgerError(f"the ledger {path} cannot be used: {problem}.") from problem
    except UnicodeDecodeError as problem:
        # SQLite quotes a damaged file in its messages, bytes that are no text included.
        raise LedgerError(DAMAGED.format(path=path)) from problem
