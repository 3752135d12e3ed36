"""The records of a ledger and the chain of SHA-256 digests that binds each to all before it."""

import hashlib
import json
import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from tacit import checks
from tacit.errors import InputError, LedgerTamperedError, TacitError
from tacit.privacy import events
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.events import Event

LONGEST_TEXT = 500
DIGEST_LENGTH = 64
FORMAT = 1
EDITED_CHARTER = "the charter of the ledger (its budget, name and identifier) was edited."
# What reading a record can raise when its text is not what this module wrote.
MALFORMED = (TacitError, ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Receipt:
    """Proof of a charge: the number of its line and the digest that binds it to all lines before it.

    Examples
    --------
    >>> str(Receipt(3, "ab" * 32))[:10]
    '3:abababab'
    """

    line: int
    digest: str

    def __str__(self) -> str:
        return f"{self.line}:{self.digest}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the receipt written as ``LINE:DIGEST``."""
        number, _, digest = text.strip().partition(":")
        hexadecimal = len(digest) == DIGEST_LENGTH and set(digest.lower()) <= set("0123456789abcdef")
        if not (number.isascii() and number.isdecimal() and int(number) > 0 and hexadecimal):
            raise InputError(
                f"receipt must be LINE:DIGEST, a line number and {DIGEST_LENGTH} hexadecimal digits as a card prints "
                f"them; got {text!r}."
            )
        return cls(int(number), digest.lower())


@dataclass(frozen=True)
class Head:
    """How far a chain reaches: its number of lines and the digest of the last (of the charter if there is none)."""

    count: int
    digest: str


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


def canonical(content: Mapping[str, Any]) -> str:
    """Return ``content`` as JSON with one spelling only: sorted keys, no blanks, ASCII, finite numbers."""
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=_plain_number
    )


def digest(content: str, previous: str = "") -> str:
    """Return SHA-256(content + previous digest) in hexadecimal.

    A digest has a fixed length, so no two pairs (content, previous) give the same text.
    """
    return hashlib.sha256((content + previous).encode()).hexdigest()


def one_line(name: str, text: Any) -> str:
    """Return ``text`` if it is one line of printable text that no terminal takes for a command."""
    rule = f"{name} must be one line of printable text of at most {LONGEST_TEXT} characters"
    if not isinstance(text, str):
        raise InputError(f"{rule}; got a {type(text).__name__}.")
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{rule}; got {len(text)} characters.")
    if not text.isprintable():
        raise InputError(f"{rule}; got line breaks or control characters.")
    return text


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


def _plain_number(value: Any) -> int | float:
    """Return a number of another library (numpy's, say) as Python's own."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
