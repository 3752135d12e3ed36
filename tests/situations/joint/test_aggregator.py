"""Runs with parties that drop out, fall silent, send garbage or repeat themselves, and with a restarted aggregator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.situations.joint.joint_parties import FaultyChannel, Parties, parties, run

from tacit.privacy.mechanisms.joint import JointGaussian
from tacit.releases.file import Release, read_release, write_release
from tacit.situations.joint import messages
from tacit.situations.joint.aggregator import SILENT, Aggregator
from tacit.situations.joint.messages import AGREE, OPEN, RECOVER, UNMASK, UPLOAD, Message
from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

STAGES = [(OPEN, 0), (UPLOAD, 0), (AGREE, 0), (UNMASK, 0), (UPLOAD, 1)]


def names(release: Release) -> list[str]:
    assert release.card.joint is not None
    return [party.name for party in release.card.joint.parties]


def test_the_release_is_one_of_its_kind_with_the_parties_on_its_card(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)
    release = run(made).run()
    write_release(release, tmp_path / "joint.tacit")
    read = read_release(tmp_path / "joint.tacit")
    assert read == release
    assert read.kind == "transfer_record"
    joint = read.card.joint
    assert joint is not None
    assert joint.plan == made.plan.digest
    assert (joint.colluding, joint.minimum) == (1, 3)
    for number, party in enumerate(joint.parties):
        line = made.ledger(number).lines()[0]
        assert (party.ledger, party.line, party.digest) == (made.ledger(number).identifier, 1, line.digest)
    text = read.card.to_text()
    assert "clinic 2" in text
    assert "against the aggregator together with 1 party" in " ".join(text.split())
    assert made.charges() == [1, 1, 1]


@pytest.mark.parametrize("place", STAGES, ids=lambda place: f"{place[0]}-{place[1]}")
def test_a_party_may_drop_out_at_any_stage_if_enough_are_left(tmp_path: Path, place: tuple[str, int]) -> None:
    made = parties(tmp_path, 4, method="fabricated", minimum=3)
    channel = FaultyChannel(made.sessions(), {2: place})
    aggregator = run(made, channel)
    release = aggregator.run()
    assert names(release) == [f"clinic {n}" for n in range(4) if place != (OPEN, 0) or n != 2]
    assert aggregator.exclusions == {"clinic 2": SILENT}
    assert made.charges() == [1, 1, 0 if place == (OPEN, 0) else 1, 1]
    # Whoever is gone is not asked again.
    after = channel.asked[channel.asked.index(next(each for each in channel.asked if each[:2] == place)) + 1 :]
    assert all(2 not in asked for stage, _, asked in after)


@pytest.mark.parametrize("place", STAGES, ids=lambda place: f"{place[0]}-{place[1]}")
def test_without_enough_parties_there_is_no_total_at_all(tmp_path: Path, place: tuple[str, int]) -> None:
    made = parties(tmp_path, 3, method="fabricated")
    journal: dict[str, bytes] = {}
    aggregator = run(made, FaultyChannel(made.sessions(), {1: place}), journal)
    with pytest.raises(JoinRefusedError, match=r"clinic 1: no answer\. Charges that were made stand") as raised:
        aggregator.run()
    assert raised.value.code is JoinRefusal.PARTIES
    # The seeds of masks left for queries that all had uploaded, and for no other.
    opened = {name for name in journal if name.startswith(f"reply-{UNMASK}-{place[1]}")}
    assert not opened or place[0] == UNMASK


@pytest.mark.usefixtures("no_noise")
def test_totals_with_and_without_those_who_dropped_out_are_exact(tmp_path: Path) -> None:
    for place in ((UPLOAD, 0), (AGREE, 0), (UNMASK, 0)):
        made = parties(tmp_path / place[0], 4, minimum=3)
        made.folder.mkdir()
        release = run(made, FaultyChannel(made.sessions(), {2: place})).run()
        counted = [table.y for number, table in enumerate(made.tables) if place[0] != UPLOAD or number != 2]
        # Who is lost after sending its share is in the total; who is lost before is not.
        np.testing.assert_array_equal(release.arrays["counts"], np.bincount(np.concatenate(counted)))


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JointGaussian, "share", lambda _, cells, __: cells)


def test_losses_before_and_after_the_shares_of_one_query_end_the_run(tmp_path: Path) -> None:
    made = parties(tmp_path, 5, minimum=3)
    aggregator = run(made, FaultyChannel(made.sessions(), {1: (UPLOAD, 0), 2: (UNMASK, 0)}))
    with pytest.raises(JoinRefusedError, match="lost before and another one after"):
        aggregator.run()


def test_too_few_shares_recover_no_mask(tmp_path: Path) -> None:
    made = parties(tmp_path, 4, minimum=3, colluding=2)
    channel = FaultyChannel(made.sessions(), {1: (UNMASK, 0), 2: (RECOVER, 0)})
    with pytest.raises(JoinRefusedError, match="to recover a lost mask; 3 must be"):
        run(made, channel).run()


class Tampering(FaultyChannel):
    """Changes what one party says at one stage."""

    def __init__(self, made: Parties, stage: str, change: Any) -> None:
        super().__init__(made.sessions())
        self.stage, self.change, self.past = stage, change, {}  # type: ignore[var-annotated]

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        answers = dict(super().ask(requests))
        stage, query, _ = self.asked[-1]
        if stage == self.stage and 1 in answers:
            answers[1] = self.change(answers[1], self.past)
        self.past[stage, query] = answers.get(1)
        return answers


@pytest.mark.parametrize(
    "change",
    [
        lambda answer, _: answer[:-1],
        lambda answer, _: answer[:-1] + bytes([answer[-1] ^ 1]),
        lambda _, past: past.get((OPEN, 0)),
        lambda _, past: past.get((UPLOAD, 0)),
        lambda _, __: b"",
        lambda _, __: JoinRefusal.UNAVAILABLE,
    ],
    ids=["cut", "changed", "replayed opening", "replayed upload", "empty", "refusal"],
)
def test_a_replayed_or_changed_message_excludes_its_party(tmp_path: Path, change: Any) -> None:
    made = parties(tmp_path, 4, method="fabricated", minimum=3)
    aggregator = run(made, Tampering(made, UNMASK, change))
    release = aggregator.run()
    assert "refused" in aggregator.exclusions["clinic 1"]
    assert len(names(release)) == 4


def test_garbage_out_of_range_ends_the_run_without_a_release(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)

    def garbage(answer: bytes, _: Any) -> bytes:
        message = messages.opened(answer, made.keys[1].public_key())
        words = message.array("masked", np.uint64) + np.uint64(2**62 + 2**61)
        body = Message(message.plan, message.stage, 0, message.facts, {**message.arrays, "masked": words}).to_bytes()
        return messages.signed(body, made.keys[1])

    with pytest.raises(JoinRefusedError) as raised:
        run(made, Tampering(made, UPLOAD, garbage)).run()
    assert raised.value.code is JoinRefusal.RANGE


def test_parties_that_ask_different_queries_are_not_added_up(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)

    def another(answer: bytes, _: Any) -> bytes:
        message = messages.opened(answer, made.keys[1].public_key())
        facts = {**message.facts, "asked": "0" * 64}
        return messages.signed(Message(message.plan, message.stage, 0, facts, message.arrays).to_bytes(), made.keys[1])

    with pytest.raises(JoinRefusedError, match="ask different queries"):
        run(made, Tampering(made, UPLOAD, another)).run()


class CrashedError(Exception):
    """The aggregator's machine stops."""


