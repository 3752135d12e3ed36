"""The slack of a sum of discrete Gaussians against exact convolution: one pair, many parties, a coalition's absence."""

import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.privacy.mechanisms.joint import share_slack

Law = tuple[FloatArray, int]


def one_law(variance: float) -> Law:
    """Return the probabilities of -reach .. reach, and reach: beyond it they are below 10^-100."""
    reach = math.ceil(22 * math.sqrt(variance))
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance))
    return weights / weights.sum(), reach


def sum_law(shares: list[float]) -> Law:
    """Return the law of a sum of discrete Gaussians with these variances, by convolution."""
    total, reach = one_law(shares[0])
    for variance in shares[1:]:
        other, further = one_law(variance)
        total, reach = np.convolve(total, other), reach + further
    return total, reach


def largest_log_ratio(shares: list[float]) -> float:
    """Return by how much the logarithms of both laws differ at most, out to eight standard deviations."""
    (total, reach), (ideal, middle) = sum_law(shares), one_law(sum(shares))
    near = np.arange(-math.ceil(8 * math.sqrt(sum(shares))), math.ceil(8 * math.sqrt(sum(shares))) + 1)
    return float(np.abs(np.log(total[reach + near] / ideal[middle + near])).max())


def exact_delta(law: Law, epsilon: float, shift: int) -> float:
    """Return the least delta for which noise of this law keeps epsilon on a number that moves by ``shift``."""
    probabilities, _ = law
    padded = np.pad(probabilities, (shift, shift))
    moved = np.roll(padded, shift)
    return float(np.maximum(padded - math.exp(epsilon) * moved, 0).sum())


@pytest.mark.parametrize("first", [0.5, 0.6, 0.9, 1.3])
@pytest.mark.parametrize("second", [0.5, 0.7, 1.0, 2.5])
def test_two_of_them_are_within_the_derived_bound_of_one(first: float, second: float) -> None:
    narrow = 1 / (1 / first**2 + 1 / second**2)
    assert largest_log_ratio([first**2, second**2]) <= 5 * math.exp(-2 * math.pi**2 * narrow) + 1e-12


@pytest.mark.parametrize("steps", [0.5, 0.55, 0.7])
@pytest.mark.parametrize(("parties", "absent"), [(3, 1), (20, 1), (20, 18), (60, 20), (200, 1)])
def test_what_is_left_of_many_shares_is_within_their_slack(steps: float, parties: int, absent: int) -> None:
    """A coalition knows its own shares: what hides a row is the sum of the others, whatever the plan's total was."""
    honest = parties - absent
    ratio = largest_log_ratio([steps**2] * honest)
    # Twice the derived bound: what the code states has room for both neighbours.
    assert ratio <= share_slack(steps, honest) / 2 + 1e-12
    assert share_slack(steps, honest) < share_slack(steps, parties)


@pytest.mark.parametrize("parties", [2, 5, 40])
@pytest.mark.parametrize("shift", [1, 2])
def test_to_take_the_sum_for_one_discrete_gaussian_promises_too_much(parties: int, shift: int) -> None:
    steps = 0.5
    truth, naive = sum_law([steps**2] * parties), one_law(parties * steps**2)
    slack = share_slack(steps, parties) / 2
    tried = np.linspace(0, 3, 61) * shift / math.sqrt(parties)
    exact = np.array([exact_delta(truth, each, shift) for each in tried])
    assert (exact > np.array([exact_delta(naive, each, shift) for each in tried]) + 1e-9).any()
    # Probabilities within e^slack on both neighbours cost 2 slack and a factor on delta: what accounting does.
    bound = [math.exp(slack) * exact_delta(naive, each - 2 * slack, shift) for each in tried]
    assert (exact <= np.array(bound) + 1e-12).all()


def test_one_party_has_no_slack_and_a_full_grid_next_to_none() -> None:
    assert share_slack(0.5, 1) == 0
    assert 0 < share_slack(2.0**24, 10_000) < 1e-300
