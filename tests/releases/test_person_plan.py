"""Plans per person: noise for all rows of one person at once, and not more."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from tacit.arrays import Codes, FloatArray
from tacit.audit.neighbours import MIXED_SCHEMA, mixed_table
from tacit.audit.persons import person_replay
from tacit.audit.replay import QueryRecorder
from tacit.errors import InputError
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.privacy import accounting
from tacit.privacy.account import observed_by, plan_event
from tacit.privacy.budget import Relation, Unit
from tacit.privacy.mechanisms import Gaussian, Laplace, ObjectivePerturbation
from tacit.releases.kind import ReleaseKind, ReleasePlan

KINDS = [kind for kind in all_kinds() if Unit.RECORD in kind.units]
MOMENTS = kind_by_method("moments")


def plan_of(kind: ReleaseKind, rows: int, epsilon: float = 1.0, delta: float = 1e-6) -> ReleasePlan[object]:
    return kind.plan(MIXED_SCHEMA, unit="person", epsilon=epsilon, delta=delta, n_rows=400, rows_per_person=rows)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("rows", [1, 3, 50])
def test_a_plan_keeps_its_promise_to_a_person_and_wastes_nothing(kind: ReleaseKind, rows: int) -> None:
    plan = plan_of(kind, rows)
    spent = accounting.epsilon(plan_event(plan.steps, plan.budget), delta=plan.budget.delta)
    assert 1 - 1e-6 < spent <= 1 + 1e-12
    assert (plan.budget.unit, plan.budget.epsilon, plan.rows_per_person) == (Unit.PERSON, 1.0, rows)
    assert all(f"of one person at most {rows} row" in step.because for step in plan.steps)
    assert all(step.rows == rows for step in plan.steps)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_noise_grows_with_the_rows_and_not_faster(kind: ReleaseKind) -> None:
    """Group privacy of (epsilon, delta) pairs would ask for more: Gaussian noise K times as large is enough."""
    alone = kind.plan(MIXED_SCHEMA, unit="record", epsilon=1.0, delta=1e-6, n_rows=400)
    for one, many in zip(alone.steps, plan_of(kind, 7).steps, strict=True):
        for first, second in [(one.mechanism, many.mechanism)]:
            if isinstance(first, Gaussian | Laplace):
                level = "sigma" if isinstance(first, Gaussian) else "scale"
                assert getattr(second, level) == pytest.approx(7 * getattr(first, level), rel=1e-6)
            else:
                assert isinstance(first, ObjectivePerturbation)
                assert isinstance(second, ObjectivePerturbation)
                assert second.beta == pytest.approx(first.beta / 7, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "delta", "rows"), [(1.0, 1e-3, 5000), (0.1, 1e-9, 100), (20.0, 1e-2, 1000)])
def test_extreme_promises_have_a_plan(epsilon: float, delta: float, rows: int) -> None:
    plan = plan_of(MOMENTS, rows, epsilon, delta)
    assert accounting.epsilon(plan_event(plan.steps, plan.budget), delta=delta) == pytest.approx(epsilon, rel=1e-6)


def test_a_pure_kind_promises_a_person_no_delta() -> None:
    plan = plan_of(kind_by_method("linear"), 4, delta=1e-3)
    assert plan.budget.delta == 0
    assert plan.budget.relation is Relation.REPLACE
    assert kind_by_method("linear").make(plan, *mixed_table(), random_state=0).card.unit is Unit.PERSON


def _query(X: FloatArray, codes: Codes, plan: ReleasePlan[object]) -> FloatArray:
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        MOMENTS.make(plan, X, codes, random_state=0)
    return recorder.queries[0].values


def test_every_person_of_a_small_world_moves_the_sums_by_at_most_k_times_one_row() -> None:
    """Brute force: all persons with one or two of the twelve rows that the schema knows, there or not."""
    most = 2
    plan = plan_of(MOMENTS, most)
    mechanism = plan.steps[0].mechanism
    X, codes = mixed_table()
    without = _query(X, codes, plan)
    rows = [(*row, label) for row, label in product([(n, *c) for n in (0, 0.5, 1) for c in ((1, 0), (0, 1))], (0, 1))]
    moved = []
    for person in [*combinations_with_replacement(rows, most), *((row,) for row in rows)]:
        more = np.array(person)
        joined = _query(np.vstack([X, more[:, :-1]]), np.append(codes, more[:, -1].astype(int)), plan)
        moved.append(mechanism.distance(without, joined))
    assert max(moved) <= most * mechanism.sensitivity * (1 + 1e-9)
    # Two rows in the same corner use the whole of it, so that nothing less would do.
    assert max(moved) > 0.999 * most * mechanism.sensitivity


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_ten_rows_of_one_person_move_no_query_further_than_ten_times_one_row(kind: ReleaseKind) -> None:
    result = person_replay(kind, 0)
    assert result.passed
    assert result.lower_bound > 0.3, "the neighbours of the test must use some of the sensitivity"


def test_a_person_needs_a_bound_and_nobody_else_takes_one() -> None:
    with pytest.raises(InputError, match=r"rows_per_person must be given with unit 'person'.*--rows-per-person K"):
        MOMENTS.plan(MIXED_SCHEMA, unit="person", epsilon=1, delta=1e-6)
    with pytest.raises(InputError, match=r"rows_per_person must be None with unit 'record'; got 3"):
        MOMENTS.plan(MIXED_SCHEMA, unit="record", epsilon=1, delta=1e-6, rows_per_person=3)
    with pytest.raises(InputError, match="rows_per_person must be at most 1,000,000"):
        plan_of(MOMENTS, 10**7)
    with pytest.raises(InputError, match="rows_per_person must be a whole number"):
        plan_of(MOMENTS, 0)


@pytest.mark.parametrize("method", ["pairs", "rows"])
def test_a_kind_without_records_protects_no_persons(method: str) -> None:
    with pytest.raises(InputError, match=r"unit must be '(pair|entry)' for method"):
        plan_of(kind_by_method(method), 2)