class CrashingJournal(dict[str, bytes]):
    """A journal whose machine stops after so many entries."""

    def __init__(self, entries: Mapping[str, bytes], left: int) -> None:
        super().__init__(entries)
        self.left = left

    def __setitem__(self, name: str, content: bytes) -> None:
        if self.left == 0:
            raise CrashedError
        self.left -= 1
        super().__setitem__(name, content)


def test_an_aggregator_restarted_at_any_moment_ends_with_the_same_release(tmp_path: Path) -> None:
    made = parties(tmp_path, 3, method="fabricated", minimum=2)
    journal: dict[str, bytes] = {}
    crashes = 0
    while True:
        # Parties restart with it: all they know is their journals and ledgers.
        crashing = CrashingJournal(journal, left=3)
        channel = FaultyChannel(made.sessions())
        try:
            release = Aggregator(made.signed, channel, crashing).run()
            break
        except CrashedError:
            crashes += 1
            journal = dict(crashing)
        finally:
            channel.close()
    assert crashes > 5
    assert made.charges() == [1, 1, 1]
    again = Aggregator(made.signed, FaultyChannel({}), journal | dict(crashing)).run()
    assert again == release


def test_an_aggregator_that_forgot_its_run_gets_no_second_answer(tmp_path: Path) -> None:
    made = parties(tmp_path, 3, minimum=2)
    first = run(made)
    first.run()
    # A new run with fewer parties would be another total for the same charge.
    forgetful = run(made, FaultyChannel({n: s for n, s in made.sessions().items() if n != 2}))
    with pytest.raises(JoinRefusedError, match="answered before, with another content"):
        forgetful.run()
    # With all of them it is the same run, word for word.
    assert run(made).run() is not None
    assert made.charges() == [1, 1, 1]


def test_one_whose_release_differs_is_noticed(tmp_path: Path) -> None:
    made = parties(tmp_path, 3)
    sessions = made.sessions()
    sessions[1]._release_plan = parties(tmp_path / "x", 3, epsilon=0.9).plan.release_plan
    with pytest.raises(JoinRefusedError, match="different queries"):
        run(made, FaultyChannel(sessions)).run()
