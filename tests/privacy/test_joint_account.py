"""A party's account of totals: the same code of a kind asks, an exchange answers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.errors import BudgetError, InputError, SensitivityError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import accounting
from tacit.privacy.account import Plan, Step, plan_event
from tacit.privacy.budget import Budget
from tacit.privacy.joint_account import JointAccount, joint_plan, outside_epsilon
from tacit.privacy.mechanisms import Gaussian, JointGaussian, Laplace
from tacit.privacy.mechanisms.joint import GridCells

PROMISE = Budget(1, 1e-6, unit="record")


def plan_for(epsilon: float) -> Plan:
    mechanism = Gaussian.for_budget(epsilon, 1e-6, sensitivity=1.0, coordinates=2, times=2)
    return Plan(Budget(epsilon, 1e-6, unit="record"), (Step(mechanism, "sums", "one row moves them by 1", 2),), 2, ())


def planned(parties: int = 4, honest: int = 2) -> Plan:
    return joint_plan(plan_for, PROMISE, parties=parties, honest=honest, rows=100)


def echo(_: JointGaussian, cells: GridCells) -> GridCells:
    """Return what a single party gave, as if there were no others."""
    return cells


def test_the_plan_keeps_its_promise_against_the_coalition_and_wastes_nothing() -> None:
    plan = planned()
    assert plan.budget == PROMISE
    cost = accounting.epsilon(plan_event(plan.steps, plan.budget), delta=1e-6)
    assert 1 - 1e-6 < cost <= 1 + 1e-9
    assert outside_epsilon(plan) < 0.75
    mechanism = plan.steps[0].mechanism
    assert isinstance(mechanism, JointGaussian)
    assert (mechanism.parties, mechanism.honest) == (4, 2)
    assert "at least 2 add noise" in plan.steps[0].because


@pytest.mark.parametrize("unit", ["record", "person"])
def test_a_plan_says_that_its_unit_lies_with_one_party(unit: str) -> None:
    def own(epsilon: float) -> Plan:
        return replace(plan_for(epsilon), budget=Budget(epsilon, 1e-6, unit=unit))

    promise = Budget(1, 1e-6, unit=unit)
    because = joint_plan(own, promise, parties=3, honest=1, rows=100).steps[0].because
    assert f"a {unit} lies with one of 3 parties" in because
    assert ("rows at two parties counts as two persons" in because) == (unit == "person")


def test_with_all_honest_a_joint_plan_has_the_noise_of_one_hand() -> None:
    alone = plan_for(1.0).steps[0].mechanism
    joint = planned(5, 5).steps[0].mechanism
    assert isinstance(alone, Gaussian)
    assert isinstance(joint, JointGaussian)
    assert joint.sigma == pytest.approx(alone.sigma, rel=1e-6)
    assert planned(4, 1).steps[0].mechanism.sigma == pytest.approx(2 * alone.sigma, rel=1e-6)  # type: ignore[attr-defined]


def test_kinds_ask_by_their_own_mechanism_or_by_the_joint_one() -> None:
    plan = planned()
    joint = plan.steps[0].mechanism
    assert isinstance(joint, JointGaussian)
    own = Gaussian(joint.sigma, joint.sensitivity, joint.coordinates)
    account = JointAccount(plan, echo)
    assert account.release(own, np.array([3.0, 4.0])).shape == (2,)
    assert account.release(joint, IntegerSum(np.array([3, 4]), 0.5)).shape == (2,)
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(own, np.array([3.0, 4.0]))


def test_repeated_answers_are_totals_of_their_own() -> None:
    plan = planned()
    joint = plan.steps[0].mechanism
    asked: list[tuple[int, ...]] = []

    def exchange(_: JointGaussian, cells: GridCells) -> GridCells:
        asked.append(cells.shape)
        return cells

    answers = JointAccount(plan, exchange).release_repeatedly(joint, np.array([1.0, 2.0]), 2)
    assert asked == [(2, 2)]
    assert not np.array_equal(answers[0], answers[1])


def test_a_query_that_was_not_planned_draws_nothing() -> None:
    account = JointAccount(planned(), echo)
    for stranger in (Gaussian(1.0, 1.0), Laplace(1.0, 1.0)):
        with pytest.raises(InputError, match="not of the joint plan"):
            account.release(stranger, np.zeros(1))


def test_a_total_of_another_shape_is_refused() -> None:
    plan = planned()
    account = JointAccount(plan, lambda _, cells: cells[:1])
    with pytest.raises(SensitivityError):
        account.release(plan.steps[0].mechanism, np.zeros(2))


def test_noise_other_than_gaussian_has_no_joint_plan() -> None:
    def laplace(epsilon: float) -> Plan:
        step = Step(Laplace.for_epsilon(epsilon, sensitivity=1.0), "a count", "one row moves it by 1")
        return Plan(Budget(epsilon, 1e-6, unit="record"), (step,), 1, ())

    with pytest.raises(InputError, match="Gaussian noise on sums"):
        joint_plan(laplace, PROMISE, parties=2, honest=1, rows=10)
    with pytest.raises(InputError, match="joint one"):
        outside_epsilon(plan_for(1.0))


def test_the_card_states_the_joint_mechanism() -> None:
    plan = planned()
    card = JointAccount(plan, echo).card("sums", adjacency="one row more or less")
    settings: Any = card.parts[0].mechanism
    assert settings["mechanism"] == "joint gaussian"
    assert settings["parties"] == 4
    assert card.secure
    assert card.ledger is None
