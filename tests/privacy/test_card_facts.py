"""Facts and charges on a card: one line each, refused if malformed, shown in words."""

from dataclasses import replace
from typing import Any

import pytest

from tacit import Budget, Card, CardFacts
from tacit.errors import InputError
from tacit.privacy.account import Account, Step
from tacit.privacy.card_facts import LONGEST_FACT, LedgerCharge, LedgerHistory
from tacit.privacy.mechanisms import Laplace

FACTS = CardFacts("City Hospital", "visits", "triage", "ethics vote 17", "2024 to 2026")
HISTORY = LedgerHistory(
    "epsilon 3 per record (add-remove)",
    0.75,
    2.25,
    (
        LedgerCharge(4, "2026-01-02T10:00:00+00:00", "release a.tacit", "record", 0.5),
        LedgerCharge(5, "2026-01-03T10:00:00+00:00", "", "record", None, holds=False),
    ),
    earlier=3,
)


def card(unit: str = "record", relation: str | None = None, **changes: Any) -> Card:
    mechanism = Laplace.for_epsilon(1.0, sensitivity=1.0)
    step = Step(mechanism, "a sum", "it is so", relation=Budget(1, unit=unit, relation=relation).relation)
    account = Account.open([step], budget=Budget(1.0, unit=unit, relation=relation))
    return replace(account.card("a sum", adjacency="so"), **changes)


def words(card: Card) -> str:
    return " ".join(card.to_text().split())


def test_facts_and_charges_survive_the_card_s_json_and_stand_in_its_text() -> None:
    full = card(facts=replace(FACTS, n_rows=1234), history=HISTORY)
    assert Card.from_dict(full.to_dict()) == full
    text = words(full)
    for fact in (
        "Owner City Hospital",
        "Data set visits",
        "Purpose triage",
        "Legal note ethics vote 17",
        "2024 to 2026",
    ):
        assert fact in text
    assert "Rows 1,234, a public number" in text
    assert "Charged so far epsilon 3 per record (add-remove); epsilon 0.75 spent by 5 charges, 2.25 left" in text
    assert "- 3 charges before line 4, counted in the sum" in text
    assert "- line 4, 2026-01-02: release a.tacit; epsilon 0.5 per record" in text
    assert "- line 5, 2026-01-03: no purpose stated; no finite epsilon per record; NO GUARANTEE" in text


def test_a_card_from_before_facts_is_read_without_any() -> None:
    content = card().to_dict()
    del content["facts"], content["history"]
    old = Card.from_dict(content)
    assert old.facts == CardFacts()
    assert "Owner" not in old.to_text()


def test_a_noised_number_of_rows_says_so() -> None:
    assert CardFacts(n_rows=980, n_rows_noised=True).rows_text == "about 980, counted with noise"
    assert CardFacts().rows_text == ""
    assert "more than any epsilon spent by 5 charges" in str(replace(HISTORY, spent=None))


def test_facts_given_with_a_release_go_before_those_of_the_schema() -> None:
    assert CardFacts(owner="A", period="2025").over(FACTS) == replace(FACTS, owner="A", period="2025")
    assert FACTS.over(CardFacts()) == FACTS


@pytest.mark.parametrize(
    "wrong",
    [
        {"purpose": 7},
        {"period": "x" * (LONGEST_FACT + 1)},
        {"n_rows": -1},
        {"n_rows": 1.5},
        {"n_rows_noised": "yes"},
        {"signature": "x"},
        ["owner"],
    ],
)
def test_malformed_facts_are_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="the card's facts"):
        Card.from_dict({**card().to_dict(), "facts": wrong})


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[31mred"])
def test_control_characters_are_refused_from_an_owner_and_made_harmless_in_a_file(text: str) -> None:
    with pytest.raises(InputError):
        CardFacts(owner=text)
    read = Card.from_dict({**card().to_dict(), "facts": {"owner": text}}).facts.owner
    assert read.isprintable()
    assert read != text


@pytest.mark.parametrize(
    "wrong",
    [
        7,
        {},
        {"budget": "b", "spent": 1, "left": 0, "charges": "none"},
        {"budget": "b", "spent": 1, "left": 0, "charges": [{"line": 1}]},
        {"budget": "b", "spent": float("inf"), "left": 0, "charges": []},
        {"budget": "b", "spent": "1", "left": 0, "charges": []},
        {"budget": "b", "spent": 1, "left": -1, "charges": []},
        {"budget": "b", "spent": 1, "left": 0, "charges": [], "earlier": -1},
        {"budget": "b", "spent": 1, "left": 0, "charges": [], "more": 1},
    ],
)
def test_a_malformed_history_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        Card.from_dict({**card().to_dict(), "history": wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"line": 0},
        {"time": None},
        {"purpose": "\x07"},
        {"epsilon": float("nan")},
        {"epsilon": True},
        {"holds": 1},
    ],
)
def test_a_malformed_charge_is_refused(wrong: dict[str, Any]) -> None:
    sound: dict[str, Any] = {"line": 1, "time": "t", "purpose": "p", "unit": "record", "epsilon": 1.0}
    LedgerCharge(**sound)
    with pytest.raises(InputError):
        LedgerCharge(**{**sound, **wrong})


def test_a_card_says_what_its_unit_means_for_a_person() -> None:
    assert "whether the person is in the table at all are protected. That is for a person with one row" in words(card())
    assert "not that the person is among those counted" in words(card(relation="replace"))
    assert "At most 4 rows of each person were read" in words(card("person", rows_per_person=4))
    assert "Each single cell of a person's row is protected" in words(card("entry"))
    assert "Each single relationship of a person is protected" in words(card("pair"))
