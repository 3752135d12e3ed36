"""What a release of noisy rows draws: noise in every entry."""

from tacit.data.schemas.schema import Schema
from tacit.models.entry_noise import entry_step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Exact
from tacit.releases.kind import ReleasePlan

WHAT = "every entry of every row"


def plan(schema: Schema, *, unit: Unit = Unit.ENTRY, epsilon: float, delta: float) -> ReleasePlan[None]:
    """Return what releasing the rows of a table with ``schema`` will draw; nothing is charged."""
    schema.require_public_bounds()
    schema.require_classes()
    step = entry_step(schema, epsilon, delta, WHAT)
    budget = Budget(epsilon, delta, unit=unit)
    return ReleasePlan(budget, (step,), len(schema.features), tuple(Exact), schema=schema, details=None)
