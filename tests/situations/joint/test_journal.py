"""Journals: what was said is repeated word for word, and nothing else is."""

from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.situations.joint.journal import AnswerBook, FolderJournal
from tacit.situations.joint.messages import OPEN, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

QUESTION = Message("ab", UPLOAD, 0, {"active": [0, 1]}, {})


def test_a_folder_keeps_entries_over_restarts_for_its_owner_alone(tmp_path: Path) -> None:
    journal = FolderJournal(tmp_path / "run")
    assert len(journal) == 0
    assert "key" not in journal
    journal["key"] = b"secret"
    again = FolderJournal(tmp_path / "run")
    assert again["key"] == b"secret"
    assert list(again) == ["key"]
    assert (tmp_path / "run").stat().st_mode & 0o077 == 0
    assert (tmp_path / "run" / "key").stat().st_mode & 0o077 == 0
    del again["key"]
    for broken in ("key", "other"):
        with pytest.raises(KeyError):
            again[broken]
        with pytest.raises(KeyError):
            del again[broken]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        FolderJournal(tmp_path / "file" / "run")["key"] = b""


def test_the_same_question_gets_the_same_answer_and_another_content_none() -> None:
    book = AnswerBook({})
    request = QUESTION.to_bytes()
    assert book.answer_to(QUESTION, request) is None
    book.keep(QUESTION, request, b"answer")
    assert book.answer_to(QUESTION, request) == b"answer"
    other = Message("ab", UPLOAD, 0, {"active": [0, 2]}, {})
    with pytest.raises(JoinRefusedError) as raised:
        book.answer_to(other, other.to_bytes())
    assert raised.value.code is JoinRefusal.REPEATED


def test_earlier_questions_and_answers_are_there_to_be_read() -> None:
    book = AnswerBook({})
    book.keep(QUESTION, QUESTION.to_bytes(), b"answer")
    assert book.question(UPLOAD, 0).parties("active", count=2) == (0, 1)
    assert book.answer(UPLOAD, 0) == b"answer"
    assert (book.answered(UPLOAD), book.answered(OPEN)) == (1, 0)
    for read in (book.question, book.answer):
        with pytest.raises(JoinRefusedError):
            read(UPLOAD, 1)
