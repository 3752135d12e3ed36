"""One Laplace query of counts."""

from tacit.data.schemas.schema import Schema
from tacit.privacy.account import Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.mechanisms import Laplace
from tacit.releases.kind import ReleasePlan


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[None]:
    """Return the plan: adding one row moves one of four counts by 1."""
    step = Step(Laplace.for_epsilon(epsilon, sensitivity=1.0), "counts by class and side", "a row is in one cell")
    budget = Budget(epsilon, delta, unit=unit)
    return ReleasePlan(budget, (step,), len(schema.features), (), schema=schema, details=None)
