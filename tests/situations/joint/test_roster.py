"""Who takes part: openings that their parties signed, and no others."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from tests.situations.joint.joint_parties import Parties, parties

from tacit.files.hash_chain import Receipt
from tacit.situations.joint import messages
from tacit.situations.joint.messages import OPEN, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.roster import (
    PairKeys,
    Roster,
    opening_facts,
    read_opening,
    require_members,
    roster_arrays,
)

RECEIPT = Receipt(4, "ab" * 32)


@pytest.fixture
def made(tmp_path: Path) -> Parties:
    return parties(tmp_path, 3, minimum=2)


def envelope(
    made: Parties, number: int, key: X25519PrivateKey | None = None, changes: dict[str, object] | None = None
) -> bytes:
    facts = {
        **opening_facts(f"ledger {number}", RECEIPT, key or X25519PrivateKey.generate()),
        "party": number,
        **(changes or {}),
    }
    return messages.signed(Message(made.plan.digest, OPEN, 0, facts, {}).to_bytes(), made.keys[number])


def roster(made: Parties, envelopes: dict[int, bytes]) -> Roster:
    question = Message(made.plan.digest, UPLOAD, 0, {"active": sorted(envelopes)}, roster_arrays(envelopes))
    return Roster.read(question, made.plan)


def test_openings_are_read_as_they_were_signed(made: Parties) -> None:
    opening = read_opening(envelope(made, 1), made.plan, 1)
    assert (opening.ledger, opening.line, opening.digest) == ("ledger 1", 4, "ab" * 32)
    read = roster(made, {n: envelope(made, n) for n in range(3)})
    assert [party.name for party in read.card_parties()] == ["clinic 0", "clinic 1", "clinic 2"]
    assert read.card_parties()[2].ledger == "ledger 2"


@pytest.mark.parametrize(
    "change",
    [
        {"party": 2},
        {"line": 0},
        {"line": "4"},
        {"exchange_key": "zz"},
        {"exchange_key": "ab"},
        {"ledger": "a\nb"},
        {"digest": 3},
    ],
)
def test_a_malformed_opening_is_refused(made: Parties, change: dict[str, object]) -> None:
    with pytest.raises(JoinRefusedError) as raised:
        read_opening(envelope(made, 1, changes=change), made.plan, 1)
    assert raised.value.code is JoinRefusal.MESSAGE


def test_an_opening_of_another_party_is_refused(made: Parties) -> None:
    with pytest.raises(JoinRefusedError):
        read_opening(envelope(made, 1), made.plan, 0)


def test_two_parties_with_one_key_for_masks_are_refused(made: Parties) -> None:
    key = X25519PrivateKey.generate()
    with pytest.raises(JoinRefusedError):
        roster(made, {0: envelope(made, 0, key), 1: envelope(made, 1, key)})


def test_pairs_of_parties_have_one_key_and_strangers_none(made: Parties) -> None:
    keys = [X25519PrivateKey.generate() for _ in range(2)]
    read = roster(made, {n: envelope(made, n, keys[n]) for n in range(2)})
    first, second = PairKeys(keys[0], read), PairKeys(keys[1], read)
    assert first[1] == second[0]
    assert first[1] is first[1]  # made once
    with pytest.raises(JoinRefusedError):
        first[2]


def test_a_key_that_gives_no_secret_is_refused(made: Parties) -> None:
    read = roster(made, {0: envelope(made, 0), 1: envelope(made, 1, changes={"exchange_key": "00" * 32})})
    with pytest.raises(JoinRefusedError):
        PairKeys(X25519PrivateKey.generate(), read)[1]


def test_enough_members_and_oneself_among_them(made: Parties) -> None:
    assert require_members((0, 2), made.plan, own=2) == (0, 2)
    with pytest.raises(JoinRefusedError) as raised:
        require_members((0,), made.plan)
    assert raised.value.code is JoinRefusal.PARTIES
    with pytest.raises(JoinRefusedError) as raised:
        require_members((0, 2), made.plan, own=1)
    assert raised.value.code is JoinRefusal.MESSAGE
