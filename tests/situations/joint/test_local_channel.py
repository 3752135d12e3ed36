"""Parties of one process: answers, refusals by code, and silence."""

from pathlib import Path

import pytest
from tests.situations.joint.joint_parties import parties

from tacit.errors import BudgetExceededError, InputError
from tacit.privacy.refusals import code_of
from tacit.situations.joint.local_channel import LocalChannel
from tacit.situations.joint.messages import OPEN, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError


def test_answers_refusals_and_silence_are_told_apart(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)
    sessions = made.sessions()
    del sessions[2]
    channel = LocalChannel(sessions)
    opening = Message(made.plan.digest, OPEN, 0, {}, {}).to_bytes()
    early = Message(made.plan.digest, UPLOAD, 5, {"active": [0, 1, 2]}, {}).to_bytes()
    answers = channel.ask({0: opening, 1: early, 2: opening})
    assert isinstance(answers[0], bytes)
    assert answers[1] is JoinRefusal.MESSAGE
    assert 2 not in answers
    assert isinstance(channel.problems[1], JoinRefusedError)
    channel.close()


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (JoinRefusedError(JoinRefusal.PARTIES), JoinRefusal.PARTIES),
        (BudgetExceededError("too much"), JoinRefusal.BUDGET),
        (InputError("row 7 of column 'age'"), JoinRefusal.UNAVAILABLE),
        (KeyError("age"), JoinRefusal.UNAVAILABLE),
    ],
)
def test_a_code_says_nothing_of_a_row(problem: Exception, code: JoinRefusal) -> None:
    assert code_of(problem, JoinRefusal) is code
    assert "age" not in code.sentence
