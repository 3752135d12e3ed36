"""Every kind is audited under both relations: replayed as it is charged, or refused."""

import pytest

from tacit.audit.relations import cases, claim_of, is_refused, relation_result, replayed
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.privacy.budget import ONLY_REPLACED, Relation, Unit

LIST = {case.name: case for case in cases(0)}


@pytest.mark.parametrize("name", LIST)
def test_each_case_is_as_it_should_be(name: str) -> None:
    assert LIST[name].run().passed is not LIST[name].control


def test_every_kind_stands_in_the_list_with_each_of_its_units_and_relations() -> None:
    wanted = {
        f"{kind.method} per {unit}, {relation}"
        for kind in all_kinds()
        for unit in kind.units
        for relation in Relation
        if unit is not Unit.PAIR and not (unit in ONLY_REPLACED and relation is Relation.ADD_REMOVE)
    }
    assert wanted == {name.partition(":")[0] for name in LIST if " per " in name}


def test_only_what_publishes_the_number_of_rows_is_refused() -> None:
    refused = [name for name in LIST if name.endswith("refused")]
    assert refused == ["linear with its number of rows on a ledger that hides it: refused"]
    assert "linear per record, add-remove: replay" in LIST  # in the form that hides it


def test_a_refusal_without_anything_exact_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.audit.relations.is_refused", lambda *_: True)
    assert not relation_result(kind_by_method("moments"), Unit.RECORD, Relation.REPLACE, 0).passed


def test_a_replaced_row_moves_sums_further_than_an_added_one() -> None:
    moments = kind_by_method("moments")
    assert Relation.REPLACE not in claim_of(moments, Unit.RECORD).relations
    assert not is_refused(claim_of(moments, Unit.RECORD), Unit.RECORD, Relation.REPLACE)
    once = replayed(moments, Unit.RECORD, Relation.REPLACE, 0, changes=1)
    assert not once.passed
    assert 1 < once.lower_bound <= 2
