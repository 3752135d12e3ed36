"""An aggregator that lies about who dropped out: a mask is opened for one list, which enough parties have signed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.situations.joint.joint_parties import Parties, parties

from tacit.situations.joint import masking, messages
from tacit.situations.joint.messages import AGREE, OPEN, RECOVER, UNMASK, UPLOAD, Message
from tacit.situations.joint.party import PartySession
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError
from tacit.situations.joint.roster import agreement_arrays, roster_arrays


class LyingAggregator:
    """Asks each party whatever it likes; all parties have opened and uploaded their share of the first query."""

    def __init__(self, made: Parties) -> None:
        self.made, self.sessions = made, made.sessions()
        everyone = tuple(self.sessions)
        openings = {number: self.ask(number, OPEN) for number in everyone}
        for number in everyone:
            self.ask(number, UPLOAD, {"active": list(everyone)}, roster_arrays(openings))

    def ask(self, number: int, stage: str, facts: Any = None, arrays: Any = None) -> bytes:
        return self.sessions[number].reply(
            Message(self.made.plan.digest, stage, 0, facts or {}, arrays or {}).to_bytes()
        )

    def agreed(self, survivors: Sequence[int], signers: Sequence[int]) -> dict[int, bytes]:
        """Return the signatures of ``signers`` under a list."""
        return {number: self.ask(number, AGREE, {"survivors": list(survivors)}) for number in signers}

    def unmasked(self, number: int, survivors: Sequence[int], signatures: dict[int, bytes]) -> Message:
        answer = self.ask(number, UNMASK, {"survivors": list(survivors)}, agreement_arrays(signatures))
        return messages.opened(answer, self.made.keys[number].public_key())

    def refusal(self, number: int, survivors: Sequence[int], signatures: dict[int, bytes]) -> JoinRefusal:
        with pytest.raises(JoinRefusedError) as raised:
            self.unmasked(number, survivors, signatures)
        return raised.value.code

    def pair_seed(self, first: int, second: int) -> bytes:
        """Return what two parties hide their shares from each other's total by; known to the test alone."""
        session: PartySession = self.sessions[first]
        return masking.pair_seed(session._pairs[second], 0)


@pytest.fixture
def liar(tmp_path: Path) -> Iterator[LyingAggregator]:
    aggregator = LyingAggregator(parties(tmp_path, 4, minimum=3))
    yield aggregator
    for session in aggregator.sessions.values():
        session.close()


def test_a_list_that_enough_have_signed_opens_the_total(liar: LyingAggregator) -> None:
    signatures = liar.agreed([0, 1, 2], [0, 1, 2])
    answer = liar.unmasked(0, [0, 1, 2], signatures)
    assert answer.array("pairs", np.uint8).tobytes() == liar.pair_seed(0, 3)


def test_different_lists_for_different_parties_open_the_share_of_nobody(liar: LyingAggregator) -> None:
    """Party 0 is told that all are there, the others that it dropped out: their pair masks would strip it bare."""
    lonely = liar.agreed([0, 1, 2, 3], [0])
    others = liar.agreed([1, 2, 3], [1, 2, 3])
    for signatures in (lonely, others, lonely | others):
        assert liar.refusal(0, [0, 1, 2, 3], signatures) is JoinRefusal.SURVIVORS
    # The others' own total is one of three, as the plan's noise allows.
    assert liar.unmasked(1, [1, 2, 3], others).array("pairs", np.uint8).tobytes() == liar.pair_seed(1, 0)


def test_a_party_signs_one_list_and_opens_for_no_other(liar: LyingAggregator) -> None:
    liar.agreed([0, 1, 2], [0])
    with pytest.raises(JoinRefusedError) as raised:
        liar.agreed([0, 1, 3], [0])
    assert raised.value.code is JoinRefusal.REPEATED
    signatures = liar.agreed([0, 1, 3], [1, 3])
    assert liar.refusal(0, [0, 1, 3], signatures) is JoinRefusal.SURVIVORS


def test_nothing_is_opened_before_a_list_was_signed(liar: LyingAggregator) -> None:
    assert liar.refusal(0, [0, 1, 2], liar.agreed([0, 1, 2], [1, 2])) is JoinRefusal.MESSAGE


def test_both_masks_of_one_party_are_never_revealed(liar: LyingAggregator) -> None:
    """The share of a party's own mask is for survivors, the mask of its pairs for those who dropped out."""
    signatures = liar.agreed([0, 1, 2], [0, 1, 2])
    liar.unmasked(1, [0, 1, 2], signatures)
    sealed = np.zeros((1, masking.SEALED), dtype=np.uint8)
    with pytest.raises(JoinRefusedError) as raised:
        liar.ask(1, RECOVER, {"lost": [3]}, {"sealed": sealed})  # whose pair mask with 1 was just revealed
    assert raised.value.code is JoinRefusal.MESSAGE


@pytest.mark.parametrize("survivors", [[0, 1], [1, 2, 3], [0, 1, 2, 9], [2, 1, 0]])
def test_lists_that_are_too_short_foreign_or_malformed_are_not_signed(
    liar: LyingAggregator, survivors: list[int]
) -> None:
    with pytest.raises(JoinRefusedError):
        liar.agreed(survivors, [0])


def test_signatures_by_others_or_of_other_messages_do_not_count(liar: LyingAggregator) -> None:
    signatures = liar.agreed([0, 1, 2], [0, 1, 2])
    swapped = {0: signatures[0], 1: signatures[1], 2: signatures[1]}
    changed = {0: signatures[0], 1: signatures[1], 2: signatures[2][:-1] + b"x"}
    for broken in (swapped, changed):
        assert liar.refusal(0, [0, 1, 2], broken) is JoinRefusal.MESSAGE
    twice = {0: signatures[0], 1: signatures[1], 3: signatures[2]}  # 3 is not on the list
    assert liar.refusal(0, [0, 1, 2], twice) is JoinRefusal.SURVIVORS
    other = Message(liar.made.plan.digest, AGREE, 1, {"survivors": [0, 1, 2], "party": 2}, {}).to_bytes()
    replayed = {**signatures, 2: messages.signed(other, liar.made.keys[2])}
    assert liar.refusal(0, [0, 1, 2], replayed) is JoinRefusal.MESSAGE


def test_with_a_colluding_party_every_total_still_has_the_planned_noise(tmp_path: Path) -> None:
    """Party 4 signs two lists. Both are opened, and what hides honest shares of one list from each other stays."""
    made = parties(tmp_path, 5, minimum=3, colluding=1)
    liar = LyingAggregator(made)
    seeds: set[bytes] = set()
    for survivors in ([0, 1, 4], [2, 3, 4]):
        honest = [number for number in survivors if number != 4]
        facts = {"survivors": survivors, "party": 4}
        forged = messages.signed(Message(made.plan.digest, AGREE, 0, facts, {}).to_bytes(), made.keys[4])
        signatures = liar.agreed(survivors, honest) | {4: forged}
        for number in honest:
            pairs = liar.unmasked(number, survivors, signatures).array("pairs", np.uint8)
            seeds |= {row.tobytes() for row in pairs}
    assert liar.pair_seed(0, 2) in seeds
    # minimum - colluding = 2 honest shares stay together in every total.
    assert {liar.pair_seed(0, 1), liar.pair_seed(2, 3)}.isdisjoint(seeds)
    for session in liar.sessions.values():
        session.close()
