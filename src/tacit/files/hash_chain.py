"""A chain of SHA-256 digests that binds each line of a record to all lines before it, and its canonical JSON."""

import hashlib
import json
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tacit.errors import InputError

LONGEST_TEXT = 500
DIGEST_LENGTH = 64


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


def _plain_number(value: Any) -> int | float:
    """Return a number of another library (numpy's, say) as Python's own."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
