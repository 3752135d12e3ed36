"""Audits of joint releases: the real protocol passes, and twins with one function replaced are caught."""

import pytest

from tacit.audit import joint, joint_protocol
from tacit.audit.case import DELTA, EPSILON, Case
from tacit.privacy import accounting
from tacit.privacy.mechanisms.joint import JointGaussian
from tacit.situations.joint import masking
from tacit.situations.joint.journal import AnswerBook
from tacit.situations.joint.plan import JointPlan

CASES = {case.name: case for case in joint.cases(7)}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_sound_views_pass_and_broken_ones_are_caught(case: Case) -> None:
    result = case.run()
    assert result.passed != case.control, result


def test_the_broken_twins_are_those_that_were_asked_for() -> None:
    assert [name for name, case in CASES.items() if case.control] == [
        "control: noise without the coalition's part",
        "control: noise that counts on those who drop out",
        "control: masks reused",
        "control: a party's share replayed",
        "control: a share's noise replayed",
    ]


def test_a_twin_meets_the_attack_that_the_protocol_withstands_under_the_same_claim() -> None:
    for name, (attack, _) in joint.TWINS.items():
        assert attack in joint.SOUND.values(), name
        assert attack.coalition, name
        assert attack.claim == joint_protocol.EPSILON


def test_a_twin_leaves_the_protocol_as_it_was() -> None:
    def functions() -> tuple[object, ...]:
        return (JointPlan.honest, masking.pair_seed, AnswerBook.answer_to, JointGaussian.share)

    before = functions()
    for _, twin in joint.TWINS.values():
        with twin():
            changed = [after is not own for after, own in zip(functions(), before, strict=True)]
        assert sum(changed) == 1
        assert functions() == before


def test_the_aggregator_alone_is_held_to_the_smaller_epsilon_and_all_come_near_their_claims() -> None:
    alone, *together = (joint.played(attack, 3) for attack in (joint.AGGREGATOR, joint.COALITION, joint.DROPPED))
    # A statistic that showed nothing would pass too.
    assert alone.lower_bound > 0.6 * alone.claimed
    for result in together:
        assert alone.claimed < result.claimed == joint_protocol.EPSILON
        assert result.lower_bound > 0.6 * result.claimed


def test_a_seed_repeats_a_game() -> None:
    bounds = [joint.played(joint.COALITION, 5, draws=4000).lower_bound for _ in range(2)]
    assert bounds[0] == bounds[1] > 0


@pytest.mark.parametrize(("parties", "honest"), [(2, 1), (4, 3), (16, 16)])
def test_noise_is_calibrated_for_the_honest_parties(parties: int, honest: int) -> None:
    mechanism = joint.calibrated(parties, honest)
    assert accounting.epsilon(mechanism.event, delta=DELTA) == pytest.approx(EPSILON, rel=1e-6)
    assert (mechanism.parties, mechanism.honest) == (parties, honest)
