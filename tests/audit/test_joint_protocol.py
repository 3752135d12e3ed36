"""Runs of the real protocol for the audit: what the adversary puts together is what the parties sent."""

from typing import Any

import numpy as np
import pytest

from tacit.audit.joint_protocol import ROWS, VICTIM, RunTerms, Transcript, transcript
from tacit.privacy.mechanisms.joint import GridCells, JointGaussian
from tacit.privacy.stream import NoiseStream
from tacit.situations.joint.messages import UPLOAD

TERMS = RunTerms("moments", parties=4, colluding=2, queries=(0,), absent=1)


@pytest.fixture
def shares(monkeypatch: pytest.MonkeyPatch) -> list[GridCells]:
    """Return what parties add to totals, in the order of their sending."""
    sent: list[GridCells] = []
    share = JointGaussian.share

    def recorded(self: JointGaussian, cells: GridCells, stream: Any) -> GridCells:
        noisy = share(self, cells, stream)
        sent.append(noisy)
        return noisy

    monkeypatch.setattr(JointGaussian, "share", recorded)
    return sent


def played(terms: RunTerms = TERMS, *, coalition: int = 2, **options: Any) -> Transcript:
    options = {"extra_row": False, "stream": None, **options}
    return transcript(terms, 50, coalition=coalition, **options)


def test_a_coalition_knows_its_own_shares_and_the_sum_of_the_others(shares: list[GridCells]) -> None:
    said = played()
    assert list(said.journals) == [2, 3]
    opened = said.tap.total(0)
    assert opened is not None
    assert opened.tolist() == np.sum(shares, axis=0).tolist()
    for party in said.journals:
        assert any(np.array_equal(said.share_of(party, 0), share) for share in shares)
    assert said.total().tolist() == (opened - said.share_of(2, 0) - said.share_of(3, 0)).tolist()


def test_without_a_coalition_the_total_is_all_there_is() -> None:
    said = played(coalition=0)
    assert said.journals == {}
    assert said.total().tolist() == said.tap.total(0).tolist()  # type: ignore[union-attr]


def test_an_upload_opens_if_all_others_collude_and_stays_masked_if_one_does_not(shares: list[GridCells]) -> None:
    alone = played(RunTerms("moments", parties=3, colluding=2, queries=(0,)))
    assert any(np.array_equal(alone.upload_of(VICTIM, 0), share) for share in shares)
    hidden = played().upload_of(VICTIM, 0)
    assert not any(np.array_equal(hidden, share) for share in shares)


def test_the_victims_row_moves_a_total_by_the_whole_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JointGaussian, "share", lambda _, cells, __: cells)
    totals = [played(extra_row=extra_row).tap.total(0) for extra_row in (False, True)]
    plan = played().plan.release_plan
    mechanism = plan.steps[0].mechanism
    assert isinstance(mechanism, JointGaussian)
    without, with_row = (mechanism.values(total) for total in totals if total is not None)
    np.testing.assert_allclose(without, 4 * ROWS * mechanism.sensitivity, rtol=1e-9)
    np.testing.assert_allclose(with_row - without, mechanism.sensitivity, rtol=1e-9)


def test_an_aggregator_that_asks_again_without_the_victim_is_refused() -> None:
    said = played(again=True)
    assert said.tap.total(0) is not None
    assert said.second.requests
    assert said.second.total(0) is None
    assert played().second.requests == {}


def test_who_drops_out_is_in_no_total_and_the_coalition_still_knows_its_shares(shares: list[GridCells]) -> None:
    said = played(coalition=1, silent=[1])
    assert (UPLOAD, 0, 1) not in said.tap.answers
    # Of the three that were sent, one is the coalition's.
    assert len(shares) == 3
    rest = [share for share in shares if not np.array_equal(share, said.share_of(3, 0))]
    assert said.total().tolist() == np.sum(rest, axis=0).tolist()


def test_a_stream_repeats_the_noise_and_no_stream_does_not() -> None:
    seeded = [played(stream=NoiseStream(4)).total().tolist() for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert played().total().tolist() != played().total().tolist()
