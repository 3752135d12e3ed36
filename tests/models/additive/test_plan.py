"""The plan of an additive release: what it costs, and what an account gives out."""

import math

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, classes

from tacit.errors import BudgetError
from tacit.models.additive.levels import number_levels
from tacit.models.additive.plan import (
    MARGINAL_SHARE,
    UNITS,
    AdditivePlan,
    UnitDraws,
    plan_additive,
    spread_units,
)
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.budget import Relation
from tacit.privacy.mechanisms import Gaussian


def planned(epsilon: float = 1.0, n_classes: int = 2) -> AdditivePlan:
    return plan_additive(COLUMNS, classes(n_classes), epsilon=epsilon, delta=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_plan_costs_its_epsilon_and_hardly_less(epsilon: float) -> None:
    plan = planned(epsilon)
    cost = accounting.epsilon(plan_event(plan.steps), delta=1e-6)
    assert 0.9999 * epsilon < cost <= epsilon


def test_mu_is_that_of_one_gaussian_with_the_same_promise() -> None:
    plan = planned()
    alone = Gaussian.for_budget(1.0, 1e-6, sensitivity=1.0)
    assert plan.mu == pytest.approx(1 / alone.sigma, rel=1e-3)


def test_the_counts_get_their_share() -> None:
    plan = planned()
    assert (1 / plan.marginals.sigma / plan.mu) ** 2 == pytest.approx(MARGINAL_SHARE, rel=1e-6)


def test_every_step_is_proved_for_a_row_more_or_less() -> None:
    plan = planned().as_plan
    assert {step.relation for step in plan.steps} == {Relation.ADD_REMOVE}
    assert plan.exact == ()
    assert plan.budget.relation is Relation.ADD_REMOVE


def test_one_draw_more_than_planned_is_refused() -> None:
    plan = planned()
    account = plan.as_plan.open(random_state=0)
    units, zeros = UnitDraws(account, plan.unit), IntegerSum(np.zeros(3, dtype=np.int64), 1.0)
    units.ask(zeros, UNITS)
    assert units.left == 0
    with pytest.raises(BudgetError, match="not planned"):
        units.ask(zeros, 1)


def test_several_units_answer_with_as_much_less_noise() -> None:
    plan, zeros = planned(), IntegerSum(np.zeros(4000, dtype=np.int64), 1.0)
    answer = UnitDraws(plan.as_plan.open(random_state=0), plan.unit).ask(zeros, 16)
    assert answer.std() == pytest.approx(plan.unit.sigma / 4, rel=0.05)


@pytest.mark.parametrize(("units", "steps"), [(11, 4), (113, 113), (100, 7), (5, 9)])
def test_units_are_spread_evenly_and_all_of_them(units: int, steps: int) -> None:
    spread = spread_units(units, steps)
    assert sum(spread) == units
    assert len(spread) == min(units, steps)
    assert max(spread) - min(spread) <= 1
    assert sorted(spread) == list(spread)


def test_more_classes_and_numbers_are_planned_alike() -> None:
    several, number = planned(n_classes=5), plan_additive(COLUMNS, number_levels("y", 0, 1), epsilon=1.0, delta=1e-6)
    assert several.target.size == 5
    assert number.target.is_number
    assert number.columns == COLUMNS
    # The noise in parts of the sensitivity depends on the budget alone.
    assert math.isclose(several.unit.sigma, number.unit.sigma, rel_tol=1e-3)


def test_a_promise_without_delta_is_refused() -> None:
    with pytest.raises(BudgetError, match="delta must be above 0"):
        plan_additive(COLUMNS, classes(2), epsilon=1.0, delta=0.0)
