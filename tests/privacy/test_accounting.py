import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm

from tacit.errors import UnknownEventError
from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import (
    ApproximateEvent,
    GaussianEvent,
    LaplaceEvent,
    ParallelEvent,
    RepeatedEvent,
    SequentialEvent,
)


def test_an_entry_guarantee_of_a_digit_image_is_weak_for_the_whole_image() -> None:
    image = accounting.at_record(LaplaceEvent(10.0, 1.0), 784)
    assert accounting.epsilon(image, delta=1e-5) == pytest.approx(14.884, abs=5e-4)


@pytest.mark.parametrize(("multiplier", "epsilon"), [(0.5, 3.0), (1.0, 1.0), (3.73, 1.0), (20.0, 0.1), (1.0, 0.0)])
def test_the_gaussian_delta_is_the_integral_of_the_excess_density(multiplier: float, epsilon: float) -> None:
    def excess(x: float) -> float:
        return max(0.0, norm.pdf(x, 1, multiplier) - math.exp(epsilon) * norm.pdf(x, 0, multiplier))

    edge = multiplier**2 * epsilon + 0.5
    oracle, _ = quad(excess, edge, edge + 40 * multiplier, limit=200)
    assert accounting.gaussian_delta(multiplier, epsilon) == pytest.approx(oracle, rel=1e-6, abs=1e-12)


def test_the_analytic_calibration_matches_the_independent_figure() -> None:
    # sigma over sensitivity at epsilon 1, delta 1e-5, from an implementation that shares no code with this one.
    assert accounting.gaussian_epsilon(3.7306316348, 1e-5) == pytest.approx(1.0, abs=1e-8)


def test_the_gaussian_epsilon_ends_on_the_safe_side() -> None:
    for multiplier in (0.3, 1.0, 7.0):
        for delta in (1e-12, 1e-5, 0.1):
            epsilon = accounting.gaussian_epsilon(multiplier, delta)
            assert accounting.gaussian_delta(multiplier, epsilon) <= delta


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9])
def test_the_laplace_delta_is_the_integral_of_the_excess_density(epsilon: float) -> None:
    def excess(x: float) -> float:
        return max(0.0, laplace.pdf(x, 0, 1) - math.exp(epsilon) * laplace.pdf(x, 1, 1))

    oracle, _ = quad(excess, -40, 40, points=[0, 0.5, 1], limit=400)
    value = accounting.delta(LaplaceEvent(1.0, 1.0), epsilon=epsilon)
    assert oracle - 1e-9 <= value <= oracle + 1e-4


def test_pure_epsilons_add_up_at_delta_zero() -> None:
    both = SequentialEvent((RepeatedEvent(LaplaceEvent(10, 1), 3), ApproximateEvent(0.5)))
    assert accounting.epsilon(both, delta=0) == pytest.approx(0.8)
    assert accounting.epsilon(GaussianEvent(5, 1), delta=0) == math.inf


def test_a_hundred_hundredths_fit_a_budget_of_one_and_one_more_does_not() -> None:
    budget = Budget(1, unit="record")
    assert accounting.fits(SequentialEvent((ApproximateEvent(0.01),) * 100), budget)
    assert not accounting.fits(SequentialEvent((ApproximateEvent(0.01),) * 101), budget)


def test_gaussians_compose_to_one_gaussian() -> None:
    apart = SequentialEvent((GaussianEvent(3, 1), GaussianEvent(4, 1)))
    multiplier = 1 / math.sqrt(1 / 9 + 1 / 16)
    assert accounting.epsilon(apart, delta=1e-6) == accounting.gaussian_epsilon(multiplier, 1e-6)


def test_composition_is_never_worse_than_adding_up_and_repetition_counts() -> None:
    one = accounting.epsilon(LaplaceEvent(5, 1), delta=1e-6)
    many = accounting.epsilon(RepeatedEvent(LaplaceEvent(5, 1), 50), delta=1e-6)
    assert many < 50 * one
    assert many > one
    nested = RepeatedEvent(RepeatedEvent(LaplaceEvent(5, 1), 5), 10)
    assert accounting.epsilon(nested, delta=1e-6) == many


def test_disjoint_parts_cost_as_much_as_the_worst_one() -> None:
    parts = ParallelEvent((LaplaceEvent(1, 1), LaplaceEvent(2, 1), LaplaceEvent(4, 1)))
    assert accounting.epsilon(parts, delta=0) == 1.0
    mixed = ParallelEvent((ApproximateEvent(0.1, 1e-6), ApproximateEvent(0.5)))
    assert accounting.epsilon(mixed, delta=0) == math.inf
    assert accounting.epsilon(mixed, delta=1e-5) == pytest.approx(0.5, abs=1e-3)
    twice = SequentialEvent((mixed, ApproximateEvent(1.0)))
    assert accounting.epsilon(twice, delta=1e-5) == pytest.approx(1.5, abs=1e-3)


