"""Noise that several parties draw together: its law, its slack, its grid, and what a coalition sees of it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.errors import InputError, SensitivityError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import accounting
from tacit.privacy.mechanisms import Gaussian, JointGaussian, from_settings, settings_of
from tacit.privacy.mechanisms.joint import LARGEST_TOTAL, share_slack
from tacit.privacy.stream import NoiseStream

JOINT = JointGaussian(4.0, 1.0, 3, parties=5, honest=3, rows=1000)


def discrete_gaussian_law(sigma: float, reach: int) -> FloatArray:
    """Return the probabilities of -reach .. reach, slowly and obviously."""
    weights = np.array([math.exp(-(k**2) / (2 * sigma**2)) for k in range(-reach, reach + 1)])
    law: FloatArray = weights / weights.sum()
    return law


@pytest.mark.parametrize("sigma", [0.5, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("parties", [2, 3, 6, 12])
def test_a_sum_of_discrete_gaussians_is_within_its_slack_of_one(sigma: float, parties: int) -> None:
    """By exact convolution, out to eight standard deviations of the sum on either side."""
    reach = 30
    one = discrete_gaussian_law(sigma, reach)
    total = one
    for _ in range(parties - 1):
        total = np.convolve(total, one)
    middle = len(total) // 2
    far = math.ceil(8 * sigma * math.sqrt(parties))
    near = np.arange(-far, far + 1)
    ideal = discrete_gaussian_law(sigma * math.sqrt(parties), middle)[middle + near]
    ratio = np.abs(np.log(total[middle + near] / ideal)).max()
    assert ratio <= share_slack(sigma, parties)
    assert ratio > 0 or sigma == 1.0  # the slack is there for a reason


def test_the_slack_is_the_published_sum_and_never_zero_for_several() -> None:
    oracle = 10 * sum(math.exp(-2 * math.pi**2 * 0.49 * k / (k + 1)) for k in range(1, 4))
    assert share_slack(0.7, 4) == pytest.approx(oracle)
    assert share_slack(0.7, 4) >= oracle
    assert share_slack(0.7, 1) == 0
    assert share_slack(1e12, 5) > 0


def test_the_event_is_that_of_the_honest_parties_noise() -> None:
    event = JOINT.event
    assert event.sigma == pytest.approx(4.0 * math.sqrt(3 / 5))
    assert 1.0 < event.sensitivity < 1.0 + 1e-9
    assert 0 < event.bias < 1e-12
    assert JOINT.outside_event.sigma == pytest.approx(4.0)
    # Fewer honest parties cost more.
    costs = [accounting.epsilon(replace(JOINT, honest=h).event, delta=1e-6) for h in (1, 3, 5)]
    assert costs[0] > costs[1] > costs[2]


def test_shares_of_all_parties_have_the_planned_spread() -> None:
    stream, cells = NoiseStream(3), np.zeros(20_000, np.int64)
    for _ in range(JOINT.parties):
        cells = JOINT.share(cells, stream)
    assert np.std(JOINT.values(cells)) == pytest.approx(4.0, rel=0.02)


def test_what_a_coalition_sees_has_the_noise_of_the_honest_alone() -> None:
    seen = JOINT.draw(np.zeros(20_000), NoiseStream(4))
    assert np.std(seen) == pytest.approx(4.0 * math.sqrt(3 / 5), rel=0.02)
    exact = JOINT.draw(IntegerSum(np.full(20_000, 8), 0.25), NoiseStream(4))
    assert np.mean(exact) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("parties", [1, 2, 7, 1000])
@pytest.mark.parametrize("rows", [1, 500, 10**6])
def test_no_total_can_wrap_around(parties: int, rows: int) -> None:
    joint = JointGaussian(2.0, 1.5, 10, parties=parties, honest=1, rows=rows)
    assert parties * joint.largest_share < LARGEST_TOTAL
    # The grid is the finest that this allows, to a factor of four.
    assert 8 * parties * joint.largest_share > LARGEST_TOTAL


def test_more_rows_than_whole_numbers_have_room_for_are_refused() -> None:
    with pytest.raises(InputError, match="rows must be fewer"):
        JointGaussian(0.01, 1.0, parties=1000, honest=1, rows=2**40)
    with pytest.raises(InputError, match="honest must be at most"):
        JointGaussian(1.0, 1.0, parties=2, honest=3)
    with pytest.raises(InputError, match="rows must be at most"):
        JointGaussian(1.0, 1.0, parties=2, honest=1, rows=2**41)


def test_a_partys_sum_that_its_rows_cannot_have_is_refused() -> None:
    assert JOINT.cells(np.array([1000.0, -1000.0])).shape == (2,)
    with pytest.raises(SensitivityError, match="1,000 rows"):
        JOINT.cells(np.array([1000.1]))
    with pytest.raises(SensitivityError, match="1,000 rows"):
        JOINT.cells(IntegerSum(np.array([-4001]), 0.25))


def test_a_total_that_no_rows_could_make_is_refused() -> None:
    most = JOINT.parties * JOINT.largest_share
    assert JOINT.values(np.array([most])) > 0
    with pytest.raises(InputError, match="garbage"):
        JOINT.values(np.array([-most - 1]))


def test_it_is_made_again_from_its_settings() -> None:
    assert from_settings(settings_of(JOINT)) == JOINT
    made = JointGaussian.of(Gaussian(4.0, 1.0, 3), parties=5, honest=3, rows=1000)
    assert made == JOINT
    assert made != Gaussian(4.0, 1.0, 3)
