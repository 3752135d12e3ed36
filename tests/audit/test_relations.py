"""Every kind is audited under both relations: replayed as it is charged, or refused."""

import numpy as np
import pytest

from tacit.audit.neighbours import mixed_table
from tacit.audit.relations import EXCHANGED, cases, claim_of, exchanged_table, is_refused, relation_result, replayed
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.privacy.budget import ONLY_REPLACED, Relation, Unit
from tacit.privacy.conversions import Claim
from tacit.privacy.events import LaplaceEvent

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


def test_the_exchanged_table_differs_in_one_row_and_in_no_label() -> None:
    (X, y), (other, labels) = mixed_table(), exchanged_table()
    assert y.tolist() == labels.tolist()
    assert np.flatnonzero((other != X).any(axis=1)).tolist() == [EXCHANGED]
    assert (np.abs(X - other)[EXCHANGED] >= 0.5).all()


@pytest.mark.parametrize(
    ("exact", "relation", "refused"),
    [
        ((), Relation.ADD_REMOVE, False),
        (("row count",), Relation.ADD_REMOVE, True),
        (("row count",), Relation.REPLACE, False),
        (("labels",), Relation.REPLACE, True),
        (None, Relation.ADD_REMOVE, False),
    ],
)
def test_what_leaves_exactly_decides_which_neighbours_are_refused(
    exact: tuple[str, ...] | None, relation: Relation, refused: bool
) -> None:
    claim = Claim.checked(LaplaceEvent(1.0, 1.0), unit="record", relation=list(Relation), exact=exact)
    assert is_refused(claim, Unit.RECORD, relation) is refused


def test_two_changes_leave_room_for_an_exchange() -> None:
    moments = kind_by_method("moments")
    twice = replayed(moments, Unit.RECORD, Relation.REPLACE, 0, changes=2)
    assert twice.passed
    assert twice.lower_bound <= 1


def test_a_claim_is_made_for_the_relation_that_a_kind_offers() -> None:
    linear = kind_by_method("linear")
    for relation in Relation:
        assert relation in claim_of(linear, Unit.RECORD, relation).relations
    assert claim_of(linear, Unit.RECORD).exact
    assert not claim_of(linear, Unit.RECORD, Relation.ADD_REMOVE).exact
