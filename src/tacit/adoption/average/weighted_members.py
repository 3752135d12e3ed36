"""Fitted hypotheses with weights, and means over them."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.special import logsumexp

from tacit.adoption.average.hypotheses import Hypothesis
from tacit.arrays import FloatArray
from tacit.records import record

# Members of less weight are dropped, and no more than so many are kept.
LEAST_WEIGHT, MOST_MEMBERS = 0.02, 6


class FittedMember(Protocol):
    """A hypothesis fitted to labels."""

    @property
    def hypothesis(self) -> Hypothesis:
        """What was fitted."""

    @property
    def log_evidence(self) -> float:
        """The log of the probability of the labels."""

    @property
    def tree_weight(self) -> float:
        """The weight of what trees say; 1 where they do not enter."""


M = TypeVar("M", bound=FittedMember)


@record
class WeightedMembers(Generic[M]):
    """Fitted hypotheses with weights of sum 1."""

    weights: FloatArray
    members: tuple[M, ...]

    def mean(self, function: Callable[[M], FloatArray]) -> FloatArray:
        """Return the mean of a function of the members."""
        first, *others = zip(self.weights, self.members, strict=True)
        total = np.asarray(first[0] * function(first[1]))
        for weight, member in others:
            total += weight * function(member)
        return total

    def reads_release(self, place: int) -> bool:
        """Whether any member reads scores or features of the release at ``place``."""
        return any(member.hypothesis.usage.holds(place) for member in self.members)

    @property
    def reads_trees(self) -> bool:
        """Whether any member reads what trees say."""
        return any(member.hypothesis.trees for member in self.members)


def weighted(members: Sequence[M], log_masses: FloatArray) -> WeightedMembers[M]:
    """Return the members that count, largest mass first, with weights of sum 1."""
    weights = np.exp(log_masses - logsumexp(log_masses))
    kept = [place for place in np.argsort(-weights, kind="stable")[:MOST_MEMBERS] if weights[place] >= LEAST_WEIGHT]
    return WeightedMembers(weights[kept] / weights[kept].sum(), tuple(members[place] for place in kept))
