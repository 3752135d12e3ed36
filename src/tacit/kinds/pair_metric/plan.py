"""What the release of a pair metric draws: sums of differences along a chain of pairs, once."""

import math

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.privacy.budget import Budget, Unit
from tacit.releases.kind import ReleasePlan

# A chain of pairs: each relationship shows in one of them.
TOPOLOGY, KAPPA = "chain", 1
NUMBER_SCALE = 1.0
# Two people differ in two columns of a category or in none: together they then move by at most 1.
CATEGORY_SCALE = math.sqrt(0.5)
# Guesses of what one number, and one category, add to the scaled magnitudes of a difference, by the norm: in 2-norm
# they add squares.
ADDED = {1: (0.55, 0.8), 2: (0.35, 0.6)}


def feature_scales(schema: Schema) -> FloatArray:
    """Return the public factor of each encoded column in the query."""
    scales = [
        NUMBER_SCALE if isinstance(column, Numeric) else CATEGORY_SCALE
        for column in schema.features
        for _ in column.encoded_names
    ]
    return np.array(scales)


def indicator_columns(schema: Schema) -> BoolArray:
    """Return which encoded columns are 0 or 1."""
    return np.asarray(feature_scales(schema) == CATEGORY_SCALE)


def difference_radius(schema: Schema, *, norm: int) -> float:
    """Return a public bound on the 1-norm or 2-norm of two rows' scaled magnitudes that shortens few."""
    number, category = ADDED[norm]
    total = sum(number if isinstance(column, Numeric) else category for column in schema.features)
    return math.sqrt(total) if norm == 2 else total


def plan(schema: Schema, *, unit: Unit, epsilon: float, delta: float) -> ReleasePlan[Diagonal]:
    """Return what releasing a metric of a table with ``schema`` will draw; nothing is charged.

    The plan's details are the solver that asks for the sums and makes the metric of them.
    """
    schema.require_public_bounds()
    schema.require_classes()
    solver = _solver(schema, epsilon, delta)
    budget = Budget(epsilon, delta, unit=unit)
    return ReleasePlan(budget, tuple(solver.steps()), len(schema.features), schema=schema, details=solver)


def _solver(schema: Schema, epsilon: float, delta: float) -> Diagonal:
    scale = tuple(feature_scales(schema).tolist())
    mechanism = "gaussian" if delta else "laplace"
    radius = difference_radius(schema, norm=2 if delta else 1)
    return Diagonal(
        len(scale), KAPPA, mechanism, epsilon, delta, radius, scale, tuple(indicator_columns(schema).tolist())
    )
