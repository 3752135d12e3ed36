"""Audits of every kind under both neighbouring relations: what its claim converts to is replayed, or it is refused."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tacit.audit.case import DELTA, EPSILON, Case, replay_fits, replay_result
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table, neighbouring_table
from tacit.errors import InputError
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.privacy.account import plan_claim
from tacit.privacy.budget import ONLY_REPLACED, Relation, Unit
from tacit.privacy.card_content import AuditResult
from tacit.privacy.conversions import Claim, converted, told_apart_by
from tacit.releases.kind import ReleaseKind

EXCHANGED = 7
# Regressions that hide the number of rows and are told none.
ADDED_ROW_MODELS: dict[str, Callable[..., Any]] = {
    "PrivateLogisticRegression": partial(PrivateLogisticRegression, relation="add-remove"),
    "FeatureSplitClassifier": partial(FeatureSplitClassifier, settings=SplitSettings(relation="add-remove")),
    "HypothesisTransfer": partial(HypothesisTransfer, relation="add-remove"),
}
# A public number of rows, with which a regression hides how many there are.
PUBLIC_ROWS = 50


def cases(seed: int | None) -> list[Case]:
    """Return a replay, or a refusal, of each kind for each of its units and each relation, and broken conversions."""
    kinds = [(kind, unit) for kind in all_kinds() for unit in kind.units if unit is not Unit.PAIR]
    moments = kind_by_method("moments")
    return [
        *(
            _case(kind, unit, relation, seed)
            for kind, unit in kinds
            for relation in Relation
            if not (unit in ONLY_REPLACED and relation is Relation.ADD_REMOVE)
        ),
        _refused_case(kind_by_method("linear")),
        *(_hidden_count_case(estimator, seed) for estimator in (PrivateLogisticRegression, FeatureSplitClassifier)),
        *(_added_row_case(model, seed) for model in ADDED_ROW_MODELS),
        Case("control: regularised by a number of rows that is hidden", lambda: _own_count_replay(seed), control=True),
        Case(
            "control: add-remove counted as replace",
            lambda: replayed(moments, Unit.RECORD, Relation.REPLACE, seed, changes=1),
            control=True,
        ),
    ]


def _case(kind: ReleaseKind, unit: Unit, relation: Relation, seed: int | None) -> Case:
    word = "refused" if is_refused(claim_of(kind, unit, relation), unit, relation) else "replay"
    return Case(f"{kind.method} per {unit}, {relation}: {word}", lambda: relation_result(kind, unit, relation, seed))


def is_refused(claim: Claim, unit: Unit, relation: Relation) -> bool:
    """Whether nothing is proved by ``claim`` for such neighbours, so that a ledger refuses it."""
    try:
        converted(claim, unit, relation)
    except InputError:
        return True
    return False


def relation_result(kind: ReleaseKind, unit: Unit, relation: Relation, seed: int | None) -> AuditResult:
    """Return the replay of ``kind`` under ``relation``, as often as its claim is charged; or that it is refused.

    A refusal is right where something leaves exactly that tells such neighbours apart.
    """
    claim = claim_of(kind, unit, relation)
    if is_refused(claim, unit, relation):
        return _refusal(claim, unit, relation)
    # An old row out and a new one in, where the claim is proved for one more or less.
    changes = 1 if relation in claim.relations else 2
    return replayed(kind, unit, relation, seed, changes=changes)


def _refusal(claim: Claim, unit: Unit, relation: Relation) -> AuditResult:
    right = bool(told_apart_by(claim.exact, unit, relation))
    return AuditResult("refused", 0.0, 0.0, 1.0, 0, passed=right)


def _refused_case(kind: ReleaseKind) -> Case:
    """Return whether the usual form of ``kind``, which publishes the number of rows, is refused where it is hidden."""
    relation = Relation.ADD_REMOVE

    def run() -> AuditResult:
        claim = claim_of(kind, Unit.RECORD)
        refused = is_refused(claim, Unit.RECORD, relation)
        return replace(_refusal(claim, Unit.RECORD, relation), passed=refused)

    return Case(f"{kind.method} with its number of rows on a ledger that hides it: refused", run)


def claim_of(kind: ReleaseKind, unit: Unit, relation: Relation | None = None) -> Claim:
    """Return what a ledger is charged for a release of the small table, in its form for ``relation`` if it has one."""
    chosen = relation if relation in kind.relations else None
    n_rows = len(mixed_table()[0])
    plan = kind.plan(MIXED_SCHEMA, unit=unit, epsilon=EPSILON, delta=DELTA, n_rows=n_rows, relation=chosen)
    return plan_claim(plan.steps, plan.budget, n_features=plan.n_features, exact=plan.exact)


def replayed(kind: ReleaseKind, unit: Unit, relation: Relation, seed: int | None, *, changes: int) -> AuditResult:
    """Return the replay of releases of two neighbours, whose queries may move ``changes`` times as far as declared."""
    # What follows the noise is drawn alike in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed

    def run(table: MixedTable) -> dict[str, object]:
        promise: dict[str, Any] = {"unit": unit, "epsilon": EPSILON, "delta": DELTA}
        if relation in kind.relations:
            promise["relation"] = relation
        return dict(kind.release(*table, MIXED_SCHEMA, random_state=draw, **promise).arrays)

    exchanged = unit is Unit.RECORD and relation is Relation.REPLACE
    neighbour = exchanged_table() if exchanged else neighbouring_table(unit)
    return replay_result(run, mixed_table(), neighbour, rows=changes)


def exchanged_table() -> MixedTable:
    """Return the small table with one row exchanged for its opposite corner of the cube, in the same class."""
    X, y = mixed_table()
    X[EXCHANGED] = np.where(X[EXCHANGED] > 0.5, 0.0, 1.0)
    return X, y


def _hidden_count_case(estimator: Any, seed: int | None) -> Case:
    """Return the replay of a regression with a public number of rows when there is one row more."""

    def model() -> Any:
        return estimator(EPSILON, n_rows=PUBLIC_ROWS, classes=[0, 1], bounds=(0, 1), random_state=seed)

    name = f"{estimator.__name__}, number of rows hidden"
    return Case(name, lambda: replay_fits(model, mixed_table(), _one_row_more()))


def _added_row_case(name: str, seed: int | None) -> Case:
    """Return the replay of a regression that is told no number of rows when there is one row more."""
    settings = {"classes": [0, 1], "bounds": (0, 1), "random_state": seed}
    return Case(
        f"{name}, any number of rows",
        lambda: replay_fits(lambda: ADDED_ROW_MODELS[name](EPSILON, **settings), mixed_table(), _one_row_more()),
    )


def _one_row_more() -> MixedTable:
    X, y = mixed_table()
    return np.vstack([X, [[1.0, 1.0, 0.0]]]), np.append(y, 1)


def _own_count_replay(seed: int | None) -> AuditResult:
    """Replay a regression made for a row more or less, but regularised by the table's own number of rows."""

    def run(table: MixedTable) -> dict[str, object]:
        settings: dict[str, Any] = {"classes": [0, 1], "bounds": (0, 1), "random_state": seed}
        model = PrivateLogisticRegression(
            EPSILON, relation="add-remove", n_rows=len(table[0]), regularization=1.0, **settings
        )
        return dict(model.fit(*table).release().arrays)

    return replay_result(run, mixed_table(), _one_row_more())
