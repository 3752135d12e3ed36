"""Audits of joint releases: sound views pass, broken ones are caught."""

import pytest

from tacit.audit import joint
from tacit.audit.case import DELTA, EPSILON, Case
from tacit.privacy import accounting

CASES = {case.name: case for case in joint.cases(7)}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_sound_views_pass_and_broken_ones_are_caught(case: Case) -> None:
    result = case.run()
    assert result.passed != case.control, result


def test_the_broken_twins_are_those_that_were_asked_for() -> None:
    assert [name for name, case in CASES.items() if case.control] == [
        "control: noise without the coalition's part",
        "control: masks reused",
        "control: a share of noise replayed",
    ]


def test_the_aggregator_alone_is_held_to_the_smaller_epsilon() -> None:
    alone = CASES["joint release, the aggregator's view of a total"].run()
    together = CASES["joint release, a coalition's view of a total"].run()
    assert alone.claimed < together.claimed == EPSILON


@pytest.mark.parametrize(("parties", "honest"), [(2, 1), (4, 3), (16, 16)])
def test_noise_is_calibrated_for_the_honest_parties(parties: int, honest: int) -> None:
    mechanism = joint.calibrated(parties, honest)
    assert accounting.epsilon(mechanism.event, delta=DELTA) == pytest.approx(EPSILON, rel=1e-6)
    assert (mechanism.parties, mechanism.honest) == (parties, honest)
