from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Relation, Unit
from tacit.arrays import FloatArray
from tacit.errors import BudgetError, BudgetExceededError, InputError
from tacit.privacy import accounting
from tacit.privacy.account import Account, Plan, Step, observed_by, plan_event
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import (
    EntryNoise,
    Exponential,
    Gaussian,
    Laplace,
    ObjectivePerturbation,
    StackedPerturbation,
)
from tacit.privacy.mechanisms.base import Mechanism

LAPLACE = Laplace.for_epsilon(0.5, sensitivity=1.0)
STEP = Step(LAPLACE, "a count", "one row moves the count by 1", times=2)
BUDGET = Budget(1, unit="record")


def test_a_planned_step_draws_as_often_as_planned_and_no_more() -> None:
    account = Account.open([STEP], budget=BUDGET)
    answers = [account.release(LAPLACE, np.array([3.0])) for _ in range(2)]
    assert answers[0] != answers[1]
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(LAPLACE, np.array([3.0]))


def test_a_mechanism_that_was_not_planned_draws_nothing() -> None:
    account = Account.open([STEP], budget=BUDGET)
    with pytest.raises(BudgetError, match="not planned"):
        account.release(Laplace(1.0, 1.0), np.zeros(1))


def test_values_released_together_use_the_plan_once_each() -> None:
    account = Account.open([STEP], budget=BUDGET)
    with pytest.raises(BudgetError, match="as often as planned: nothing was drawn"):
        account.release_each(LAPLACE, np.zeros(3))
    first, second = account.release_each(LAPLACE, np.array([3.0, 3.0]))
    assert first != second
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(LAPLACE, np.array([3.0]))


def test_an_audit_sees_values_released_together_one_by_one() -> None:
    account = Account.open([STEP], budget=BUDGET)
    seen: list[list[float]] = []

    def observer(_: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        seen.append(values.tolist())
        return draw()

    with observed_by(observer):
        assert account.release_each(LAPLACE, np.array([1.0, 2.0])).shape == (2,)
    assert seen == [[1.0], [2.0]]


def test_a_query_asked_repeatedly_uses_the_plan_each_time() -> None:
    account = Account.open([STEP], budget=BUDGET)
    with pytest.raises(BudgetError, match="as often as planned: nothing was drawn"):
        account.release_repeatedly(LAPLACE, np.zeros(1), 3)
    answers = account.release_repeatedly(LAPLACE, np.array([3.0]), 2)
    assert answers.shape == (2, 1)
    assert answers[0] != answers[1]
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(LAPLACE, np.array([3.0]))


def test_an_audit_sees_each_answer_to_a_repeated_query() -> None:
    account = Account.open([STEP], budget=BUDGET)
    with observed_by(lambda _mechanism, values, _draw: values + 1):
        answers = account.release_repeatedly(LAPLACE, np.array([1.0]), 2)
    assert answers.tolist() == [[2.0], [2.0]]


def test_only_noise_that_is_added_coordinate_by_coordinate_is_repeated() -> None:
    choice = Exponential(1.0, 1.0)
    account = Account.open([Step(choice, "a choice", "one row moves one score")], budget=BUDGET)
    with pytest.raises(InputError, match="Laplace or Gaussian"):
        account.release_repeatedly(choice, np.zeros(3), 1)


def test_only_queries_of_one_coordinate_are_released_together() -> None:
    wide = Laplace.for_epsilon(0.5, sensitivity=1.0, coordinates=2)
    account = Account.open([Step(wide, "counts", "one row moves both")], budget=BUDGET)
    with pytest.raises(InputError, match="one coordinate"):
        account.release_each(wide, np.zeros(1))


def test_a_plan_above_its_budget_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(10, unit="record"))
    with pytest.raises(BudgetError, match="cost epsilon 1 "):
        Account.open([STEP], budget=Budget(0.9, unit="record"), ledger=ledger)
    assert ledger.spent() == 0


def test_the_whole_plan_is_charged_before_the_first_draw(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(1.5, unit="record"))
    Account.open([STEP], budget=BUDGET, ledger=ledger, purpose="counts")
    assert ledger.spent() == pytest.approx(1.0)
    with pytest.raises(BudgetExceededError):
        Account.open([STEP], budget=BUDGET, ledger=ledger)
    assert [line.purpose for line in ledger.lines()] == ["counts"]


def test_an_entry_plan_is_converted_for_a_ledger_of_records(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(20, 1e-2, unit="record", relation="replace"))
    noise = EntryNoise(0.1, 1e-7, 1.0)
    step = Step(noise, "rows", "an entry moves by at most 1")
    Account.open([step], budget=Budget(0.1, 1e-7, unit="entry"), ledger=ledger, n_features=100, exact=["row count"])
    # By composition: a group of a hundred would cost ten.
    assert 1 < ledger.spent() < 9


def test_each_step_is_counted_in_the_relation_of_the_promise() -> None:
    """A promise to replaced records pays twice for what is proved for one more or less, and once for the rest."""
    replaced = Step(LAPLACE, "a mean", "n is public", relation=Relation.REPLACE)
    added = Step(LAPLACE, "a count", "one row moves the count by 1", relation=Relation.ADD_REMOVE)
    promise = Budget(1.5, unit="record", relation="replace")
    assert accounting.epsilon(plan_event([replaced, added], promise), delta=0) == pytest.approx(1.5)
    account = Account.open([replaced, added], budget=promise)
    card = account.card("two numbers", adjacency="one row exchanged")
    assert card.relation is Relation.REPLACE
    assert [part.relations for part in card.parts] == [(Relation.REPLACE,), (Relation.ADD_REMOVE,)]
    assert accounting.epsilon(card.event, delta=0) == pytest.approx(1.5)
    with pytest.raises(BudgetError, match=r"cost epsilon 1\.5 "):
        Account.open([replaced, added], budget=Budget(1, unit="record", relation="replace"))


