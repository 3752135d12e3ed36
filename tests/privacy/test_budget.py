import pytest

from tacit import Budget, Unit
from tacit.errors import BudgetError


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 101, "1", None, True])
def test_an_epsilon_that_is_no_budget_is_refused(epsilon: object) -> None:
    with pytest.raises(BudgetError, match="epsilon must be"):
        Budget(epsilon, unit="record")  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [-1e-9, 1, 2, float("nan"), "0"])
def test_a_delta_outside_its_range_is_refused(delta: object) -> None:
    with pytest.raises(BudgetError, match="delta must be in"):
        Budget(1, delta, unit="record")  # type: ignore[arg-type]


def test_an_unknown_unit_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(BudgetError, match="'entry', 'record', 'pair'"):
        Budget(1, unit="person")


def test_budgets_are_only_partly_ordered() -> None:
    wide, deep = Budget(2, 1e-6, unit="record"), Budget(1, 1e-5, unit="record")
    assert not wide.covers(deep)
    assert not deep.covers(wide)
    assert wide.covers(Budget(1, 1e-7, unit="record"))
    assert not wide.covers(Budget(1, 0, unit="entry"))


def test_a_budget_reads_as_a_sentence() -> None:
    assert str(Budget(0.5, 1e-6, unit=Unit.RECORD)) == "epsilon 0.5, delta 1e-06 per record"
