"""The chain of SHA-256 digests that binds each line of a ledger to all before it."""

import hashlib
import json
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from tacit.errors import InputError, LedgerTamperedError, TacitError

DIGEST_LENGTH = 64
# What reading a record can raise when its text is not what this project wrote.
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
    """How far a chain reaches: its number of lines and the digest of the last (of the header if there is none)."""

    count: int
    digest: str


class Numbered(Protocol):
    """A line that knows its place."""

    @property
    def number(self) -> int:
        """The number of the line, the first being 1."""
        ...


AnyLine = TypeVar("AnyLine", bound=Numbered)


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


def follow(
    rows: Iterable[tuple[int, Any, Any]], start: Head, *, parse: Callable[[str, str], AnyLine]
) -> Iterator[AnyLine]:
    """Yield the lines that ``rows`` (number, content, digest) hold, each checked against the digest before it.

    ``parse`` makes a line of its content and its digest.

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
            before = f"line {head.count}" if head.count else "the header"
            raise LedgerTamperedError(
                f"line {number} of the ledger does not follow from {before}: it was edited, inserted or moved."
            )
        yield _line(number, content, stored, parse)
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
        last = f"line {reached.count}, the last," if reached.count else "the header"
        raise LedgerTamperedError(f"the head of the ledger does not match {last}: one of the two was edited.")


def _line(number: int, content: str, stored: str, parse: Callable[[str, str], AnyLine]) -> AnyLine:
    try:
        line = parse(content, stored)
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
