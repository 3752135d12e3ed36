"""What a ledger takes, what its lines cost, and what is said beside their sum: rules on lines, without a file."""

from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import InputError, LedgerError, LedgerTamperedError, UnknownEventError
from tacit.files.hash_chain import Receipt
from tacit.privacy import accounting, ledger_rules
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Claim
from tacit.privacy.events import LaplaceEvent, RepeatedEvent
from tacit.privacy.ledger import Ledger
from tacit.privacy.ledger_records import LONGEST_WARNING, LedgerHeader, Line, TableMatch
from tacit.privacy.ledger_rules import Allowance, Statement

HALF = LaplaceEvent(2.0, 1.0)
CLAIM = Claim.checked(HALF, unit="record")


@pytest.fixture
def ledger(tmp_path: Any) -> Ledger:
    opened = Ledger.create(tmp_path / "l.ledger", Budget(2.0, unit="record"))
    for purpose in ("one", "two"):
        opened.charge(HALF, unit="record", purpose=purpose)
    return opened


def lines_of(ledger: Ledger) -> tuple[Line, ...]:
    return ledger.statement().lines


def header_of(ledger: Ledger) -> LedgerHeader:
    return ledger._header


def test_allowances_are_one_or_several_words() -> None:
    assert ledger_rules.allowances("no-guarantee") == {Allowance.NO_GUARANTEE}
    assert ledger_rules.allowances([]) == frozenset()
    assert ledger_rules.allowances(["other-table", Allowance.SECOND_LEDGER]) == {
        Allowance.OTHER_TABLE,
        Allowance.SECOND_LEDGER,
    }
    with pytest.raises(InputError, match="allow must be one of"):
        ledger_rules.allowances(["everything"])


@pytest.mark.parametrize(
    ("claim", "match", "needed", "words"),
    [
        (replace(CLAIM, warning="a seed."), TableMatch.SAME, Allowance.NO_GUARANTEE, "guarantees nothing"),
        (CLAIM, TableMatch.OTHER, Allowance.OTHER_TABLE, "made for another table"),
    ],
)
def test_what_is_not_allowed_is_refused_with_the_word_that_allows_it(
    claim: Claim, match: TableMatch, needed: Allowance, words: str
) -> None:
    others = frozenset(Allowance) - {needed}
    with pytest.raises(LedgerError, match=words) as refusal:
        ledger_rules.require_allowed(claim, match, others, name="l.ledger")
    assert f"--allow {needed}" in str(refusal.value)
    assert "Nothing was charged" in str(refusal.value)
    ledger_rules.require_allowed(claim, match, frozenset({needed}), name="l.ledger")


@pytest.mark.parametrize("match", [TableMatch.SAME, TableMatch.NOT_STATED])
def test_a_sound_charge_for_the_ledgers_own_table_needs_no_word(match: TableMatch) -> None:
    ledger_rules.require_allowed(CLAIM, match, frozenset(), name="l.ledger")


def test_a_claim_is_stored_as_it_will_be_read() -> None:
    assert ledger_rules.storable(CLAIM) == CLAIM
    spaced = replace(CLAIM, warning="two\n lines  of text")
    assert ledger_rules.storable(spaced).warning == "two lines of text"
    long = ledger_rules.storable(replace(CLAIM, warning="w" * 2000)).warning
    assert len(long) == LONGEST_WARNING
    assert long.endswith("…")


@pytest.mark.parametrize("event", ["laplace", None, RepeatedEvent("laplace", 2)])  # type: ignore[arg-type]  # on purpose
def test_an_event_of_somebody_else_is_not_stored(event: Any) -> None:
    with pytest.raises(UnknownEventError, match="event must be"):
        ledger_rules.storable(replace(CLAIM, event=event))


def test_a_key_finds_its_own_charge_and_no_other(ledger: Ledger) -> None:
    receipt = ledger.charge_claim(CLAIM, purpose="three", key="k3")
    lines = lines_of(ledger)
    assert ledger_rules.charged_before(lines, "k3", CLAIM) == receipt
    assert ledger_rules.charged_before(lines, "k4", CLAIM) is None
    other = Claim.checked(LaplaceEvent(4.0, 1.0), unit="record")
    with pytest.raises(LedgerError, match="line 3 of the ledger has the same key and charged something else"):
        ledger_rules.charged_before(lines, "k3", other)


def test_lines_cost_what_their_claims_convert_to(ledger: Ledger) -> None:
    lines, header = lines_of(ledger), header_of(ledger)
    assert ledger_rules.cost_of(lines[0], header) == HALF
    assert ledger_rules.spending_of(lines, header).epsilon() == pytest.approx(1.0)
    assert ledger_rules.spending_of((), header).epsilon() == 0


def test_a_line_of_a_unit_that_cannot_be_charged_was_edited(ledger: Ledger) -> None:
    line = lines_of(ledger)[0]
    edited = replace(line, claim=replace(line.claim, unit=Unit.PAIR))
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger has a unit that no charge could have had"):
        ledger_rules.cost_of(edited, header_of(ledger))


def test_lines_within_the_budget_stand_and_lines_past_it_are_named(ledger: Ledger) -> None:
    lines, header = lines_of(ledger), header_of(ledger)
    ledger_rules.require_within_budget(lines, header)
    ledger_rules.require_within_budget((), header)
    with pytest.raises(LedgerTamperedError, match="cannot have been charged"):
        ledger_rules.require_within_budget(lines * 3, header)


def test_a_receipt_stands_for_its_own_line_alone(ledger: Ledger) -> None:
    lines = lines_of(ledger)
    for line in lines:
        ledger_rules.require_receipt(lines, line.receipt)
    with pytest.raises(LedgerTamperedError, match="is not in the ledger: it holds 2 lines"):
        ledger_rules.require_receipt(lines, Receipt(3, lines[1].receipt.digest))
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger is not the one"):
        ledger_rules.require_receipt(lines, Receipt(1, lines[1].receipt.digest))


def test_a_statement_counts_the_lines_that_guarantee_nothing(ledger: Ledger) -> None:
    allowed = Ledger(ledger.path, allow=["no-guarantee"])
    allowed.charge(HALF, unit="record", purpose="seeded", warning="drawn from a seed.")
    statement = allowed.statement()
    assert statement.notes == ("no guarantee: line 3. drawn from a seed.",)
    assert statement.caution.startswith("1 of its 3 lines have no guarantee")
    assert statement.spent == pytest.approx(1.5)
    assert Statement(statement.lines, 1.5, 0.5).caution == ""


def test_a_line_for_another_table_is_noted_and_is_no_lack_of_guarantee(ledger: Ledger) -> None:
    line = replace(lines_of(ledger)[0], table=TableMatch.OTHER)
    (note,) = ledger_rules.notes([line], header_of(ledger))
    assert note == "line 1 was charged for another table than this ledger was made for."
    assert Statement((line,), 0.5, 1.5, (note,)).caution == ""


def test_what_is_left_is_what_the_budget_has_beyond_the_spending(ledger: Ledger) -> None:
    lines, header = lines_of(ledger), header_of(ledger)
    statement = ledger_rules.stated(lines, ledger_rules.spending_of(lines, header), header)
    assert statement.spent == pytest.approx(accounting.epsilon(RepeatedEvent(HALF, 2), delta=0.0))
    assert statement.left == pytest.approx(1.0)
