"""The owner's side: a metric learned from pairs of a private table's rows, released for receivers' neighbours."""

import math
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.columns import Numeric
from tacit.data.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.inputs import from_classes
from tacit.models.pair_metric.release import PairFacts, metric_release, pair_card
from tacit.privacy.account import Account, Plan
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release

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


def indicator_columns(schema: Schema) -> NDArray[np.bool_]:
    """Return which encoded columns are 0 or 1."""
    return np.asarray(feature_scales(schema) == CATEGORY_SCALE)


def difference_radius(schema: Schema, *, norm: int) -> float:
    """Return a public bound on the 1-norm or 2-norm of two rows' scaled magnitudes that shortens few."""
    number, category = ADDED[norm]
    total = sum(number if isinstance(column, Numeric) else category for column in schema.features)
    return math.sqrt(total) if norm == 2 else total


def plan_release(schema: Schema, *, unit: Unit | str, epsilon: float, delta: float) -> Plan:
    """Return what releasing a metric of a table with ``schema`` will draw; nothing is charged."""
    schema.require_public_bounds()
    if len(schema.classes) < 2:
        raise SchemaError("the schema must name a label with at least two classes: pairs are similar if theirs agree.")
    if unit != Unit.PAIR:
        raise InputError(f"unit must be 'pair' for a metric learned from pairs; got '{unit}'. Give --unit pair.")
    steps = _solver(schema, epsilon, delta).steps()
    return Plan(Budget(epsilon, delta, unit=Unit.PAIR), tuple(steps), len(schema.features))


def make_release(
    X: NDArray[np.floating[Any]],
    y: NDArray[Any],
    schema: Schema,
    *,
    unit: Unit | str,
    epsilon: float,
    delta: float,
    ledger: Ledger | str | PathLike[str] | None = None,
    random_state: int | None = None,
    purpose: str = "",
) -> Release:
    """Charge the ledger, then return the metric of rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    Rows are compared along a random chain, similar where their classes agree. ``X`` is encoded by ``schema``, which
    travels with the release and must be public.
    """
    plan = plan_release(schema, unit=unit, epsilon=epsilon, delta=delta)
    rows, codes = np.asarray(X, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or rows.shape[1] != len(schema.encoded_names) or len(codes) != len(rows):
        raise InputError(
            f"X must have rows of {len(schema.encoded_names)} encoded columns and y one code for each; "
            f"got shapes {rows.shape} and {codes.shape}."
        )
    pairs = from_classes(rows, codes, TOPOLOGY, random_state)
    solver = _solver(schema, epsilon, delta)
    account = Account.open(
        plan.steps,
        budget=plan.budget,
        ledger=ledger,
        random_state=random_state,
        purpose=purpose or "pair metric",
    )
    components, fell_back = solver.learn(account, pairs.differences((0, 1)), pairs.dissimilar)
    card = pair_card(account, PairFacts(KAPPA, pairs.graph, transitive=True, public=pairs.public))
    return metric_release(
        components,
        card,
        bounds=(0, 1),
        kappa=KAPPA,
        transitive=True,
        fell_back=fell_back,
        settings={"solver": "diagonal", "mechanism": solver.mechanism, "n_pairs": len(pairs.dissimilar)},
        schema=schema.to_dict(),
    )


def _solver(schema: Schema, epsilon: float, delta: float) -> Diagonal:
    scale = tuple(feature_scales(schema).tolist())
    mechanism = "gaussian" if delta else "laplace"
    radius = difference_radius(schema, norm=2 if delta else 1)
    return Diagonal(
        len(scale), KAPPA, mechanism, epsilon, delta, radius, scale, tuple(indicator_columns(schema).tolist())
    )
