"""The membership-inference score: what it says of known laws, and where it is noise."""

import math

import numpy as np
import pytest

from tacit.audit.attacks.membership_score import membership_score


def true_score(shift: float) -> float:
    return (1 - math.exp(-(shift**2) / 4)) / math.sqrt(math.pi)


@pytest.mark.parametrize(("shift", "n"), [(0.3, 60), (1.0, 60), (2.0, 200)])
def test_the_interval_holds_the_score_of_normal_laws(shift: float, n: int) -> None:
    generator = np.random.default_rng(n)
    held = 0
    for seed in range(12):
        found = membership_score(generator.normal(0, 1, n), generator.normal(shift, 1, n), random_state=seed)
        held += found.interval[0] <= true_score(shift) <= found.interval[1]
    assert held >= 10


def test_equal_laws_rarely_rise_above_the_floor() -> None:
    generator = np.random.default_rng(7)
    above = sum(
        membership_score(generator.normal(size=80), generator.normal(size=80), random_state=seed).above_noise
        for seed in range(24)
    )
    # Of 24 scores of equal laws 1 is expected above; 7 or more have a chance below 1 in 1000.
    assert above < 7


def test_below_a_hundredth_it_is_noise() -> None:
    generator = np.random.default_rng(8)
    found = membership_score(generator.normal(0, 1, 400), generator.normal(0.15, 1, 400))
    assert true_score(0.15) < 0.01 < found.interval[1]
    assert found.interval[0] == 0


def test_unlike_laws_rise_above_it_and_the_scale_is_in_the_score() -> None:
    generator = np.random.default_rng(9)
    members, others = generator.normal(0, 1, 200), generator.normal(2, 1, 300)
    found = membership_score(members, others)
    assert found.above_noise
    assert found.interval[0] > 0
    larger = membership_score(10 * members, 10 * others)
    assert larger.value == pytest.approx(found.value / 10)
    assert larger.value * larger.spread == pytest.approx(found.value * found.spread)
    assert membership_score(-members, -others).value == pytest.approx(found.value)


def test_constant_and_tiny_samples_have_a_score() -> None:
    constant = membership_score(np.zeros(5), np.zeros(5))
    assert (constant.value, constant.floor, constant.above_noise) == (0.0, 0.0, False)
    tiny = membership_score(np.array([0.0, 1.0]), np.array([5.0, 6.0]))
    assert math.isfinite(tiny.value)
    assert not tiny.above_noise
