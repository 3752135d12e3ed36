"""What a card says of a joint release is read as it was written, and refused if malformed."""

from dataclasses import asdict, replace
from typing import Any

import pytest

from tacit.errors import InputError
from tacit.privacy.card import Card
from tacit.privacy.card_content import Part
from tacit.privacy.events import GaussianEvent
from tacit.privacy.joint_facts import JointFacts, JointParty

FACTS = JointFacts(
    "ab" * 32, (JointParty("clinic a", "cd" * 32, "one", 3, "ef"), JointParty("b", "aa", "two", 1, "bb")), 1, 2, 0.5
)
PART = Part("sums", {"mechanism": "joint gaussian"}, "one row moves them by 1", GaussianEvent(4.0, 1.0))
CARD = Card("sums", "record", 1.0, 1e-6, "one row more or less", (PART,), joint=FACTS)  # type: ignore[arg-type]


def test_facts_are_read_as_they_were_written() -> None:
    assert JointFacts.from_dict(asdict(FACTS)) == FACTS
    assert Card.from_dict(CARD.to_dict()).joint == FACTS


def test_a_card_of_one_owner_says_nothing_of_parties() -> None:
    alone = replace(CARD, joint=None)
    assert "joint" not in alone.to_dict()
    assert Card.from_dict(alone.to_dict()).joint is None
    assert "Parties" not in alone.to_text()


def test_the_page_names_parties_receipts_and_the_coalition() -> None:
    text = " ".join(CARD.to_text().split())
    assert "2 signed the plan abababababababab" in text
    assert "together with 1 party; for everyone else epsilon is 0.5" in text
    assert "clinic a, key cdcdcdcdcdcdcdcd: ledger one, line 3, digest ef" in text
    assert "that of each party, charged before anything was drawn" in text


def test_a_ledger_finds_its_own_receipt() -> None:
    own = FACTS.receipt_of("two")
    assert own is not None
    assert (own["identifier"], own["line"], own["digest"]) == ("two", 1, "bb")
    other = FACTS.receipt_of("three")
    assert other is not None
    assert other["identifier"] == "one"


@pytest.mark.parametrize(
    "change",
    [
        {"parties": "two"},
        {"parties": [{"name": "a"}]},
        {"parties": [{"name": "a\nb", "key": "", "ledger": "", "line": 1, "digest": ""}]},
        {"colluding": 0},
        {"minimum": "3"},
        {"outside_epsilon": -1.0},
        {"colour": 1},
        {"plan": 7},
    ],
)
def test_malformed_facts_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        JointFacts.from_dict({**asdict(FACTS), **change})


def test_facts_that_are_no_table_are_refused() -> None:
    with pytest.raises(InputError, match="list of parties"):
        JointFacts.from_dict("many")
