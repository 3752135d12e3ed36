"""A desk's log that was copied or restored answers nothing more: the ledger knows how far the log had come."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit.errors import LedgerError, LedgerTamperedError
from tacit.interfaces.cli.main import app
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.anchor import LogAnchor
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.desk import Desk, ScoreQuery
from tacit.situations.feedback.desk.log import DeskLog, Entry
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

N = 50
ARCHITECTURE = Architecture("linear", 2, 1)
X = np.random.default_rng(0).random((N, 2))
Y = (X.sum(axis=1) > 1).astype(np.int64)
TERMS = DeskTerms(ARCHITECTURE, "accuracy", 6, 20, N, epsilon=1.0, delta=1e-6)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    with DeskLog(tmp_path / "a.desk").writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 20))
    return tmp_path / "a.desk"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record", relation="replace"))


def desk(log: Path, ledger: Ledger) -> Desk:
    return Desk.open(Scorer(X, Y, ARCHITECTURE, metric="accuracy"), TERMS, log, ledger=ledger)


def queries(count: int) -> list[ScoreQuery]:
    vectors = np.random.default_rng(1).normal(size=(count, 3))
    return [ScoreQuery("ann", f"q{i}", hashlib.sha256(v.tobytes()).hexdigest(), v) for i, v in enumerate(vectors)]


def copied(log: Path, name: str) -> Path:
    """Copy the log as a backup does, with what SQLite keeps beside it."""
    target = log.with_name(name)
    for ending in ("", "-wal", "-shm"):
        if (source := Path(f"{log}{ending}")).exists():
            shutil.copy(source, f"{target}{ending}")
    return target


def test_copies_of_a_fresh_log_answer_no_more_than_was_charged(log: Path, ledger: Ledger) -> None:
    desk(log, ledger).close()
    copies = [copied(log, f"copy{k}.desk") for k in range(6)]
    answers = []
    for each in copies:
        try:
            opened = desk(each, ledger)
            answers += [outcome for outcome in opened.answer(queries(20)) if isinstance(outcome, Entry)]
        except LedgerError:
            continue
    assert len(ledger.lines()) == 1
    assert len(answers) <= TERMS.queries
    # One query never gets two noises.
    assert len({(entry.query, entry.score) for entry in answers}) == len({entry.query for entry in answers})


def test_an_older_log_is_refused_and_says_the_way_out(log: Path, ledger: Ledger) -> None:
    opened = desk(log, ledger)
    opened.answer(queries(3))
    opened.close()
    older = copied(log, "older.desk")
    opened = desk(log, ledger)
    opened.answer(queries(5))
    opened.close()
    with pytest.raises(LedgerTamperedError, match=r"5 answers.*older or another copy.*open a new desk"):
        desk(older, ledger)
    desk(log, ledger).close()  # the log itself goes on


def test_two_running_copies_cannot_both_answer(log: Path, ledger: Ledger) -> None:
    desk(log, ledger).close()
    other = copied(log, "other.desk")
    first, second = desk(log, ledger), desk(other, ledger)
    given = first.answer(queries(2))
    for _ in range(2):  # what was written and not sent is not sent later either
        with pytest.raises(LedgerTamperedError, match="older or another copy"):
            second.answer(queries(2))
    assert first.answer(queries(2)) == given
    first.close()
    second.close()
    with pytest.raises(LedgerTamperedError):
        desk(other, ledger)


def test_an_answer_that_was_stored_but_never_sent_is_sent_after_a_restart(
    log: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = desk(log, ledger)
    opened.answer(queries(1))

    def full(*_: object, **__: object) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(Ledger, "move_anchor", full)
    with pytest.raises(LedgerError, match="disk is full"):
        opened.answer(queries(2))
    with pytest.raises(LedgerError, match="disk is full"):  # not even when it is asked for again
        opened.answer(queries(2))
    opened.close()
    monkeypatch.undo()
    again = desk(log, ledger)
    assert all(isinstance(outcome, Entry) for outcome in again.answer(queries(2)))
    with again.log.reading() as transaction:
        assert transaction.used() == 2
    again.close()


def test_a_charge_that_reads_like_a_desks_is_not_taken_for_it(log: Path, ledger: Ledger) -> None:
    with DeskLog(log).writing() as transaction:
        transaction.open("f" * 32, TERMS)
    ledger.charge(ApproximateEvent(0.001), unit="record", relation="replace", purpose=f"20 scores at desk {'f' * 32}")
    desk(log, ledger).close()
    assert len(ledger.lines()) == 2
    assert ledger.spent() > 0.5


def test_two_desks_that_start_on_one_log_at_once_share_one_charge(log: Path, ledger: Ledger) -> None:
    first, second = desk(log, ledger), desk(log, ledger)
    one, other = first.answer(queries(3)), second.answer(queries(4))
    assert other[:3] == one
    assert first.answer(queries(5))[:4] == other
    assert len(ledger.lines()) == 1
    first.close()
    second.close()


def test_a_log_with_answers_that_the_ledger_does_not_know_is_refused(
    log: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As logs were before they were anchored."""
    monkeypatch.setattr(LogAnchor, "hold", lambda self: None)
    opened = desk(log, ledger)
    opened.answer(queries(2))
    opened.close()
    monkeypatch.undo()
    with pytest.raises(LedgerError, match="2 answers of which the ledger knows nothing"):
        desk(log, ledger)


def put_back(path: Path) -> None:
    """Replace a file of SQLite's by its older copy, as restoring a folder does."""
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.copy(f"{path}.backup", path)


def shown(log: Path, *options: str) -> str:
    return CliRunner().invoke(app, ["desk", "show", str(log), *options], catch_exceptions=False).stdout


def test_ledger_and_desk_log_restored_together_are_told_by_a_providers_receipt(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "x.ledger"
    ledger = Ledger.create(path, Budget(2, 1e-5, unit="record", relation="replace"))
    opened = desk(log, ledger)
    assert opened.receipt() is None
    opened.answer(queries(3))
    early = opened.receipt()
    opened.close()
    for file in (path, log):
        shutil.copy(file, f"{file}.backup")
    opened = desk(log, ledger)
    opened.answer(queries(5))
    kept = opened.receipt()
    opened.close()
    for file in (path, log):
        put_back(file)
    restored = desk(log, Ledger(path))  # nothing in either file tells
    with restored.log.reading() as view:
        assert early is not None
        view.require_receipt(early)
        with pytest.raises(LedgerTamperedError, match=r"answer 5.*restored from an older copy"):
            view.require_receipt(kept)  # type: ignore[arg-type]
    restored.answer(queries(6))
    with restored.log.reading() as view, pytest.raises(LedgerTamperedError, match="answer 5"):
        view.require_receipt(kept)  # type: ignore[arg-type]  # as many answers again: others
    restored.close()
    assert "stands in this log" in shown(log, "--receipt", str(early))
    assert "receipt is 6:" in shown(log)
    with pytest.raises(LedgerTamperedError):
        shown(log, "--receipt", str(kept))