def test_a_mass_above_delta_has_no_epsilon() -> None:
    event = SequentialEvent((LaplaceEvent(1, 1), ApproximateEvent(0.0, 1e-4)))
    assert accounting.epsilon(event, delta=1e-5) == math.inf
    assert accounting.epsilon(event, delta=2e-4) <= 1.0


def test_the_bias_of_drawn_noise_is_paid_for() -> None:
    clean, biased = GaussianEvent(4, 1), GaussianEvent(4, 1, 0.01)
    epsilon = accounting.epsilon(biased, delta=1e-5)
    assert epsilon >= accounting.epsilon(clean, delta=1e-5) + 0.02
    assert accounting.delta(biased, epsilon=epsilon) == pytest.approx(1e-5)
    assert accounting.delta(biased, epsilon=0.01) == 1.0
    together = SequentialEvent((biased, LaplaceEvent(3, 1)))
    assert accounting.epsilon(together, delta=1e-5) > epsilon


def test_delta_and_epsilon_are_inverse_to_each_other() -> None:
    event = SequentialEvent((GaussianEvent(3, 1), RepeatedEvent(LaplaceEvent(8, 1), 4)))
    epsilon = accounting.epsilon(event, delta=1e-6)
    assert accounting.delta(event, epsilon=epsilon) == pytest.approx(1e-6, rel=0.02)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_groups_multiply_what_one_unit_costs(size: int) -> None:
    assert accounting.epsilon(accounting.at_group(LaplaceEvent(4, 1), size), delta=0) == size / 4
    pair = accounting.at_group(ApproximateEvent(0.5, 1e-6), size)
    assert isinstance(pair, ApproximateEvent)
    assert pair.delta == pytest.approx(sum(1e-6 * math.exp(0.5 * i) for i in range(size)))
    gaussian = accounting.at_group(GaussianEvent(6, 1), size)
    assert accounting.epsilon(gaussian, delta=1e-6) == accounting.gaussian_epsilon(6 / size, 1e-6)


def test_a_group_over_parts_costs_the_worst_way_to_spread_it() -> None:
    alike = ParallelEvent((LaplaceEvent(1, 1), LaplaceEvent(2, 1)))
    assert accounting.epsilon(accounting.at_group(alike, 2), delta=0) == 2.0
    first, second = LaplaceEvent(2, 1), GaussianEvent(3, 1)
    group = accounting.at_group(ParallelEvent((first, second)), 2)
    ways = (accounting.at_group(first, 2), accounting.at_group(second, 2), SequentialEvent((first, second)))
    assert accounting.epsilon(group, delta=1e-4) == max(accounting.epsilon(way, delta=1e-4) for way in ways)


def test_too_many_ways_to_spread_a_group_are_refused_and_not_computed() -> None:
    parts = ParallelEvent((LaplaceEvent(2, 1), GaussianEvent(3, 1), ApproximateEvent(0.1, 1e-9)))
    with pytest.raises(UnknownEventError, match=r"in 5151 ways.*the same noise"):
        accounting.at_group(parts, 100)


def test_many_nested_parts_are_refused_and_do_not_hang() -> None:
    sequence = SequentialEvent(
        tuple(ParallelEvent((LaplaceEvent(2 + i, 1), GaussianEvent(3 + i, 1))) for i in range(24))
    )
    with pytest.raises(UnknownEventError, match="4096 combinations of parts"):
        accounting.epsilon(sequence, delta=1e-6)


def test_a_large_group_of_a_large_epsilon_does_not_overflow() -> None:
    group = accounting.at_group(ApproximateEvent(90.0, 1e-9), 20)
    assert group == ApproximateEvent(1800.0, accounting.LARGEST_DELTA)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(UnknownEventError, match="int"):
        accounting.epsilon(3, delta=0)  # type: ignore[arg-type]


@settings(max_examples=20)
@given(shares=st.lists(st.floats(0.05, 1), min_size=2, max_size=5), scale=st.floats(0.5, 5))
def test_noise_moved_in_several_coordinates_is_no_easier_to_see(shares: list[float], scale: float) -> None:
    """The 1-norm event covers every way to spread the change, by composing one Laplace event for each coordinate."""
    total = sum(shares)
    spread = SequentialEvent(tuple(LaplaceEvent(scale, share) for share in shares))
    for epsilon in np.linspace(0, 0.95 * total / scale, 4):
        # Both are rounded up on a grid of losses; a grid step for each coordinate is allowed for.
        slack = 1e-4 * len(shares)
        together = accounting.delta(LaplaceEvent(scale, total), epsilon=float(epsilon))
        assert accounting.delta(spread, epsilon=float(epsilon)) <= together + slack
