"""Audits of releases per person: every kind that protects records, with all rows of one person changed at once."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.tables.private_transfer import PrivateTransfer
from tacit.arrays import Codes, FloatArray
from tacit.audit.case import DELTA, EPSILON, Case, replay_result
from tacit.audit.game import Game, fit_samplers
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table
from tacit.data.rows.contribution import kept_rows
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.class_moments.plan import ROW_NORM
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.models.additive.classifier import PrivateAdditiveClassifier
from tacit.models.additive.regressor import PrivateAdditiveRegressor
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
from tacit.models.class_moments.features import count_weight, features_of
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.privacy.budget import Relation, Unit
from tacit.privacy.card_content import AuditResult
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.kind import ReleaseKind

# The bound K, and how many rows the person of the game has in the table.
MOST, ROWS = 10, 80
DRAWS, CONTROL_DRAWS = 500, 300
KEY = bytes(range(32))
CORNER = np.array([[1.0, 1.0, 0.0]])


@cache
def _adopted_release() -> Release:
    """Return the release of another owner, made before any replay: its queries are none of the receiver's."""
    kind = kind_by_method("additive")
    return kind.release(*mixed_table(), MIXED_SCHEMA, unit=Unit.RECORD, epsilon=2.0, delta=DELTA, random_state=0)


# Estimators that protect persons, as they are fitted to rows in [0, 1] with two classes.
ESTIMATORS: dict[str, Callable[..., Any]] = {
    "PrivateNearestMean": partial(PrivateNearestMean, classes=[0, 1]),
    "PrivateLogisticRegression": partial(PrivateLogisticRegression, classes=[0, 1], relation="add-remove"),
    "FeatureSplitClassifier": partial(
        FeatureSplitClassifier, classes=[0, 1], settings=SplitSettings(relation="add-remove")
    ),
    "HypothesisTransfer": partial(HypothesisTransfer, classes=[0, 1], relation="add-remove"),
    "PrivateAutoencoder": partial(PrivateAutoencoder, hidden=(2,)),
    "PrivateAutoencoderClassifier": partial(PrivateAutoencoderClassifier, classes=[0, 1], hidden=(2,)),
    "PrivateLinearRegression": partial(PrivateLinearRegression, target_bounds=(0, 1)),
    "PrivateAdditiveClassifier": partial(PrivateAdditiveClassifier, classes=[0, 1]),
    "PrivateAdditiveRegressor": partial(PrivateAdditiveRegressor, target_bounds=(0, 1)),
    "PrivateTransfer": lambda epsilon, *, bounds, **settings: PrivateTransfer(  # noqa: ARG005 - its schema has bounds
        epsilon, releases=[_adopted_release()], schema=MIXED_SCHEMA, relation="add-remove", **settings
    ),
}


@record
class _Visits:
    """Encoded rows, their class codes, and whose rows they are."""

    X: FloatArray
    codes: Codes
    persons: NDArray[np.str_]


def cases(seed: int | None) -> list[Case]:
    """Return a replay of each kind, the game of a person with many rows, and two broken ways to protect persons."""
    return [
        *(_replay_case(kind, seed) for kind in all_kinds() if Unit.RECORD in kind.units),
        _added_replay_case(kind_by_method("linear"), seed),
        *(_estimator_case(name, seed) for name in ESTIMATORS),
        Case(
            f"control: estimator with noise for one row, {MOST} rows of a person read",
            lambda: estimator_replay("PrivateNearestMean", seed, rows=1, bound=MOST),
            control=True,
        ),
        Case(f"release per person with {MOST} rows, game", lambda: _game(seed, rows=MOST, bound=MOST).play(DRAWS)),
        Case(
            f"control: noise for one row, {MOST} rows of a person read",
            lambda: _game(seed, rows=1, bound=MOST).play(CONTROL_DRAWS),
            control=True,
        ),
        Case(
            f"control: noise for {MOST} rows, {ROWS} rows of a person read",
            lambda: _game(seed, rows=MOST, bound=ROWS).play(CONTROL_DRAWS),
            control=True,
        ),
    ]


def _replay_case(kind: ReleaseKind, seed: int | None) -> Case:
    return Case(f"{kind.method} per person with {MOST} rows, replay", lambda: person_replay(kind, seed))


def _added_replay_case(kind: ReleaseKind, seed: int | None) -> Case:
    """Return the replay of a kind whose number of rows is public, in the form that hides it."""
    name = f"{kind.method} per person with {MOST} rows, number of rows hidden, replay"
    return Case(name, lambda: person_replay(kind, seed, relation=Relation.ADD_REMOVE))


