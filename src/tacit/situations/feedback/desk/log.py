"""The desk's log: one SQLite file with its terms, its providers and every answer."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.errors import InputError, LedgerError, LedgerTamperedError
from tacit.files.atomic import OWNER_ONLY
from tacit.files.hash_chain import Head, Receipt, canonical, digest
from tacit.files.strict_json import load
from tacit.situations.feedback.desk.providers import Provider
from tacit.situations.feedback.desk.terms import DeskTerms

APPLICATION = 0x5443444B  # "TCDK", in the header of every desk's log
PATIENCE = 30.0
START = "0" * 64

TABLES = """
CREATE TABLE IF NOT EXISTS terms (id INTEGER PRIMARY KEY CHECK (id = 1), desk TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS receipt (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS providers (name TEXT PRIMARY KEY, token_digest TEXT NOT NULL UNIQUE,
    queries INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY, provider TEXT NOT NULL REFERENCES providers(name),
    query TEXT NOT NULL, body TEXT NOT NULL, score REAL NOT NULL, time TEXT NOT NULL, digest TEXT NOT NULL,
    UNIQUE (provider, query));
"""
# Table, names of the triggers against changes and removals, and their message.
FIXED_TABLES = (
    ("terms", "terms_stand", "terms_stay", "the terms are fixed"),
    ("receipt", "receipt_stands", "receipt_stays", "the receipt is fixed"),
    ("answers", "answers_stand", "answers_stay", "a log is append-only"),
)
FIXED = """CREATE TRIGGER IF NOT EXISTS {update} BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{message}'); END;
CREATE TRIGGER IF NOT EXISTS {delete} BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{message}'); END;
"""
# REPLACE removes a row without its DELETE trigger, so inserts must follow the last number.
APPEND_ONLY = """CREATE TRIGGER IF NOT EXISTS answers_follow BEFORE INSERT ON answers
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM answers)
BEGIN SELECT RAISE(ABORT, 'a log is append-only'); END;
"""
SCHEMA = (
    TABLES
    + "".join(
        FIXED.format(table=table, update=update, delete=delete, message=message)
        for table, update, delete, message in FIXED_TABLES
    )
    + APPEND_ONLY
)


@dataclass(frozen=True)
class Entry:
    """One answer: its number, who asked, the query's name, the digest of its body, the score, and when."""

    number: int
    provider: str
    query: str
    body: str
    score: float
    time: str

    def follows(self, previous: str) -> str:
        """Return the digest that binds this entry to all before it."""
        plain = (self.number, self.provider, self.query, self.body, self.score, self.time)
        return digest(canonical({"entry": list(plain)}), previous)


class DeskLog:
    """The log at ``path``, created if there is none; safe to use from many processes.

    Entries are only appended, and each is bound to all before it by a chain of digests.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        with as_ledger_errors(self.path), closing(self._connect()) as connection:
            _prepare(connection, self.path)
        # It names the providers and holds the digests of their tokens.
        self.path.chmod(OWNER_ONLY)

    @contextmanager
    def reading(self) -> Iterator["LogTransaction"]:
        """Yield a transaction that reads one consistent state of the log."""
        with as_ledger_errors(self.path), closing(self._connect()) as connection:
            connection.execute("BEGIN")
            yield LogTransaction(connection)

    @contextmanager
    def writing(self) -> Iterator["LogTransaction"]:
        """Yield the only writing transaction; it is committed when the block ends without an error, else undone."""
        with as_ledger_errors(self.path), closing(self._connect()) as connection, writing(connection) as transaction:
            yield transaction

    @contextmanager
    def session(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for many transactions, used by one thread at a time."""
        with as_ledger_errors(self.path), closing(self._connect()) as connection:
            yield connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator["LogTransaction"]:
    """Yield the only writing transaction on an open connection; an error rolls it back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield LogTransaction(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class LogTransaction:
    """What can be read from and written to the log within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def opened(self) -> tuple[str, DeskTerms] | None:
        """Return the desk's random name and its terms, None if it was never opened."""
        rows = self._connection.execute("SELECT desk, content FROM terms").fetchall()
        return (str(rows[0][0]), DeskTerms.from_dict(load(rows[0][1].encode(), "the terms"))) if rows else None

    def open(self, desk: str, terms: DeskTerms) -> None:
        """Store the desk's name and its terms, which never change afterwards."""
        self._connection.execute("INSERT INTO terms VALUES (1, ?, ?)", (desk, canonical(terms.to_dict())))

    def receipt(self) -> Receipt | None:
        """Return the receipt of the charge on the ledger, if there is one."""
        rows = self._connection.execute("SELECT content FROM receipt").fetchall()
        return Receipt.parse(rows[0][0]) if rows else None

    def keep_receipt(self, receipt: Receipt) -> None:
        """Store the receipt of the charge for the whole run."""
        self._connection.execute("INSERT INTO receipt VALUES (1, ?)", (str(receipt),))

    def providers(self) -> list[Provider]:
        """Return all providers, sorted by name."""
        rows = self._connection.execute("SELECT name, token_digest, queries FROM providers ORDER BY name")
        return [Provider(*row) for row in rows.fetchall()]

    def add(self, provider: Provider) -> None:
        """Add a provider with a new name; all providers' queries must fit the number that the desk answers."""
        providers = self.providers()
        if provider.name in {other.name for other in providers}:
            raise InputError(f"there is a provider {provider.name!r} already, and a budget is never renewed.")
        require_shares([*providers, provider], self.opened())
        self._connection.execute(
            "INSERT INTO providers VALUES (?, ?, ?)", (provider.name, provider.token_digest, provider.queries)
        )

    def revoke(self, name: str) -> None:
        """Make a provider's token invalid; the answers that were given stay in the log."""
        if name not in {provider.name for provider in self.providers()}:
            raise InputError(f"there is no provider {name[:64]!r}.")
        # No digest reads like this, so no token has it.
        self._connection.execute("UPDATE providers SET token_digest = ? WHERE name = ?", (f"revoked {name}", name))

    def used(self, provider: str | None = None) -> int:
        """Return how many answers were given, to one provider or in all."""
        if provider is None:
            # The number of the last answer counts all of them, without reading any.
            (count,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM answers").fetchone()
        else:
            (count,) = self._connection.execute(
                "SELECT count(*) FROM answers WHERE provider = ?", (provider,)
            ).fetchone()
        return int(count)

    def answer(self, provider: str, query: str) -> Entry | None:
        """Return the stored answer to this provider's query, None if it was never asked."""
        rows = self._select("WHERE provider = ? AND query = ?", (provider, query))
        return rows[0][0] if rows else None

    def head(self, count: int | None = None) -> Head:
        """Return how far the log reaches: its last answer, or answer number ``count``, with its digest.

        For a number that the log does not hold, the head is that of the last answer before it.
        """
        most = self.used() if count is None else count
        rows = self._select("WHERE number <= ? ORDER BY number DESC LIMIT 1", (most,))
        return Head(rows[0][0].number, rows[0][1]) if rows else Head(0, START)

    def require_receipt(self, receipt: Receipt) -> None:
        """Raise LedgerTamperedError unless the log holds the answer that ``receipt`` was given for."""
        if self.head(receipt.line) != Head(receipt.line, receipt.digest):
            raise LedgerTamperedError(
                f"answer {receipt.line}, of which there is a receipt, is not in the desk's log, which holds "
                f"{self.used()}: it was restored from an older copy, rewritten, or the receipt is another desk's."
            )

    def append(self, provider: str, query: str, body: str, score: float) -> Entry:
        """Append an answer; it may be sent once the transaction has ended."""
        last = self._select("ORDER BY number DESC LIMIT 1")
        number, previous = (last[0][0].number, last[0][1]) if last else (0, START)
        entry = Entry(number + 1, provider, query, body, score, datetime.now(UTC).isoformat(timespec="milliseconds"))
        self._connection.execute(
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry.number, provider, query, body, score, entry.time, entry.follows(previous)),
        )
        return entry

    def entries(self, after: int = 0, *, most: int = -1) -> list[Entry]:
        """Return the answers with a number above ``after``, the oldest first, at most ``most`` (-1: all)."""
        return [entry for entry, _ in self._select("WHERE number > ? ORDER BY number LIMIT ?", (after, most))]

    def verify(self) -> list[Entry]:
        """Return all answers; raise LedgerTamperedError if one does not follow from those before it."""
        entries: list[Entry] = []
        previous = START
        for entry, stored in self._select("ORDER BY number"):
            if entry.number != len(entries) + 1 or entry.follows(previous) != stored:
                raise LedgerTamperedError(
                    f"answer {len(entries) + 1} of the desk's log was edited, removed, inserted or moved."
                )
            entries.append(entry)
            previous = stored
        return entries

    def _select(self, rest: str, values: tuple[Any, ...] = ()) -> list[tuple[Entry, str]]:
        rows = self._connection.execute(
            f"SELECT number, provider, query, body, score, time, digest FROM answers {rest}",  # noqa: S608 - own text
            values,
        ).fetchall()
        return [(Entry(*row[:6]), str(row[6])) for row in rows]


def require_shares(providers: list[Provider], opened: tuple[str, DeskTerms] | None) -> None:
    """Raise InputError if the providers have more queries together than the desk answers."""
    total = sum(provider.queries for provider in providers)
    if opened is not None and total > opened[1].queries:
        raise InputError(
            f"queries of all providers must add up to at most {opened[1].queries}, which the desk answers in all; "
            f"they add up to {total}."
        )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == 0 and n_tables == 0:
        connection.execute("PRAGMA journal_mode = WAL")
        # In one transaction: a crash leaves an empty file, which is prepared again.
        connection.executescript(f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; {SCHEMA} COMMIT;")
    elif application != APPLICATION:
        raise InputError(f"{path} is not the log of a desk. Choose another path; a new file is made where none is.")


@contextmanager
def as_ledger_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a LedgerError that names the log at ``path``."""
    try:
        yield
    except sqlite3.Error as problem:
        raise LedgerError(f"the desk's log {path} cannot be used: {problem}. No answer was given.") from problem
