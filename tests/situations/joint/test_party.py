"""A party answers each question once, charges once, and refuses what is out of turn."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.situations.joint.joint_parties import Parties, parties

from tacit.errors import BudgetExceededError, InputError
from tacit.privacy.refusals import code_of
from tacit.situations.joint import messages
from tacit.situations.joint.messages import AGREE, OPEN, RECOVER, UNMASK, UPLOAD, Message
from tacit.situations.joint.party import JointSpend, PartySession
from tacit.situations.joint.plan import SignedPlan
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.roster import agreement_arrays, roster_arrays


@pytest.fixture
def made(tmp_path: Path) -> Parties:
    return parties(tmp_path, 3, minimum=2)


@pytest.fixture
def party(made: Parties) -> Iterator[PartySession]:
    session = made.session(0)
    yield session
    session.close()


def request(made: Parties, stage: str, query: int = 0, facts: Any = None, arrays: Any = None) -> bytes:
    return Message(made.plan.digest, stage, query, facts or {}, arrays or {}).to_bytes()


def first_upload(made: Parties, party: PartySession, active: tuple[int, ...] = (0, 1, 2)) -> bytes:
    """Return the question for the first upload, after everyone has opened."""
    opened = {0: party.reply(request(made, OPEN))}
    opened |= {number: made.session(number).reply(request(made, OPEN)) for number in (1, 2)}
    chosen = {number: opened[number] for number in active}
    return request(made, UPLOAD, 0, {"active": list(active)}, roster_arrays(chosen))


def refused(party: PartySession, raw: bytes) -> JoinRefusal:
    with pytest.raises(JoinRefusedError) as raised:
        party.reply(raw)
    return raised.value.code


def test_opening_charges_once_however_often_it_is_asked(made: Parties, party: PartySession) -> None:
    first = party.reply(request(made, OPEN))
    assert made.charges() == [1, 0, 0]
    assert party.reply(request(made, OPEN)) == first
    assert made.session(0).reply(request(made, OPEN)) == first  # after a restart
    assert made.charges() == [1, 0, 0]
    line = made.ledger(0).lines()[0]
    assert line.key == made.plan.digest
    assert made.plan.digest[:16] in line.purpose


def test_a_crash_between_journal_and_charge_charges_once(made: Parties, party: PartySession) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PartySession, "_charged", lambda _: (_ for _ in ()).throw(InputError("power cut")))
        with pytest.raises(InputError):
            party.reply(request(made, OPEN))
    assert made.charges() == [0, 0, 0]
    made.session(0).reply(request(made, OPEN))
    assert made.charges() == [1, 0, 0]


def test_a_charge_whose_journal_is_gone_is_never_answered_again(made: Parties, party: PartySession) -> None:
    party.reply(request(made, OPEN))
    made.journals[0].clear()
    assert refused(made.session(0), request(made, OPEN)) is JoinRefusal.SPENT
    assert made.charges() == [1, 0, 0]


def test_a_charge_that_does_not_fit_is_refused_by_a_code(tmp_path: Path) -> None:
    made = parties(tmp_path, 3, epsilon=2.5)
    with pytest.raises(BudgetExceededError) as raised:
        made.session(0).reply(request(made, OPEN))
    assert code_of(raised.value, JoinRefusal) is JoinRefusal.BUDGET
    assert made.charges() == [0, 0, 0]


def test_more_rows_than_the_plan_allows_are_refused_before_the_charge(tmp_path: Path) -> None:
    made = parties(tmp_path, 3, rows=39)
    with pytest.raises(InputError, match="more than 39 rows"):
        made.session(0).reply(request(made, OPEN))
    assert made.charges() == [0, 0, 0]


def test_an_unsigned_plan_and_another_version_are_refused(made: Parties) -> None:
    with pytest.raises(InputError, match="signed by every party"):
        made.session(0, SignedPlan(made.plan))
    other = SignedPlan(replace(made.plan, software="0.0.9"))
    for key in made.keys:
        other = other.signed(key)
    with pytest.raises(InputError, match="same version"):
        made.session(0, other)


def test_an_upload_hides_what_the_party_has(made: Parties, party: PartySession) -> None:
    raw = first_upload(made, party)
    answer = messages.opened(party.reply(raw), made.keys[0].public_key())
    assert answer.facts["status"] == messages.MASKED
    words = answer.array("masked", np.uint64)
    assert np.abs(words.view(np.int64).astype(float)).max() > 2.0**55  # no sum of 40 rows
    assert answer.array("sealed", np.uint8).shape[0] == 2


def test_the_same_upload_comes_again_and_never_another(made: Parties, party: PartySession) -> None:
    raw = first_upload(made, party)
    first = party.reply(raw)
    assert party.reply(raw) == first
    restarted = made.session(0)
    assert restarted.reply(raw) == first
    fewer = first_upload(made, restarted, (0, 1))
    assert refused(restarted, fewer) is JoinRefusal.REPEATED
    assert made.charges() == [1, 1, 1]


def test_nothing_leaves_for_too_few_parties_or_without_the_party_itself(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)
    party = made.session(0)
    assert refused(party, first_upload(made, party, (0, 1))) is JoinRefusal.PARTIES
    party.close()


def test_a_roster_with_a_foreign_or_unsigned_opening_is_refused(made: Parties, party: PartySession) -> None:
    raw = first_upload(made, party)
    question = Message.from_bytes(raw)
    swapped = {**question.arrays, "opening_1": question.arrays["opening_2"]}
    changed = {**question.arrays, "opening_1": question.arrays["opening_1"][::-1]}
    missing = {name: array for name, array in question.arrays.items() if name != "opening_1"}
    for arrays in (swapped, changed, missing):
        broken = Message(question.plan, UPLOAD, 0, question.facts, arrays).to_bytes()
        assert refused(party, broken) is JoinRefusal.MESSAGE
    assert refused(party, first_upload(made, party, (1, 2))) is JoinRefusal.MESSAGE


def test_questions_out_of_turn_are_refused(made: Parties, party: PartySession) -> None:
    survivors = {"survivors": [0, 1]}
    assert refused(party, request(made, UNMASK, 0, survivors)) is JoinRefusal.MESSAGE
    assert refused(party, request(made, UPLOAD, 0, {"active": [0, 1]})) is JoinRefusal.MESSAGE
    party.reply(first_upload(made, party))
    total = {"total": np.zeros(3, np.int64)}
    assert refused(party, request(made, UPLOAD, 2, {"active": [0, 1, 2]}, total)) is JoinRefusal.MESSAGE
    assert refused(party, request(made, UPLOAD, 1, {"active": [0, 1, 2]}, total)) is JoinRefusal.MESSAGE  # its shape
    assert refused(party, request(made, RECOVER, 0, {"lost": [1]})) is JoinRefusal.MESSAGE
    stranger = Message("0" * 64, OPEN, 0, {}, {}).to_bytes()
    assert refused(party, stranger) is JoinRefusal.PLAN


def test_a_mask_is_opened_for_one_set_of_survivors_and_never_for_another(made: Parties, party: PartySession) -> None:
    uploading, other = first_upload(made, party), made.session(1)
    survivors = {"survivors": [0, 1]}
    signatures = {}
    for number, session in enumerate((party, other)):
        session.reply(uploading)
        signatures[number] = session.reply(request(made, AGREE, 0, survivors))
    other.close()
    raw = request(made, UNMASK, 0, survivors, agreement_arrays(signatures))
    answer = messages.opened(party.reply(raw), made.keys[0].public_key())
    assert answer.array("pairs", np.uint8).shape == (1, 16)
    assert made.session(0).reply(raw) == party.reply(raw)
    assert refused(party, request(made, UNMASK, 0, {"survivors": [0, 1, 2]})) is JoinRefusal.REPEATED
    assert refused(party, request(made, RECOVER, 0, {"lost": [2]})) is JoinRefusal.MESSAGE  # it is in no total
    assert refused(party, request(made, RECOVER, 0, {"lost": [0]})) is JoinRefusal.MESSAGE  # its own mask


def test_a_joint_spend_needs_the_others(made: Parties) -> None:
    with pytest.raises(InputError, match="exchange"):
        JointSpend().open(made.plan.release_plan, "alone")
