"""The ledger charges before drawing, refuses past its budget, and is shared by every copy of it."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import (
    BudgetExceededError,
    InputError,
    LedgerError,
    UnknownEventError,
)
from tacit.files.hash_chain import Head
from tacit.privacy import accounting, ledger_file
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Claim
from tacit.privacy.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    RepeatedEvent,
    SequentialEvent,
)
from tacit.privacy.ledger import Ledger, Receipt

TENTH = ApproximateEvent(0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "patients.ledger"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger.create(path, Budget(1, unit="record"), name="patients")


def charge(ledger: Ledger, event: Event = TENTH, purpose: str = "a mean") -> Receipt:
    return ledger.charge(event, unit="record", purpose=purpose)


# --- making and opening


def test_a_new_ledger_has_its_budget_and_no_lines(ledger: Ledger, path: Path) -> None:
    again = Ledger(path)
    assert again.budget == Budget(1, unit="record")
    assert (again.name, again.identifier, again.created) == ("patients", ledger.identifier, ledger.created)
    assert again.lines() == ()
    assert (again.spent(), again.left()) == (0, 1)
    again.verify()


def test_a_ledger_at_rest_is_one_file(ledger: Ledger, path: Path) -> None:
    charge(ledger)
    ledger.verify()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_ledger_is_never_overwritten(ledger: Ledger, path: Path) -> None:
    charge(ledger)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="never overwritten"):
        Ledger.create(path, Budget(5, unit="record"))
    assert path.read_bytes() == before


def test_two_creations_at_once_make_one_ledger(path: Path) -> None:
    barrier = threading.Barrier(4)

    def create(epsilon: int) -> bool:
        barrier.wait()
        try:
            Ledger.create(path, Budget(epsilon, unit="record"))
        except LedgerError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(create, [1, 2, 3, 4]))
    assert made.count(True) == 1
    assert Ledger(path).budget.epsilon == 1 + made.index(True)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_log_left_by_another_ledger_is_not_read_into_a_new_one(path: Path, ending: str) -> None:
    path.with_name(path.name + ending).write_bytes(b"")
    with pytest.raises(LedgerError, match="left over"):
        Ledger.create(path, Budget(1, unit="record"))
    assert not path.exists()


def test_making_a_ledger_in_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="Choose a folder that exists"):
        Ledger.create(tmp_path / "none" / "x.ledger", Budget(1, unit="record"))


def test_what_is_no_budget_name_timeout_or_path_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="budget must be a Budget"):
        Ledger.create(path, 1.0)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(InputError, match="name must be one line"):
        Ledger.create(path, Budget(1, unit="record"), name="a\nb")
    for wrong in (3, "a\0b", b"x.ledger"):
        with pytest.raises(InputError, match="path must be"):
            Ledger(wrong)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(InputError, match="timeout must be"):
        Ledger(path, timeout=-1)
    assert not path.exists()


@pytest.mark.parametrize(
    "name", ["a b.ledger", "50%.ledger", "what?.ledger", "no#1.ledger", "Ärzte.ledger", "{x}.ledger"]
)
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    assert charge(Ledger.create(tmp_path / name, Budget(1, unit="record"))).line == 1
    with pytest.raises(BudgetExceededError):
        charge(Ledger(tmp_path / name), ApproximateEvent(2))
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_name_that_is_too_long_is_refused_plainly(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(path)
    with pytest.raises(LedgerError, match="File name too long"):
        Ledger.create(path, Budget(1, unit="record"))


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger(tmp_path)


def test_a_missing_ledger_is_not_made_by_opening_it(path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(path)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"epsilon,1\n" * 100])
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger(path)
    assert path.read_bytes() == content


def test_another_program_s_database_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE lines (number INTEGER)")
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger(path)


def test_a_ledger_of_a_later_format_is_refused(ledger: Ledger, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    with pytest.raises(LedgerError, match=r"format 3; this version of tacit reads formats up to 2"):
        Ledger(path)
    with pytest.raises(LedgerError, match="format 3"):
        charge(ledger)


# --- charging


def test_a_charge_stands_in_the_ledger_and_its_receipt_says_where(ledger: Ledger, path: Path) -> None:
    first = ledger.charge(LaplaceEvent(4, 1), unit=Unit.RECORD, purpose="mean age")
    second = charge(ledger)
    lines = Ledger(path).lines()
    assert [line.receipt for line in lines] == [first, second]
    assert [(line.number, line.purpose, line.unit) for line in lines] == [
        (1, "mean age", "record"),
        (2, "a mean", "record"),
    ]
    assert lines[0].event == LaplaceEvent(4, 1)
    assert lines[0].n_features is None
    assert lines[0].time.endswith("+00:00")
    assert ledger.spent() == pytest.approx(0.35)
    assert ledger.left() == pytest.approx(0.65)


def test_lines_and_receipts_cannot_be_changed(ledger: Ledger) -> None:
    receipt = charge(ledger)
    with pytest.raises(AttributeError):
        receipt.line = 2  # type: ignore[misc]  # the mistake under test
    with pytest.raises(AttributeError):
        ledger.lines()[0].purpose = "x"  # type: ignore[misc]  # the mistake under test


def test_a_refused_charge_leaves_the_ledger_as_it_was(ledger: Ledger, path: Path) -> None:
    charge(ledger, ApproximateEvent(0.7))
    before = (path.read_bytes(), ledger.lines())
    with pytest.raises(BudgetExceededError):
        charge(ledger, ApproximateEvent(0.5))
    assert (path.read_bytes(), ledger.lines()) == before
    charge(ledger, ApproximateEvent(0.3))


def test_a_refusal_says_what_is_left_and_what_would_fit(ledger: Ledger) -> None:
    charge(ledger, ApproximateEvent(0.7))
    with pytest.raises(BudgetExceededError) as refusal:
        charge(ledger, ApproximateEvent(0.5))
    message = str(refusal.value)
    assert "epsilon 0.3 is left; a single pure release of up to epsilon 0.3 would fit" in message
    assert "This charge alone costs epsilon 0.5" in message
    assert "budget of epsilon 1 per record" in message


def test_a_spent_ledger_says_that_nothing_is_left(ledger: Ledger) -> None:
    charge(ledger, ApproximateEvent(1.0))
    with pytest.raises(BudgetExceededError, match="no epsilon is left"):
        charge(ledger, ApproximateEvent(0.01))
    assert ledger.left() == 0


def test_what_has_no_pure_epsilon_does_not_fit_a_pure_ledger(ledger: Ledger) -> None:
    for event in (GaussianEvent(1000, 1), ApproximateEvent(0.1, 1e-9)):
        with pytest.raises(
            BudgetExceededError, match=r"epsilon 1 is left.*needs a delta above 0.*keep a ledger with a delta"
        ):
            charge(ledger, event)
    assert ledger.lines() == ()


@pytest.mark.parametrize("count", [3, 7, 10, 100])
def test_equal_shares_of_a_budget_fill_it_exactly(tmp_path: Path, count: int) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(0.3, unit="record"))
    for _ in range(count):
        charge(ledger, ApproximateEvent(0.3 / count))
    assert ledger.left() == 0
    with pytest.raises(BudgetExceededError):
        charge(ledger, ApproximateEvent(1e-6))


def test_the_advertised_rest_really_fits(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-6, unit="record"))
    for event in (LaplaceEvent(20, 1), LaplaceEvent(20, 1), GaussianEvent(30, 1), ApproximateEvent(0.123456, 1e-7)):
        charge(ledger, event)
    left = ledger.left()
    assert left == pytest.approx(2 - ledger.spent(), abs=0.01)
    with pytest.raises(BudgetExceededError):
        charge(ledger, ApproximateEvent(left + 1e-6))
    charge(ledger, ApproximateEvent(left))


def test_one_charge_is_as_tight_as_the_library_can_be(tmp_path: Path) -> None:
    plan = SequentialEvent((GaussianEvent(10, 1), RepeatedEvent(LaplaceEvent(30, 1), 5)))
    epsilon = accounting.epsilon(plan, delta=1e-5)
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(epsilon, 1e-5, unit="record"))
    charge(ledger, plan)
    assert ledger.spent() == epsilon
    assert epsilon < sum(accounting.epsilon(each, delta=1e-5) for each in plan.events)
    with pytest.raises(BudgetExceededError, match="no epsilon is left"):
        charge(ledger, ApproximateEvent(1e-3))


def test_charges_chosen_on_the_way_cost_more_than_a_plan_and_less_than_their_sum(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(3, 1e-5, unit="record"))
    charged: list[Event] = [GaussianEvent(10, 1), LaplaceEvent(30, 1), GaussianEvent(10, 1), LaplaceEvent(30, 1)]
    for event in charged:
        charge(ledger, event)
    planned = accounting.epsilon(SequentialEvent(tuple(charged)), delta=1e-5)
    alone = [accounting.epsilon(event, delta=1e-5) for event in charged]
    assert planned < ledger.spent() < sum(alone)


def test_what_is_charged_is_what_is_written(ledger: Ledger) -> None:
    given = SequentialEvent(
        [LaplaceEvent(np.float32(8), np.float64(1)), RepeatedEvent(TENTH, np.int64(2))],  # type: ignore[arg-type]
    )
    charge(ledger, given)
    assert ledger.lines()[0].event == SequentialEvent((LaplaceEvent(8.0, 1.0), RepeatedEvent(TENTH, 2)))
    assert ledger.spent() == pytest.approx(1 / 8 + 0.2)


@pytest.mark.parametrize(
    ("changed", "error", "match"),
    [
        ({"event": "laplace"}, UnknownEventError, "event must be one of tacit's events"),
        ({"event": SequentialEvent(("x",))}, UnknownEventError, "made of"),  # type: ignore[arg-type]
        ({"unit": "row"}, InputError, "unit must be one of"),
        ({"purpose": None}, InputError, "purpose must be one line"),
        ({"purpose": "a\x1b[31mb"}, InputError, "control characters"),
        ({"purpose": "\ud800"}, InputError, "control characters"),
        ({"purpose": "x" * 501}, InputError, "501 characters"),
        ({"n_features": 0}, InputError, "n_features must be a whole number"),
    ],
)
def test_a_malformed_charge_is_refused_and_not_written(
    ledger: Ledger, changed: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        ledger.charge(**{"event": TENTH, "unit": "record", "purpose": "", **changed})
    assert ledger.lines() == ()


# --- speed


def test_many_charges_do_not_recompose_the_past_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(50, 1e-6, unit="record"))
    composed: list[Event] = []

    def watched(event: Event, budget: Budget) -> bool:
        composed.append(event)
        return fits(event, budget)

    fits = accounting.fits
    monkeypatch.setattr(accounting, "fits", watched)
    for count in range(100):
        charge(ledger, LaplaceEvent(10 + count % 2, 1))
    # The first alone is composed; all others add a few numbers to sums.
    assert composed == [LaplaceEvent(10, 1)]


def test_a_keyed_charge_is_made_once_and_never_taken_for_another(ledger: Ledger) -> None:
    claim = Claim.checked(ApproximateEvent(0.25), unit="record")
    first = ledger.charge_claim(claim, purpose="once", key="desk 1")
    assert ledger.charge_claim(claim, purpose="other words", key="desk 1") == first
    assert Ledger(ledger.path).charge_claim(claim, purpose="another process", key="desk 1") == first
    assert ledger.spent() == 0.25
    assert ledger.lines()[0].key == "desk 1"
    assert ledger.charge_claim(claim, purpose="once", key="desk 2").line == 2
    with pytest.raises(LedgerError, match="line 1 of the ledger has the same key and charged something else"):
        ledger.charge_claim(Claim.checked(ApproximateEvent(0.1), unit="record"), purpose="once", key="desk 1")
    assert len(ledger.verify()) == 2


def test_an_anchor_only_advances_and_is_kept_beside_the_lines(ledger: Ledger) -> None:
    start, later = Head(0, "a" * 64), Head(3, "b" * 64)
    charge(ledger, ApproximateEvent(0.25))
    assert ledger.move_anchor("desk", lambda known: start if known is None else later) == start
    assert Ledger(ledger.path).move_anchor("desk", lambda known: later) == later
    with ledger_file.reading(ledger.path, timeout=5) as file:
        assert file.anchor("desk") == later
    with ledger_file.reading(ledger.path, timeout=5) as file:
        assert file.anchor("other") is None
    with pytest.raises(LedgerError, match="only advances"), ledger_file.writing(ledger.path, timeout=5) as file:
        file.set_anchor("desk", start)
    assert len(ledger.verify()) == 1


def test_an_error_while_an_anchor_moves_leaves_it_where_it_was(ledger: Ledger) -> None:
    def refuse(known: Head | None) -> Head:
        raise LedgerError("no")

    with pytest.raises(LedgerError, match="no"):
        ledger.move_anchor("desk", refuse)
    assert ledger.move_anchor("desk", lambda known: Head(0, "c" * 64) if known is None else known).count == 0
