import pytest

from tacit import Budget, Relation, Unit
from tacit.errors import BudgetError, InputError
from tacit.privacy.budget import relations_of


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 101, "1", None, True])
def test_an_epsilon_that_is_no_budget_is_refused(epsilon: object) -> None:
    with pytest.raises(BudgetError, match="epsilon must be"):
        Budget(epsilon, unit="record")  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [-1e-9, 1, 2, float("nan"), "0"])
def test_a_delta_outside_its_range_is_refused(delta: object) -> None:
    with pytest.raises(BudgetError, match="delta must be in"):
        Budget(1, delta, unit="record")  # type: ignore[arg-type]


def test_an_unknown_unit_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(BudgetError, match="'entry', 'record', 'person', 'pair'"):
        Budget(1, unit="household")


def test_budgets_are_only_partly_ordered() -> None:
    wide, deep = Budget(2, 1e-6, unit="record"), Budget(1, 1e-5, unit="record")
    assert not wide.covers(deep)
    assert not deep.covers(wide)
    assert wide.covers(Budget(1, 1e-7, unit="record"))
    assert not wide.covers(Budget(1, 0, unit="entry"))
    assert not wide.covers(Budget(1, 0, unit="record", relation="replace"))


def test_a_budget_reads_as_a_sentence() -> None:
    assert str(Budget(0.5, 1e-6, unit=Unit.RECORD)) == "epsilon 0.5, delta 1e-06 per record (add-remove)"
    assert str(Budget(0.5, unit="record", relation="replace")) == "epsilon 0.5 per record (replace)"
    assert str(Budget(0.5, unit="entry")) == "epsilon 0.5 per entry"


def test_a_record_is_added_or_removed_unless_it_is_said_to_be_replaced() -> None:
    assert Budget(1, unit="record").relation is Relation.ADD_REMOVE
    assert Budget(1, unit="record", relation="replace").relation is Relation.REPLACE
    assert Budget(1, unit="entry").relation is Relation.REPLACE
    assert Budget(1, unit="pair").relation is Relation.REPLACE


@pytest.mark.parametrize("unit", ["entry", "pair"])
def test_what_is_never_added_by_itself_has_one_relation_only(unit: str) -> None:
    with pytest.raises(BudgetError, match=r"relation must be 'replace' for unit.*Choose unit 'record'"):
        Budget(1, unit=unit, relation="add-remove")


def test_an_unknown_relation_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(BudgetError, match="'add-remove', 'replace'"):
        Budget(1, unit="record", relation="swap")


def test_relations_are_named_one_or_several() -> None:
    both = (Relation.ADD_REMOVE, Relation.REPLACE)
    assert relations_of(Unit.RECORD, ["replace", "add-remove"]) == both
    assert relations_of(Unit.RECORD, "replace") == (Relation.REPLACE,)
    assert relations_of(Unit.RECORD, None) == (Relation.ADD_REMOVE,)
    with pytest.raises(InputError, match="at least one relation"):
        relations_of(Unit.RECORD, [])
