import json
from dataclasses import replace
from typing import Any

import pytest

from tacit import Budget
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.account import Account, Step
from tacit.privacy.card import Card
from tacit.privacy.card_content import AuditResult, Guarantee
from tacit.privacy.card_page import settings_text
from tacit.privacy.mechanisms import Laplace, NormGamma


@pytest.fixture
def card() -> Card:
    laplace = Laplace.for_epsilon(0.5, sensitivity=1.0)
    gamma = NormGamma(0.5, 1.0, dimension=3)
    steps = [Step(laplace, "a count", "one row counts 1"), Step(gamma, "a direction", "rows have norm at most 1")]
    account = Account.open(steps, budget=Budget(1, unit="record"))
    made = account.card(
        "a count and a direction",
        adjacency="one row more or less",
        assumptions=["rows have norm at most 1"],
        not_protected=["the number of columns"],
    )
    return made.with_audits((AuditResult("a count", 0.5, 0.47, 0.999, 40_000, passed=True),))


def test_a_card_survives_the_way_through_json(card: Card) -> None:
    assert Card.from_dict(json.loads(card.to_json())) == card


def test_the_event_on_the_card_costs_what_the_card_says(card: Card) -> None:
    again = Card.from_dict(json.loads(card.to_json()))
    assert accounting.epsilon(again.event, delta=0) == pytest.approx(card.epsilon)


def test_the_page_says_what_a_reviewer_needs(card: Card) -> None:
    page = card.to_text()
    for needed in (
        "differentially private at the level of one record",
        "one row more or less",
        "epsilon 1, delta 0",
        "group of 2 records",
        "2.72 times as likely",
        "one row counts 1",
        "rows have norm at most 1",
        "the number of columns",
        "cryptographically secure",
        "in double precision, not exact, for: a direction",
        "no contradiction found",
        "add-remove: a table with one record more or less",
        "all parts were planned before the first was drawn",
    ):
        assert " ".join(needed.split()) in " ".join(page.split())
    assert max(len(line) for line in page.splitlines()) <= 79


def test_a_guarantee_that_does_not_hold_is_the_first_line(card: Card) -> None:
    page = replace(card, warning="every row of W uses the whole epsilon.").to_text()
    assert page.startswith("THE STATED GUARANTEE DOES NOT HOLD: every row of W uses the whole epsilon.")


def test_seeded_noise_is_the_first_line(card: Card) -> None:
    assert replace(card, secure=False).to_text().startswith("SEEDED: NOT PRIVATE")


@pytest.mark.parametrize(
    "change",
    [
        {"unit": "household"},
        {"relation": "swap"},
        {"published": ["colour"]},
        {"rows_per_person": 0},
        {"epsilon": -1},
        {"epsilon": "large"},
        {"delta": 2},
        {"title": 3},
        {"parts": 3},
        {"parts": [{"what": "x"}]},
        {"parts": [{"what": "x", "mechanism": {}, "because": "", "event": {"event": "magic"}}]},
        {"coarser": [{"epsilon": 1}]},
        {"audits": 7},
        {"audits": [{"what": "x", "claimed": "a", "lower_bound": 0, "confidence": 1, "draws": 1, "passed": True}]},
        {"parts": [{"what": "x", "mechanism": {}, "because": 3, "event": {"event": "approximate", "epsilon": 1}}]},
        {"epsilon": 1e308},
        {"secure": "x"},
        {"ledger": 7},
        {"assumptions": [7]},
        {"surprise": 1},
    ],
)
def test_a_malformed_card_is_refused(card: Card, change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Card.from_dict({**card.to_dict(), **change})


@pytest.mark.parametrize("missing", ["title", "unit", "epsilon", "delta", "adjacency", "parts"])
def test_a_card_without_a_needed_field_is_refused(card: Card, missing: str) -> None:
    content = card.to_dict()
    del content[missing]
    with pytest.raises(InputError):
        Card.from_dict(content)


def test_a_coarser_unit_without_a_guarantee_says_so(card: Card) -> None:
    bare = replace(card, coarser=(Guarantee("group of 5 records", None, 0.0),))
    assert "no guarantee at delta 0 for a group of 5 records" in bare.to_text()
    assert Card.from_dict(json.loads(bare.to_json())) == bare


def test_settings_of_mechanisms_within_mechanisms_are_words_and_numbers() -> None:
    inner = {"beta": 0.1234567891, "dimension": 4}
    settings = {"mechanism": "outer", "each": inner, "problems": 3, "settings": [inner, 2.5], "pair": (1, 2)}
    expected = (
        "each (beta 0.123457, dimension 4), problems 3, settings [(beta 0.123457, dimension 4), 2.5], pair [1, 2]"
    )
    assert settings_text(settings) == expected
