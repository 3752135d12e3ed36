"""Charges of other units and relations are converted or refused, and ledgers of an older format are read."""

from pathlib import Path
from typing import Any

import pytest

from tacit.errors import (
    BudgetExceededError,
    InputError,
    LedgerError,
    LedgerTamperedError,
)
from tacit.files.hash_chain import Head, canonical
from tacit.privacy import accounting, ledger_file
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import Claim
from tacit.privacy.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
)
from tacit.privacy.ledger import Ledger, Receipt
from tacit.privacy.ledger_records import LedgerHeader

TENTH = ApproximateEvent(0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "patients.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger.create(path, Budget(1, unit="record"), name="patients")


def charge(ledger: Ledger, event: Event = TENTH, purpose: str = "a mean") -> Receipt:
    return ledger.charge(event, unit="record", purpose=purpose)


# --- units


def test_an_entry_event_on_a_record_ledger_is_charged_for_every_entry_of_a_record(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(15, 1e-5, unit="record", relation="replace"))
    ledger.charge(
        LaplaceEvent(10, 1), unit="entry", purpose="pixels", n_features=784, exact=["row count"], noise_per_entry=True
    )
    assert ledger.spent() == pytest.approx(14.884, abs=2e-3)
    (line,) = ledger.lines()
    assert (line.event, line.unit, line.n_features) == (LaplaceEvent(10, 1), Unit.ENTRY, 784)


def test_an_entry_event_on_a_record_ledger_needs_the_number_of_features(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, unit="record", relation="replace"))
    with pytest.raises(InputError, match="n_features must be given"):
        ledger.charge(TENTH, unit="entry", purpose="", exact=[])
    with pytest.raises(BudgetExceededError, match=r"This charge alone costs epsilon 1\.1"):
        ledger.charge(TENTH, unit="entry", purpose="", n_features=11, exact=[])
    ledger.charge(TENTH, unit="entry", purpose="", n_features=10, exact=[])
    assert ledger.left() == 0


def test_a_record_event_on_an_entry_ledger_is_charged_for_one_row_out_and_one_in(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, unit="entry"))
    ledger.charge(TENTH, unit="record", purpose="", n_features=784)
    ledger.charge(TENTH, unit="record", relation="replace", purpose="")
    ledger.charge(TENTH, unit="entry", purpose="")
    assert ledger.spent() == pytest.approx(0.4)


# --- relations


def test_a_ledger_of_replaced_records_pays_twice_for_one_more_or_less(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, 1e-6, unit="record", relation="replace"))
    ledger.charge(GaussianEvent(30, 1), unit="record", purpose="sums")
    assert ledger.spent() == accounting.epsilon(GaussianEvent(30, 2), delta=1e-6)
    ledger.charge(TENTH, unit="record", relation="replace", purpose="weights")
    (first, second) = Ledger(ledger.path).lines()
    assert (first.claim.relations, second.claim.relations) == ((Relation.ADD_REMOVE,), (Relation.REPLACE,))


def test_what_publishes_the_number_of_rows_is_refused_where_rows_come_and_go(ledger: Ledger) -> None:
    with pytest.raises(InputError, match=r"Keep a ledger with relation 'replace'"):
        ledger.charge(TENTH, unit="record", relation="replace", purpose="weights")
    with pytest.raises(InputError, match="row count without noise"):
        ledger.charge(TENTH, unit="record", exact=["row count"], purpose="a mean of n")
    assert ledger.lines() == ()


def test_a_preview_says_what_a_charge_would_leave_and_writes_nothing(ledger: Ledger) -> None:
    claim = Claim.checked(ApproximateEvent(0.3), unit="record")
    after = ledger.preview(claim)
    assert [after.spent, after.left] == pytest.approx([0.3, 0.7])
    assert ledger.lines() == ()
    with pytest.raises(BudgetExceededError, match="Nothing was charged"):
        ledger.preview(Claim.checked(ApproximateEvent(1.3), unit="record"))


