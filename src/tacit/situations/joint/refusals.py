"""Why a party or the aggregator does not go on, as far as others may know: a code that tells nothing about a row."""

from enum import StrEnum
from typing import Any, Self

from tacit.errors import BudgetExceededError, NotReleasableError


class JoinRefusal(StrEnum):
    """What a refusal says; whoever reads it prints its own sentence for the code, never a text of the sender's."""

    MESSAGE = "message"
    PLAN = "plan"
    REPEATED = "repeated"
    PARTIES = "parties"
    SPENT = "spent"
    BUDGET = "budget"
    RANGE = "range"
    UNAVAILABLE = "unavailable"
    UNKNOWN = "unknown"

    @property
    def sentence(self) -> str:
        """What is reported of whoever refused with this code."""
        return SENTENCES[self]

    @classmethod
    def read(cls, code: Any) -> Self:
        """Return the code in a message; what is none is UNKNOWN."""
        return cls(code) if isinstance(code, str) and code in set(cls) else cls("unknown")


SENTENCES = {
    JoinRefusal.MESSAGE: "refused: the message is malformed, not signed by its party, or out of turn.",
    JoinRefusal.PLAN: "refused: it is another plan than the one that all parties signed.",
    JoinRefusal.REPEATED: "refused: the same question was answered before, with another content.",
    JoinRefusal.PARTIES: "refused: too few parties are left for the planned noise.",
    JoinRefusal.SPENT: "refused: the plan was charged before, and the record of that run is gone.",
    JoinRefusal.BUDGET: "refused: what the plan costs does not fit the party's ledger.",
    JoinRefusal.RANGE: "refused: the total is larger than rows could make it; a party sent garbage.",
    JoinRefusal.UNAVAILABLE: "refused: the party cannot answer; its own log says why.",
    JoinRefusal.UNKNOWN: "refused, for a reason that this version does not know.",
}


class JoinRefusedError(NotReleasableError):
    """A refusal for a public reason; the message stays where it was raised, ``code`` is sent."""

    def __init__(self, code: JoinRefusal, message: str = "") -> None:
        super().__init__(message or code.sentence)
        self.code = code


def code_of(problem: BaseException) -> JoinRefusal:
    """Return what others may know of ``problem``."""
    if isinstance(problem, JoinRefusedError):
        return problem.code
    return JoinRefusal.BUDGET if isinstance(problem, BudgetExceededError) else JoinRefusal.UNAVAILABLE
