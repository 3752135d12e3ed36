"""The log of a desk: it only grows, and shows what was edited."""

import sqlite3
from pathlib import Path

import pytest

from tacit.errors import InputError, LedgerTamperedError
from tacit.files.hash_chain import Receipt
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest
from tacit.situations.feedback.desk.terms import DeskTerms

TERMS = DeskTerms(Architecture("linear", 2, 1), "accuracy", decimals=3, queries=50, n_rows=200)


@pytest.fixture
def log(tmp_path: Path) -> DeskLog:
    """A log with terms, a provider and four answers."""
    log = DeskLog(tmp_path / "x.desk")
    with log.writing() as transaction:
        transaction.open("desk", TERMS)
        transaction.add(Provider("ann", token_digest("a"), 30))
        for number in range(4):
            transaction.append("ann", f"q{number}", "body", number / 4)
    return log


def test_terms_and_answers_are_read_as_they_were_written(log: DeskLog) -> None:
    with log.reading() as transaction:
        assert transaction.opened() == ("desk", TERMS)
        assert [entry.score for entry in transaction.entries(after=1, most=2)] == [0.25, 0.5]
        assert (transaction.used(), transaction.used("ann"), transaction.used("ben")) == (4, 4, 0)
        answer = transaction.answer("ann", "q2")
        assert answer is not None
        assert (answer.number, answer.score) == (3, 0.5)
        assert transaction.answer("ann", "q9") is None


def test_an_error_in_a_transaction_takes_everything_back(log: DeskLog) -> None:
    def append_and_fail() -> None:
        with log.writing() as transaction:
            transaction.append("ann", "q4", "body", 1.0)
            raise KeyError

    with pytest.raises(KeyError):
        append_and_fail()
    with log.reading() as transaction:
        assert transaction.used() == 4


def test_the_log_only_grows_and_shows_what_was_edited(log: DeskLog) -> None:
    with sqlite3.connect(log.path) as connection:
        for statement in (
            "UPDATE answers SET score = 1",
            "DELETE FROM answers",
            "REPLACE INTO answers VALUES (2, 'ann', 'x', 'y', 1, 't', 'd')",
            "UPDATE terms SET content = '{}'",
            "DELETE FROM terms",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
        with log.reading() as transaction:
            assert len(transaction.verify()) == 4
        connection.execute("DROP TRIGGER answers_stand")
        connection.execute("UPDATE answers SET score = 0.9 WHERE number = 3")
        connection.commit()
    with pytest.raises(LedgerTamperedError, match="answer 3"), log.reading() as transaction:
        transaction.verify()


def test_a_stored_receipt_never_changes(log: DeskLog) -> None:
    receipt = Receipt(3, "ab" * 32)
    with log.writing() as transaction:
        assert transaction.receipt() is None
        transaction.keep_receipt(receipt)
        assert transaction.receipt() == receipt
    with sqlite3.connect(log.path) as connection:
        for statement in ("UPDATE receipt SET content = ''", "DELETE FROM receipt"):
            with pytest.raises(sqlite3.IntegrityError, match="the receipt is fixed"):
                connection.execute(statement)


def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(2, 1e-5, unit="record"))
    with pytest.raises(InputError, match="not the log of a desk"):
        DeskLog(ledger.path)
    assert ledger.verify() == ()