# --- ledgers of an older format


def old_ledger(path: Path, budget: Budget, *lines: dict[str, Any]) -> Path:
    """Write a ledger as the first format had it: no relation in the header, none on the lines."""
    header = LedgerHeader("a" * 32, "2024-05-06T07:08:09+00:00", "old", budget, format=1)
    ledger_file.make(path, header)
    head = header.start
    with ledger_file.writing(path, timeout=1.0) as file:
        for number, given in enumerate(lines, 1):
            plain = {"number": number, "time": "2024-05-06T07:08:10+00:00", "purpose": "old", "n_features": None}
            receipt = file.append(canonical({**plain, **given}), head)
            head = Head(receipt.line, receipt.digest)
    return path


OLD_RECORD = {"unit": "record", "event": {"event": "approximate", "epsilon": 0.25, "delta": 0.0}}
OLD_ENTRY = {"unit": "entry", "n_features": 2, "event": {"event": "laplace", "scale": 10.0, "sensitivity": 1.0}}


def test_an_old_ledger_is_read_and_says_which_relation_it_assumed(path: Path) -> None:
    ledger = Ledger(old_ledger(path, Budget(1, unit="record"), OLD_RECORD, OLD_RECORD))
    assert ledger.relation_assumed
    assert (ledger.spent(), ledger.left()) == (0.5, 0.5)
    statement = ledger.statement()
    assert len(statement.notes) == 1
    assert "2 of its lines are taken to speak of add-remove neighbours" in statement.notes[0]
    assert ledger.verify() == statement.lines


def test_an_old_ledger_is_charged_on_and_the_new_line_states_its_relation(path: Path) -> None:
    ledger = Ledger(old_ledger(path, Budget(1, unit="record"), OLD_RECORD))
    charge(ledger)
    with pytest.raises(InputError, match="relation must be 'add-remove'"):
        ledger.charge(TENTH, unit="record", relation="replace", purpose="")
    assert [line.relation_assumed for line in Ledger(path).lines()] == [True, False]
    Ledger(path).verify()


def test_an_old_line_per_entry_on_a_record_ledger_guarantees_nothing(path: Path) -> None:
    ledger = Ledger(old_ledger(path, Budget(1, unit="record"), OLD_RECORD, OLD_ENTRY))
    assert ledger.spent() == pytest.approx(0.45)
    assert any(note.startswith("no guarantee: line 2") for note in ledger.statement().notes)
    ledger.verify()


def test_an_old_line_per_record_on_an_entry_ledger_is_counted_twice_from_now_on(path: Path) -> None:
    ledger = Ledger(old_ledger(path, Budget(0.3, unit="entry"), OLD_RECORD))
    assert ledger.spent() == pytest.approx(0.5)
    assert ledger.left() == 0
    with pytest.raises(LedgerError, match="by the rules of this version"):
        ledger.verify()


def test_a_line_without_a_relation_does_not_belong_in_a_new_ledger(ledger: Ledger, path: Path) -> None:
    plain = {"number": 1, "time": "2024-05-06T07:08:10+00:00", "purpose": "old", "n_features": None}
    with ledger_file.writing(path, timeout=1.0) as file:
        file.append(canonical({**plain, **OLD_RECORD}), file.header().start)
    with pytest.raises(LedgerTamperedError, match="line 1 of the ledger states no relation"):
        Ledger(path).verify()


@pytest.mark.parametrize(
    ("unit", "other"), [("pair", "record"), ("pair", "entry"), ("record", "pair"), ("entry", "pair")]
)
def test_pairs_do_not_convert(tmp_path: Path, unit: str, other: str) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, unit=unit))
    with pytest.raises(
        InputError, match=f"unit must be '{unit}' on this ledger; got '{other}'.*keep a ledger for each"
    ):
        ledger.charge(TENTH, unit=other, purpose="", n_features=3)
    ledger.charge(TENTH, unit=unit, purpose="")