def test_a_step_proved_for_replaced_records_keeps_no_promise_to_added_ones() -> None:
    step = Step(LAPLACE, "a mean", "n is public", relation=Relation.REPLACE)
    with pytest.raises(InputError, match="relation must be 'add-remove'"):
        Account.open([step], budget=Budget(1, unit="record"))


def test_a_mechanism_states_what_it_is_proved_for() -> None:
    replaced = ObjectivePerturbation.for_epsilon(1.0, curvature=1.0, dimension=2)
    added = ObjectivePerturbation.for_epsilon(1.0, curvature=1.0, dimension=2, neighbours="added")
    assert Step(replaced, "w", "").relations(Unit.RECORD) == (Relation.REPLACE,)
    assert Step(added, "w", "").relations(Unit.RECORD) == (Relation.ADD_REMOVE,)
    # With a public bound on the rows a row of zeros is no row.
    both = (Relation.ADD_REMOVE, Relation.REPLACE)
    assert Step(replaced, "w", "", relation=both).relations(Unit.RECORD) == both
    with pytest.raises(InputError, match="must be among add-remove"):
        Step(added, "w", "", relation=both).relations(Unit.RECORD)
    stacked = StackedPerturbation((replaced,), ObjectivePerturbation.for_epsilon(1.0, curvature=1.0, dimension=1))
    assert Step(stacked, "w", "").relations(Unit.RECORD) == (Relation.REPLACE,)
    assert Step(stacked, "w", "", relation=both).relations(Unit.RECORD) == both


def test_a_plan_proved_for_both_relations_costs_the_same_on_either_ledger(tmp_path: Path) -> None:
    step = Step(LAPLACE, "a count", "a row of zeros is no row", relation=(Relation.ADD_REMOVE, Relation.REPLACE))
    for relation in Relation:
        ledger = Ledger.create(tmp_path / f"{relation}.ledger", Budget(1, unit="record", relation=relation))
        Account.open([step], budget=BUDGET, ledger=ledger)
        assert ledger.spent() == pytest.approx(0.5)


def test_the_card_lists_what_was_planned_and_where_it_was_charged(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(5, 1e-5, unit="record"), allow=["no-guarantee"])
    gaussian = Gaussian.for_budget(0.5, 1e-6, sensitivity=2.0, coordinates=3)
    steps = [Step(gaussian, "a sum", "rows have norm at most 2"), Step(LAPLACE, "a count", "one row counts 1")]
    account = Account.open(steps, budget=Budget(1, 1e-6, unit="record"), ledger=ledger, random_state=3)
    card = account.card("two numbers", adjacency="one row more")
    assert [part.what for part in card.parts] == ["a sum", "a count"]
    assert card.ledger is not None
    assert card.ledger["digest"] == ledger.lines()[-1].digest
    assert not card.secure
    assert not card.holds
    assert [each.unit for each in card.coarser] == ["group of 2 records, or one exchanged", "group of 5 records"]
    assert card.coarser[0].epsilon is not None
    assert card.coarser[0].epsilon > 1


def test_without_a_seed_the_card_says_secure() -> None:
    card = Account.open([STEP], budget=BUDGET).card("a count", adjacency="one row more")
    assert card.secure
    assert card.holds
    assert card.ledger is None


def test_an_entry_card_states_the_record_level_too() -> None:
    noise = EntryNoise(0.1, 1e-7, 1.0)
    account = Account.open([Step(noise, "rows", "")], budget=Budget(0.1, 1e-7, unit="entry"))
    card = account.card("rows", adjacency="one entry changes", n_features=784)
    assert card.coarser[0].unit == "record of 784 entries"
    assert card.coarser[0].epsilon == pytest.approx(14.9, abs=0.1)
    assert card.coarser[0].delta == pytest.approx(1e-5 + 784e-7)


def test_a_plan_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        Account.open([], budget=BUDGET)


def test_a_plan_opens_the_account_that_draws_it(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", BUDGET)
    charged = Plan(BUDGET, (STEP,), n_features=7).open(ledger=ledger.path, purpose="two counts")
    (line,) = ledger.lines()
    assert (line.purpose, line.n_features, charged.steps) == ("two counts", None, (STEP,))
    account = Plan(BUDGET, (STEP,), n_features=7).open(random_state=3)
    again = Account.open([STEP], budget=BUDGET, random_state=3)
    assert account.release(LAPLACE, np.ones(1)) == again.release(LAPLACE, np.ones(1))


def test_a_plan_per_entry_tells_the_ledger_how_many_entries_a_record_has(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(20, 1e-2, unit="record", relation="replace"))
    step = Step(EntryNoise(0.1, 1e-7, 1.0), "rows", "an entry moves by at most 1")
    Plan(Budget(0.1, 1e-7, unit="entry"), (step,), n_features=100, exact=()).open(ledger=ledger)
    assert ledger.lines()[0].n_features == 100
