"""Goals of a search: to raise one score, to raise a weighted sum, or to lower one score while another is kept.

A goal turns the scores of a batch [b, m] into feedback [b], and into values by which single queries are compared. It is
plain data: ``goal.to_dict()`` is JSON-ready, and ``goal_from_dict`` reads it back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.estimates import normalised, normalised_ranks


class Goal(Protocol):
    """The interface of all goals."""

    @property
    def n_scores(self) -> int:
        """Number of scores of one query."""

    def feedback(self, scores: FloatArray) -> FloatArray:
        """Return feedback [b] on the scale of ``normalised``; larger is better."""

    def values(self, scores: FloatArray) -> FloatArray:
        """Return one number [b] a query, comparable between batches; larger is better."""

    def to_dict(self) -> dict[str, Any]:
        """Return the goal as JSON-ready data."""


@dataclass(frozen=True)
class OneScore:
    """Raise one score, such as accuracy ([feedback] Alg. 2)."""

    kind: ClassVar[str] = "one_score"
    n_scores: ClassVar[int] = 1

    def feedback(self, scores: FloatArray) -> FloatArray:
        """Return the normalised score."""
        return normalised(scores[:, 0])

    def values(self, scores: FloatArray) -> FloatArray:
        """Return the score itself."""
        return scores[:, 0]

    def to_dict(self) -> dict[str, Any]:
        """Return the goal as JSON-ready data."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class WeightedScores:
    """Raise the sum of normalised scores times their weights; a negative weight lowers a score.

    [feedback] Alg. 4 is ``WeightedScores((rho, -1.0))`` for (accuracy, gap): ascent on ρE − Γ. Its last line is printed
    with a minus, which would lower the accuracy and widen the gap.
    """

    kind: ClassVar[str] = "weighted_scores"
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        weights = checks.finite_array("weights", self.weights)
        if weights.ndim != 1 or not weights.any():
            raise InputError(f"weights must hold a number a score, not all 0; got {self.weights!r}.")
        object.__setattr__(self, "weights", tuple(weights.tolist()))

    @property
    def n_scores(self) -> int:
        """Number of scores of one query."""
        return len(self.weights)

    def feedback(self, scores: FloatArray) -> FloatArray:
        """Return the weighted sum of the normalised scores."""
        columns = [weight * normalised(column) for weight, column in zip(self.weights, scores.T, strict=True)]
        return np.asarray(np.sum(columns, axis=0))

    def values(self, scores: FloatArray) -> FloatArray:
        """Return the weighted sum of the scores as they are."""
        return np.asarray(scores @ np.array(self.weights))

    def to_dict(self) -> dict[str, Any]:
        """Return the goal as JSON-ready data."""
        return {"kind": self.kind, "weights": list(self.weights)}


@dataclass(frozen=True)
class ConstrainedScores:
    """Lower the second score (a gap in [0, 1]) while the first (accuracy) stays at ``floor`` or above.

    Queries at or above the floor are ordered by their gap, all others come after them, ordered by how far they fall
    short; the feedback is the normalised rank in that order. So a batch below the floor climbs back, a batch above it
    narrows the gap, and no weight between the two has to be chosen.
    """

    kind: ClassVar[str] = "constrained_scores"
    n_scores: ClassVar[int] = 2
    floor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "floor", float(checks.finite_array("floor", self.floor)))

    def feedback(self, scores: FloatArray) -> FloatArray:
        """Return normalised ranks by value."""
        return normalised_ranks(self.values(scores))

    def values(self, scores: FloatArray) -> FloatArray:
        """Return −gap at or above the floor, and −1 − (floor − accuracy) below it."""
        accuracy, gap = scores[:, 0], scores[:, 1]
        if gap.min() < 0 or gap.max() > 1:
            raise InputError("scores must hold a gap in [0, 1] in the second column; it holds numbers outside.")
        return np.where(accuracy >= self.floor, -gap, accuracy - self.floor - 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the goal as JSON-ready data."""
        return {"kind": self.kind, "floor": self.floor}


GOALS: dict[str, Callable[..., Goal]] = {
    OneScore.kind: OneScore,
    WeightedScores.kind: WeightedScores,
    ConstrainedScores.kind: ConstrainedScores,
}


def goal_from_dict(content: Mapping[str, Any]) -> Goal:
    """Return the goal that ``to_dict`` wrote; an unknown kind is refused."""
    settings = dict(content)
    kind = checks.one_of("kind of a goal", settings.pop("kind", None), GOALS)
    try:
        return GOALS[kind](**settings)
    except TypeError as problem:
        raise InputError(f"a goal of kind {kind!r} does not have these settings.") from problem
