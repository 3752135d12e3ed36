"""The card as a page: every word on it follows from the card."""

from dataclasses import replace
from typing import Any

import pytest

from tacit.privacy.budget import Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.card_content import AuditResult, Part, number_text
from tacit.privacy.card_facts import CardFacts, LedgerCharge, LedgerHistory
from tacit.privacy.card_page import (
    ADAPTIVE,
    FIXED,
    WIDTH,
    confidence_text,
    page,
    person_meaning,
    settings_text,
    stated_facts,
)
from tacit.privacy.events import LaplaceEvent

PART = Part("a count", {"mechanism": "laplace", "scale": 2.0}, "one record moves it by 1", LaplaceEvent(2.0, 1.0))
CARD = Card("a count", Unit.RECORD, 0.5, 0.0, "one record more or less", (PART,), relation=Relation.ADD_REMOVE)


def text(card: Card) -> str:
    """Return the page with its lines joined, as they were before they were wrapped."""
    return " ".join(" ".join(page(card)).split())


def changed(**settings: Any) -> Card:
    return replace(CARD, **settings)


def test_no_line_is_wider_than_a_page() -> None:
    long = changed(assumptions=("word " * 60,), facts=CardFacts(owner="a hospital " * 8))
    assert max(len(line) for lines in page(long) for line in lines.splitlines()) <= WIDTH


def test_the_first_line_is_the_gravest_thing_to_say() -> None:
    assert text(CARD).startswith("This release is differentially private at the level of one record.")
    assert text(changed(epsilon=30.0)).startswith("WEAK: epsilon 30 lets odds change by a factor of 1e+13")
    assert text(changed(secure=False, epsilon=30.0)).startswith("SEEDED: NOT PRIVATE.")
    broken = changed(warning="the proof has a gap.", secure=False, epsilon=30.0)
    assert text(broken).startswith("THE STATED GUARANTEE DOES NOT HOLD: the proof has a gap.")


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("add-remove", "add-remove: a table with one record more or less"),
        ("replace", "replace: one record exchanged for another; how many there are is public"),
        (None, "not stated: this card is of a version that did not tell"),
    ],
)
def test_the_relation_is_said_in_words(relation: str | None, words: str) -> None:
    assert words in text(changed(relation=None if relation is None else Relation(relation)))


def test_what_a_record_means_for_a_person() -> None:
    assert "their number is not bounded" in person_meaning(CARD)
    assert "at most 3 were read" in person_meaning(changed(rows_per_person=3))
    assert "whether the person is in the table at all are protected" in person_meaning(CARD)
    assert "not that the person is among those counted" in person_meaning(changed(relation=Relation.REPLACE))


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        (Unit.PERSON, "A bounded number of rows of each person were read"),
        (Unit.ENTRY, "Each single cell of a person's row is protected"),
        (Unit.PAIR, "Each single relationship of a person is protected"),
    ],
)
def test_what_other_units_mean_for_a_person(unit: Unit, words: str) -> None:
    relation = Relation.ADD_REMOVE if unit is Unit.PERSON else Relation.REPLACE
    assert person_meaning(changed(unit=unit, relation=relation)).startswith(words)


def test_epsilon_in_words_is_a_factor_and_delta_a_probability() -> None:
    assert "at most 1.65 times as likely through one record." in text(CARD)
    assert "except with a probability of at most 1e-06." in text(changed(delta=1e-6))


def test_composition_is_said_where_there_is_more_than_one_part() -> None:
    assert FIXED not in text(CARD)
    assert FIXED in text(changed(parts=(PART, PART), epsilon=1.0))


def test_a_part_proved_for_another_relation_says_so() -> None:
    other = replace(PART, relations=(Relation.REPLACE,))
    assert "(proved for replace; counted as a group for add-remove)" in text(changed(parts=(other,)))
    assert "proved for" not in text(CARD)


def test_noise_that_is_not_exact_names_what_it_is_in() -> None:
    assert "exact, on a grid" in text(CARD)
    rough = replace(PART, exact=False)
    assert "in double precision, not exact, for: a count" in text(changed(parts=(rough,)))


def test_the_ledger_is_named_with_the_rule_its_sum_holds_by() -> None:
    assert "none: nothing adds this charge to other releases of the same rows" in text(CARD)
    entry = {"identifier": "ab12", "line": 3, "digest": "ff"}
    assert f"ab12, line 3, digest ff; {ADAPTIVE}" in text(changed(ledger=entry))


def test_charges_so_far_are_listed_and_earlier_ones_counted() -> None:
    charge = LedgerCharge(line=8, time="2026-01-01", purpose="release a", unit="record", epsilon=0.5, holds=True)
    history = LedgerHistory(budget="epsilon 3 per record", spent=1.0, left=2.0, charges=(charge,), earlier=7)
    words = text(changed(history=history))
    assert "8 charges" in words
    assert "7 charges before line 8, counted in the sum" in words
    assert "release a" in words
    assert "Charged so far" not in text(CARD)


@pytest.mark.parametrize(("lower", "verdict"), [(0.1, "no contradiction found"), (0.9, "CONTRADICTS THE CLAIM")])
def test_an_audit_says_what_it_showed_and_whether_that_contradicts(lower: float, verdict: str) -> None:
    audit = AuditResult("a count", claimed=0.5, lower_bound=lower, confidence=0.999, draws=1000, passed=lower <= 0.5)
    words = text(changed(audits=(audit,)))
    assert f"epsilon is at least {lower:.3g} with 99.9 % confidence (1000 draws a side)" in words
    assert verdict in words
    assert "none on this card; run `tacit audit`" in text(CARD)


def test_facts_that_the_owner_left_out_take_no_line() -> None:
    assert stated_facts(CARD) == []
    facts = stated_facts(changed(facts=CardFacts(owner="Ward 7", purpose="a study")))
    assert [value for _, value in facts] == ["Ward 7", "a study"]


def test_settings_are_names_and_numbers() -> None:
    settings = {"mechanism": "stacked", "inner": {"mechanism": "laplace", "scale": 0.123456789}, "shares": [0.5, 2]}
    assert settings_text(settings) == "inner (scale 0.123457), shares [0.5, 2]"
    assert number_text(1 / 3) == "0.333333"
    assert number_text("all") == "all"
    assert confidence_text(0.999999) == "99.9999 %"
