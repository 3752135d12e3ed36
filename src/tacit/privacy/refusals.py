"""Why an owner does not answer, as far as others may know: a code that tells nothing about a row.

What went wrong in detail is written to the owner's own log. A message that names a column and a row, or even the type
of an error, would be an answer about the private table without noise and without a charge.
"""

from enum import StrEnum
from typing import Any, Self, TypeVar

from tacit.errors import BudgetExceededError, NotReleasableError


class RefusalCode(StrEnum):
    """What a refusal says: a code is sent, and whoever reads it prints the code's own sentence, never a sent text.

    The codes of a protocol are a subclass, with at least "budget", "unavailable" and "unknown".
    """

    sentence: str

    def __new__(cls, code: str, sentence: str = "") -> Self:
        """Return the member with this code; ``sentence`` is what is reported of whoever refused with it."""
        member = str.__new__(cls, code)
        member._value_, member.sentence = code, sentence
        return member

    @classmethod
    def read(cls, code: Any) -> Self:
        """Return the code in a message; what is none is UNKNOWN."""
        return cls(code) if isinstance(code, str) and code in set(cls) else cls("unknown")


Code = TypeVar("Code", bound=RefusalCode)


class RefusedError(NotReleasableError):
    """A refusal for a public reason; the message stays where it was raised, ``code`` is sent."""

    def __init__(self, code: RefusalCode, message: str = "") -> None:
        super().__init__(message or code.sentence)
        self.code = code


def code_of(problem: BaseException, codes: type[Code]) -> Code:
    """Return what others may know of ``problem``: its code if it is public by construction, else UNAVAILABLE."""
    if isinstance(problem, RefusedError) and isinstance(problem.code, codes):
        return problem.code
    return codes("budget" if isinstance(problem, BudgetExceededError) else "unavailable")