def person_replay(kind: ReleaseKind, seed: int | None, *, relation: Relation | None = None) -> AuditResult:
    """Replay a release per person with all rows of one person there or not, or exchanged where their number is public.

    A query may move K times as far as its mechanism declares for one row, and no further.
    """
    # What follows the noise is drawn alike in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed

    def run(table: MixedTable) -> dict[str, object]:
        promise: dict[str, Any] = {"unit": Unit.PERSON, "epsilon": EPSILON, "delta": DELTA, "rows_per_person": MOST}
        if relation is not None:
            promise["relation"] = relation
        return dict(kind.release(*table, MIXED_SCHEMA, random_state=draw, **promise).arrays)

    exchanged = kind.row_count_public and relation is not Relation.ADD_REMOVE
    neighbour = exchanged_rows() if exchanged else added_rows()
    return replay_result(run, mixed_table(), neighbour, rows=MOST)


def _estimator_case(name: str, seed: int | None) -> Case:
    return Case(f"{name} per person with {MOST} rows, replay", lambda: estimator_replay(name, seed))


def estimator_replay(name: str, seed: int | None, *, rows: int = MOST, bound: int = MOST) -> AuditResult:
    """Replay a fit with and without a person who has 80 rows; noise is for ``rows`` of them, ``bound`` are read."""
    _adopted_release()

    def run(table: _Visits) -> dict[str, object]:
        # An estimator that bounds no rows itself gets them bounded, to show what noise for fewer rows is worth.
        kept = kept_rows(table.persons, rows_per_person=bound, key=KEY)
        names = table.persons[kept] if rows == bound else np.arange(kept.sum()).astype(np.str_)
        model = ESTIMATORS[name](EPSILON, bounds=(0, 1), rows_per_person=rows, random_state=seed or 0)
        fitted = model.fit(table.X[kept], table.codes[kept], persons=names)
        return dict(fitted.release().arrays) if hasattr(fitted, "release") else {"weights": fitted.coef_}

    return replay_result(run, *_visits(), rows=rows)


def _visits() -> tuple[_Visits, _Visits]:
    """Return rows of as many persons, and the same with one person more, who has 80 rows in a corner of the cube."""
    X, y = mixed_table()
    others = _Visits(X, y, np.arange(len(X)).astype(np.str_))
    joined = _Visits(
        np.vstack([X, np.repeat(CORNER, ROWS, axis=0)]),
        np.append(y, [1] * ROWS),
        np.append(others.persons, ["one more"] * ROWS),
    )
    return others, joined


def added_rows() -> MixedTable:
    """Return the table with K rows more, all of them in the same corner of the cube."""
    X, y = mixed_table()
    return np.vstack([X, np.tile([[1.0, 1.0, 0.0]], (MOST, 1))]), np.append(y, [1] * MOST)


def exchanged_rows() -> MixedTable:
    """Return the table with K rows exchanged for a corner of the cube, with the other label."""
    X, y = mixed_table()
    places = np.arange(0, 4 * MOST, 4)
    X[places], y[places] = [1.0, 0.0, 1.0], 1 - y[places]
    return X, y


def _game(seed: int | None, *, rows: int, bound: int) -> Game:
    """Return the game of releases with and without a person who has 80 rows in a corner of the cube.

    Noise is made for ``rows`` rows, and ``bound`` of them are read. The statistic is the released class sum and count
    along what such a row adds to them, on which their likelihood ratio depends alone.
    """
    plan = CLASS_MOMENTS.plan(MIXED_SCHEMA, unit=Unit.PERSON, epsilon=EPSILON, delta=DELTA, rows_per_person=rows)
    added, weight = features_of(MIXED_SCHEMA)(CORNER)[0].astype(np.float64), count_weight(ROW_NORM)

    def statistic(table: _Visits, draw: int) -> float:
        kept = kept_rows(table.persons, rows_per_person=bound, key=KEY)
        arrays = CLASS_MOMENTS.make(plan, table.X[kept], table.codes[kept], random_state=draw).arrays
        return float(arrays["sums"][1] @ added + weight**2 * arrays["counts"][1])

    others, joined = _visits()
    sampler = fit_samplers(statistic, seed)
    return Game("person", EPSILON, DELTA, sampler(others), sampler(joined))
