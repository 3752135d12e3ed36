"""What a release of tables draws: trees of levels, label by cell, label by pair of cells, all Gaussian."""

from tacit import checks
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.planning import Stages, plan_stages
from tacit.privacy.budget import Budget, Unit
from tacit.releases.kind import ReleasePlan

# Wider tables drown in noise; pictures are better served by class moments.
MOST_COLUMNS = 200


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[Stages]:
    """Return what releasing a table with ``schema`` will draw; nothing is charged."""
    schema.require_public_bounds()
    checks.fraction("delta", delta)
    if len(schema.features) > MOST_COLUMNS:
        raise InputError(
            f"method 'marginals' takes at most {MOST_COLUMNS} columns; got {len(schema.features)}. "
            "Give --method moments, or make columns 'ignored' in the schema."
        )
    budget = Budget(epsilon, delta, unit=unit)
    stages = plan_stages(Layout.of(schema), budget)
    return ReleasePlan(budget, stages.steps, len(schema.features), (), schema=schema, details=stages)
