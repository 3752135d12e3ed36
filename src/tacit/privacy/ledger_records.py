"""What a ledger's file holds as text: its header, which says for which table it is, and its lines."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from tacit import checks
from tacit.errors import LedgerTamperedError
from tacit.files.hash_chain import MALFORMED, Head, Receipt, canonical, digest
from tacit.files.plain_text import one_line
from tacit.privacy import events
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Claim

KEY_LENGTH = 32
# Format 1 had no relation; its ledgers are read, and say what they assumed.
FORMAT = 2
READABLE = (1, 2)
# What the chain of digests allows of a longer text, such as a warning.
LONGEST_WARNING = 400
EDITED_HEADER = "the header of the ledger (its budget, name and identifier) was edited."


@dataclass(frozen=True)
class TableIdentity:
    """What tells a private table from others: its public schema and its owner's name for it; never its rows.

    The rows may change from day to day and the file may move; releases of either still spend from one account.

    Parameters
    ----------
    schema : mapping
        The table's schema as JSON-ready data.
    name : str
        What the owner calls the table, one line: ``"patients of ward 7"``.
    """

    schema: Mapping[str, Any]
    name: str

    def fingerprint(self, key: bytes) -> str:
        """Return HMAC-SHA-256 of schema and name: without ``key`` nobody can try names against it."""
        text = canonical({"schema": dict(self.schema), "name": one_line("table name", self.name)})
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class TableMatch(StrEnum):
    """Whether a charge was for the table that the ledger was made for."""

    SAME = "same"
    OTHER = "other"
    NOT_STATED = "not stated"


@dataclass(frozen=True)
class LedgerHeader:
    """What is fixed when a ledger is made; the first link of its chain.

    ``format`` is that of the file. A header of format 1 names no relation: its budget has the unit's default one.
    ``table`` is the fingerprint of the table under ``table_key``, both hexadecimal; empty if no table was named.
    """

    identifier: str
    created: str
    name: str
    budget: Budget
    table_key: str = ""
    table: str = ""
    format: int = FORMAT

    def match(self, table: TableIdentity | None) -> TableMatch:
        """Return whether ``table`` is the ledger's own."""
        if table is None or not self.table:
            return TableMatch.NOT_STATED
        same = hmac.compare_digest(table.fingerprint(bytes.fromhex(self.table_key)), self.table)
        return TableMatch.SAME if same else TableMatch.OTHER

    @property
    def relation_assumed(self) -> bool:
        """Whether the relation was not stated when the ledger was made."""
        return self.format == 1

    def to_json(self) -> str:
        """Return the canonical JSON that is stored and hashed."""
        budget: dict[str, Any] = {
            "epsilon": self.budget.epsilon,
            "delta": self.budget.delta,
            "unit": self.budget.unit.value,
        }
        plain: dict[str, Any] = {
            "format": self.format,
            "identifier": self.identifier,
            "created": self.created,
            "name": self.name,
            "budget": budget,
        }
        if not self.relation_assumed:
            budget["relation"] = self.budget.relation.value
            plain.update(table_key=self.table_key, table=self.table)
        return canonical(plain)

    @classmethod
    def from_json(cls, content: str) -> Self:
        """Return the header that ``content`` describes."""
        try:
            fields = json.loads(content)
            texts = {key: one_line(key, fields[key]) for key in ("identifier", "created", "name")}
            written = checks.one_of("format", fields["format"], READABLE)
            keys = {name: _hexadecimal(fields.get(name, "")) for name in ("table_key", "table")}
            header = cls(budget=Budget(**fields["budget"]), format=written, **texts, **keys)
        except MALFORMED as problem:
            raise LedgerTamperedError(EDITED_HEADER) from problem
        if header.to_json() != content:
            raise LedgerTamperedError(EDITED_HEADER)
        return header

    @property
    def start(self) -> Head:
        """The head of a chain without lines."""
        return Head(0, digest(self.to_json()))


@dataclass(frozen=True)
class Line:
    """One charge: when and what for, and the claim as it was charged.

    ``relation_assumed``: the line is of a version that did not state relations; its claim has the unit's default one.
    ``table``: whether it was charged for the ledger's own table. ``key``: what tells a charge that is asked for again
    from another one; empty for charges that are never the same.
    """

    number: int
    time: str
    purpose: str
    claim: Claim
    digest: str
    relation_assumed: bool = False
    table: TableMatch = TableMatch.NOT_STATED
    key: str = ""

    @property
    def unit(self) -> Unit:
        """The unit that the event speaks of."""
        return self.claim.unit

    @property
    def event(self) -> events.Event:
        """What was charged, for one unit."""
        return self.claim.event

    @property
    def n_features(self) -> int | None:
        """Entries in one record, if they were stated."""
        return self.claim.n_features

    @property
    def receipt(self) -> Receipt:
        """The receipt that the charge returned."""
        return Receipt(self.number, self.digest)

    @classmethod
    def from_json(cls, content: str, digest: str) -> Self:
        """Return the line that ``content`` describes."""
        fields = json.loads(content)
        return cls(
            number=checks.whole("number", fields["number"]),
            time=one_line("time", fields["time"]),
            purpose=one_line("purpose", fields["purpose"]),
            claim=_claim(fields),
            digest=digest,
            relation_assumed="relations" not in fields,
            table=TableMatch(fields.get("table", TableMatch.NOT_STATED)),
            key=one_line("key", fields.get("key", "")),
        )


def line_json(number: int, claim: Claim, purpose: str, table: TableMatch, key: str = "") -> str:
    """Return the canonical JSON of a new line, with the present time."""
    return canonical(
        ({"key": key} if key else {})
        | {
            "number": number,
            "time": now(),
            "purpose": purpose,
            "unit": claim.unit.value,
            "relations": [each.value for each in claim.relations],
            "exact": None if claim.exact is None else [each.value for each in claim.exact],
            "event": events.to_dict(claim.event),
            "n_features": claim.n_features,
            "noise_per_entry": claim.noise_per_entry,
            "rows_per_person": claim.rows_per_person,
            "warning": claim.warning,
            "table": table.value,
        }
    )


def now() -> str:
    """Return the present time (UTC), to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _claim(fields: Mapping[str, Any]) -> Claim:
    # A line without relations is of format 1, whose entry-level charges were all noise in every entry.
    old = "relations" not in fields
    return Claim.checked(
        events.from_dict(fields["event"]),
        unit=fields["unit"],
        relation=None if old else fields["relations"],
        exact=None if old else fields["exact"],
        n_features=fields["n_features"],
        noise_per_entry=True if old else _truth(fields["noise_per_entry"]),
        rows_per_person=None if old else fields["rows_per_person"],
        warning="" if old else one_line("warning", fields["warning"]),
    )


def _hexadecimal(text: Any) -> str:
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]*", text):
        raise TypeError("hexadecimal digits are needed")
    return text


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("a truth value is needed")
    return value


class LedgerFacts:
    """Where a ledger is, and what was fixed when it was made."""

    _path: Path
    _header: LedgerHeader

    @property
    def path(self) -> Path:
        """Where the ledger is, in full."""
        return self._path

    @property
    def budget(self) -> Budget:
        """What may be spent in all."""
        return self._header.budget

    @property
    def name(self) -> str:
        """What the owner calls the data set."""
        return self._header.name

    @property
    def identifier(self) -> str:
        """A random name that no other ledger has."""
        return self._header.identifier

    @property
    def created(self) -> str:
        """When the ledger was made (UTC)."""
        return self._header.created

    @property
    def relation_assumed(self) -> bool:
        """Whether the ledger is of a format that did not state its relation."""
        return self._header.relation_assumed
