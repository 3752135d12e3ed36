"""The owner's side of linear transfer: weights of logistic regressions on groups of columns, per record."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.checks import one_of
from tacit.data.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.feature_split import FeatureSplit
from tacit.privacy.account import Plan
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger
from tacit.release.file import Release
from tacit.scenarios.split_transfer.classifier import FeatureSplitClassifier

Rows = NDArray[np.floating[Any]]


def plan_release(schema: Schema, *, unit: Unit | str, epsilon: float, delta: float, n_rows: int = 1) -> Plan:
    """Return what releasing a table with ``schema`` will draw; nothing is charged.

    The release is pure: ``delta`` is not spent, and the budget has none. The cost does not depend on ``n_rows``; with
    it, the plan also states the release's own curvature.
    """
    schema.require_public_bounds()
    Budget(epsilon, delta, unit=unit)
    if one_of("unit", unit, [Unit.RECORD, Unit.ENTRY]) is not Unit.RECORD:
        raise InputError("unit must be 'record' for linear releases, which protect whole records; got 'entry'.")
    if len(schema.classes) < 2:
        raise SchemaError("the schema must name a label with at least two classes: a release speaks of classes.")
    model = FeatureSplitClassifier(epsilon, split=FeatureSplit.by_schema(schema), schema=schema)
    steps = model.plan(len(schema.encoded_names), n_rows=n_rows, classes=range(len(schema.classes)))
    budget = Budget(epsilon, unit=Unit.RECORD, relation=Relation.REPLACE)
    return Plan(budget, tuple(steps), len(schema.features), (Exact.ROW_COUNT,))


def make_release(
    X: Rows,
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
    """Charge the ledger, then return the weights learned from rows ``X`` [N, p] in [0, 1] with class codes ``y`` [N].

    Columns are split into the groups that ``schema`` names; without any, they are one group. Like the schema, the
    number of rows is public.
    """
    plan_release(schema, unit=unit, epsilon=epsilon, delta=delta)
    if not np.isin(y, np.arange(len(schema.classes))).all():
        raise InputError("y must hold class codes of the schema only: an owner releases labelled rows. Drop others.")
    model = FeatureSplitClassifier(
        epsilon,
        split=FeatureSplit.by_schema(schema),
        schema=schema,
        ledger=ledger,
        random_state=random_state,
        purpose=purpose or "linear release",
    )
    return model.fit(X, y).release()
