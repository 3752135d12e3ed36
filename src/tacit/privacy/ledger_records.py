"""The records of a ledger: its charter and its lines, each bound to all before it by a chain of digests."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from tacit import checks
from tacit.errors import LedgerTamperedError, TacitError
from tacit.files.hash_chain import Head, Receipt, canonical, digest, one_line
from tacit.privacy import events
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.events import Event

FORMAT = 1
EDITED_CHARTER = "the charter of the ledger (its budget, name and identifier) was edited."
# What reading a record can raise when its text is not what this module wrote.
MALFORMED = (TacitError, ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Charter:
    """What is fixed when a ledger is made; the first link of its chain."""

    identifier: str
    created: str
    name: str
    budget: Budget

    def to_json(self) -> str:
        """Return the canonical JSON that is stored and hashed."""
        budget = {"epsilon": self.budget.epsilon, "delta": self.budget.delta, "unit": self.budget.unit.value}
        return canonical(
            {
                "format": FORMAT,
                "identifier": self.identifier,
                "created": self.created,
                "name": self.name,
                "budget": budget,
            }
        )

    @classmethod
    def from_json(cls, content: str) -> Self:
        """Return the charter that ``content`` describes."""
        try:
            fields = json.loads(content)
            texts = {key: one_line(key, fields[key]) for key in ("identifier", "created", "name")}
            charter = cls(budget=Budget(**fields["budget"]), **texts)
        except MALFORMED as problem:
            raise LedgerTamperedError(EDITED_CHARTER) from problem
        if charter.to_json() != content:
            raise LedgerTamperedError(EDITED_CHARTER)
        return charter

    @property
    def start(self) -> Head:
        """The head of a chain without lines."""
        return Head(0, digest(self.to_json()))


@dataclass(frozen=True)
class Line:
    """One charge: when and what for, the event as it was charged, and the unit that the event speaks of."""

    number: int
    time: str
    purpose: str
    unit: Unit
    event: Event
    n_features: int | None
    digest: str

    @property
    def receipt(self) -> Receipt:
        """The receipt that the charge returned."""
        return Receipt(self.number, self.digest)

    @classmethod
    def from_json(cls, content: str, digest: str) -> Self:
        """Return the line that ``content`` describes."""
        fields = json.loads(content)
        n_features = fields["n_features"]
        return cls(
            number=checks.whole("number", fields["number"]),
            time=one_line("time", fields["time"]),
            purpose=one_line("purpose", fields["purpose"]),
            unit=Unit(fields["unit"]),
            event=events.from_dict(fields["event"]),
            n_features=None if n_features is None else checks.whole("n_features", n_features),
            digest=digest,
        )


def follow(rows: Iterable[tuple[int, Any, Any]], start: Head) -> Iterator[Line]:
    """Yield the lines that ``rows`` (number, content, digest) hold, each checked against the digest before it.

    Raises
    ------
    LedgerTamperedError
        At the first line that is missing, does not belong, or does not match its digest.
    """
    head = start
    for number, content, stored in rows:
        expected = head.count + 1
        if number > expected:
            raise LedgerTamperedError(f"line {expected} of the ledger is missing: it was removed or renumbered.")
        if number < expected:
            raise LedgerTamperedError(f"line {number} of the ledger does not belong: it was inserted or renumbered.")
        if not isinstance(content, str) or digest(content, head.digest) != stored:
            before = f"line {head.count}" if head.count else "the charter"
            raise LedgerTamperedError(
                f"line {number} of the ledger does not follow from {before}: it was edited, inserted or moved."
            )
        yield _line(number, content, stored)
        head = Head(number, stored)


def require_head(reached: Head, stored: Head) -> None:
    """Refuse a ledger whose ``stored`` head is not where its lines end: lines at the end came or went."""
    if stored.count > reached.count:
        raise LedgerTamperedError(
            f"line {reached.count + 1} of the ledger is missing: its head counts {stored.count} lines, "
            f"{reached.count} are there."
        )
    if stored.count < reached.count:
        raise LedgerTamperedError(
            f"line {stored.count + 1} of the ledger does not belong: its head counts {stored.count} lines, "
            f"{reached.count} are there."
        )
    if stored.digest != reached.digest:
        last = f"line {reached.count}, the last," if reached.count else "the charter"
        raise LedgerTamperedError(f"the head of the ledger does not match {last}: one of the two was edited.")


def _line(number: int, content: str, stored: str) -> Line:
    try:
        line = Line.from_json(content, stored)
    except MALFORMED as problem:
        raise LedgerTamperedError(f"line {number} of the ledger is not a charge: it was edited.") from problem
    if line.number != number:
        raise LedgerTamperedError(f"line {number} of the ledger says that it is line {line.number}: it was moved.")
    return line
