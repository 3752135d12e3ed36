"""Planned queries of which one unit can touch only some: disjoint batches, and the local model."""

from dataclasses import dataclass

from tacit import checks
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.account import Step
from tacit.privacy.card_content import repeated
from tacit.privacy.events import Event


@dataclass(frozen=True)
class BatchedStep(Step):
    """A step whose draws, ``times`` of them, cost one unit together what ``charged`` draws cost.

    ``because`` must say why: draws on disjoint batches that are fixed without looking at the values cost what one of
    them does; draws of which each sees one pair cost what the pairs of one unit do.
    """

    charged: int = 1

    def __post_init__(self) -> None:
        checks.whole("times", self.times)
        checks.whole("charged", self.charged)
        if not self.because:
            raise InputError("because must say why one unit touches only some of the draws; got nothing.")

    @property
    def event(self) -> Event:
        """What all the draws cost one unit together."""
        return accounting.at_group(repeated(self.mechanism.event, self.charged), self.rows)
