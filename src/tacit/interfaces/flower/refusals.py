"""Why a node does not answer, as far as others may know: one of a few codes that tell nothing about a row.

What went wrong in detail is written to the node's own log. A message that names a column and a row, or even the type of
an error, would be an answer about the private table without noise and without a charge.
"""

from enum import StrEnum
from typing import Any, Self

from tacit.errors import BudgetExceededError, NotReleasableError


class RefusalCode(StrEnum):
    """What a node's refusal says; the aggregator prints its own sentence for each code, never a text of the node's."""

    QUESTION = "question"
    """the message itself is malformed or does not fit the party's public schema"""
    TERMS = "terms"
    """the party's public terms do not allow it"""
    BUDGET = "budget"
    """the charge does not fit the party's ledger"""
    UNAVAILABLE = "unavailable"
    """anything else: files, tables, ledgers, errors"""
    UNKNOWN = "unknown"
    """the aggregator does not know the code that a node sent"""

    @property
    def sentence(self) -> str:
        """Return what the aggregator reports of a node that refused with this code."""
        return SENTENCES[self]

    @classmethod
    def read(cls, given: Any) -> Self:
        """Return the code in a node's message; what is none is UNKNOWN."""
        return cls(given) if isinstance(given, str) and given in set(cls) else cls("unknown")


SENTENCES = {
    RefusalCode.QUESTION: "refused: the question is malformed or does not fit the party's schema.",
    RefusalCode.TERMS: "refused: the party's terms do not allow it (hand_out, refit), or have changed since.",
    RefusalCode.BUDGET: "refused: the epsilon that it costs does not fit the party's ledger.",
    RefusalCode.UNAVAILABLE: "refused: the party cannot answer; its own log says why.",
    RefusalCode.UNKNOWN: "refused, for a reason that this version does not know.",
}


class RefusedError(NotReleasableError):
    """A refusal for a public reason; the message stays in the node's log, ``code`` is sent."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def code_of(problem: BaseException) -> RefusalCode:
    """Return what others may know of ``problem``: its code if it is public by construction, else UNAVAILABLE."""
    if isinstance(problem, RefusedError):
        return problem.code
    return RefusalCode.BUDGET if isinstance(problem, BudgetExceededError) else RefusalCode.UNAVAILABLE
