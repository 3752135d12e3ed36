"""Estimators per person: bounded rows, noise for all of them, and a card and a ledger that count persons."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.models.per_person import contributed_rows, promised_plan
from tacit.privacy import accounting
from tacit.privacy.account import plan_event

X = np.arange(12.0)[:, None] / 12
Y = np.arange(12) % 2
VISITS = np.array(["ann"] * 7 + ["bob"] * 2 + ["", "eve", "eve"])


def model(rows: int | None = 3, **settings: object) -> PrivateNearestMean:
    return PrivateNearestMean(1.0, bounds=(0, 1), rows_per_person=rows, random_state=0, **settings)  # type: ignore[arg-type]


def test_at_most_k_rows_of_each_person_are_read_and_none_that_is_nobodys() -> None:
    persons, rows = contributed_rows(model(), VISITS, VISITS, X)
    assert {name: int((persons == name).sum()) for name in set(persons)} == {"ann": 3, "bob": 2, "eve": 2}
    assert len(rows) == 7


def test_which_rows_are_read_depends_on_no_value() -> None:
    _, first = contributed_rows(model(), VISITS, X, np.arange(12))
    _, second = contributed_rows(model(), VISITS, 100 - X, np.arange(12))
    assert np.array_equal(first, second)
    without = VISITS != "ann"
    _, others = contributed_rows(model(), VISITS[without], X[without], np.arange(12)[without])
    assert set(others) == {place for place in first if VISITS[place] != "ann"}


def test_per_record_everything_is_read() -> None:
    (rows,) = contributed_rows(model(None), None, X)
    assert rows is X


@pytest.mark.parametrize(("rows", "persons"), [(3, None), (None, VISITS)])
def test_persons_and_their_bound_come_together(rows: int | None, persons: object) -> None:
    with pytest.raises(InputError, match="must be given together"):
        model(rows).fit(X, Y, persons=persons)  # type: ignore[arg-type]


def test_every_row_needs_somebody_named_or_nobody() -> None:
    with pytest.raises(InputError, match="for each of 12 rows"):
        model().fit(X, Y, persons=VISITS[:5])
    numbers = np.array([1, 1, 2, *[np.nan] * 9])
    (rows,) = contributed_rows(model(), numbers, X)
    assert len(rows) == 3
    (rows,) = contributed_rows(model(), np.array([None] * 12), X)
    assert not len(rows)


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_noise_is_k_times_as_large_and_the_promise_is_kept(rows: int) -> None:
    (alone,) = model(None).plan(1)
    each, plan = promised_plan(model(rows), lambda one: one.record_plan(1))
    (step,) = plan.steps
    assert step.mechanism.sigma == pytest.approx(rows * alone.mechanism.sigma, rel=1e-3)  # type: ignore[attr-defined]
    assert step.rows == rows
    assert (plan.budget.unit, plan.budget.epsilon, plan.rows_per_person) == ("person", 1.0, rows)
    cost = accounting.epsilon(plan_event(plan.steps, plan.budget), delta=plan.budget.delta)
    assert 0.999 < cost <= 1.0
    assert each.rows_per_person is None
    assert each.plan(1)[0].mechanism == step.mechanism


def test_a_bound_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="rows_per_person"):
        model(0).fit(X, Y, persons=VISITS)
