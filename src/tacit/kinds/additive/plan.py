"""What an additive release draws: numbers of rows at each level, gradients, and the check of the finished scores."""

import numpy as np

from tacit.data.schemas.schema import Schema
from tacit.models.additive.levels import ColumnLevels, levels_of, number_levels
from tacit.models.additive.plan import AdditivePlan, plan_additive
from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleasePlan


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[AdditivePlan]:  # noqa: ARG001 - records only
    """Return what releasing a table with ``schema`` will draw; nothing is charged.

    Everything is Gaussian noise whose number of draws and size follow from the schema, epsilon and delta alone.
    """
    schema.require_public_bounds()
    details = plan_additive(levels_of(schema.features), target_levels(schema), epsilon=epsilon, delta=delta)
    return ReleasePlan(details.budget, details.steps, len(schema.features), (), schema=schema, details=details)


def target_levels(schema: Schema) -> ColumnLevels:
    """Return the levels of what is learned: the classes of the label, or intervals of a numeric target."""
    if schema.target is not None:
        return number_levels(schema.target.name, *schema.target.bounds)
    schema.require_classes()
    return ColumnLevels("class" if schema.label is None else schema.label.name, np.zeros(0), schema.classes)
