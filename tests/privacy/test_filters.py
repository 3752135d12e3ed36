"""The filters keep their promise against an analyst who chooses every charge after seeing all answers."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from tacit.privacy import accounting, filters
from tacit.privacy.budget import Budget
from tacit.privacy.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    ParallelEvent,
    RepeatedEvent,
    SequentialEvent,
)
from tacit.privacy.filters import BIAS, GAUSSIAN, MASS, PURE, RENYI, Filters
from tacit.privacy.spending import Spending

BUDGETS = [
    Budget(0.1, 1e-6, unit="record"),
    Budget(1, 1e-6, unit="record"),
    Budget(3, 1e-9, unit="record"),
    Budget(20, 1e-5, unit="person"),
    Budget(2, 1e-6, unit="entry"),
]
RATIOS = (1e-6, 0.01, 0.3, 1.0, 4.0, 30.0)


# --- formulas


@pytest.mark.parametrize("epsilon", RATIOS)
@pytest.mark.parametrize("order", [1.1, 2.0, 10.0, 300.0])
def test_the_divergence_of_a_pure_epsilon_is_that_of_randomised_response(epsilon: float, order: float) -> None:
    p, q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    oracle = np.logaddexp(order * p + (1 - order) * q, order * q + (1 - order) * p) / (order - 1)
    found = filters.pure_divergence(epsilon, order)
    assert found == pytest.approx(oracle, rel=1e-6, abs=1e-13)
    assert found <= epsilon * (1 + 1e-9) + 1e-13
    assert found <= order * epsilon**2 / 2 * (1 + 1e-9) + 1e-13


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 10.0])
def test_the_divergence_of_laplace_noise_is_its_integral(epsilon: float, order: float) -> None:
    def density(x: float) -> float:
        return math.exp(order * laplace.logpdf(x) + (1 - order) * laplace.logpdf(x, epsilon))

    integral, _ = quad(density, -60, 60 + epsilon, points=[0, epsilon], limit=400)
    assert filters.laplace_divergence(epsilon, order) == pytest.approx(math.log(integral) / (order - 1), rel=1e-6)


@pytest.mark.parametrize(
    ("mu", "event"),
    [
        (filters.pure_mu, ApproximateEvent),
        (filters.laplace_mu, lambda ratio: LaplaceEvent(1, ratio)),
    ],
    ids=["pure", "laplace"],
)
@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0, 4.0])
def test_a_bound_by_a_gaussian_covers_the_whole_profile_and_is_tight(
    mu: Callable[[float], float], event: Callable[[float], Event], ratio: float
) -> None:
    def gaps(factor: float) -> list[float]:
        found = []
        for epsilon in np.linspace(0, 1.2 * ratio, 60):
            # The loss distribution is rounded up by at most one step of its grid.
            exact = accounting.delta(event(ratio), epsilon=float(epsilon) + accounting.LOSS_STEP)
            found.append(accounting.gaussian_delta(1 / (factor * mu(ratio)), float(epsilon)) - exact)
        return found

    assert min(gaps(1.0)) >= -1e-6
    assert min(gaps(0.99)) < 0


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_each_filter_alone_keeps_its_share_of_delta(budget: Budget) -> None:
    """Gaussian noise that fills a cap exactly is within the budget's epsilon at the filter's part of delta."""
    found = Filters(budget)
    shares = found.shares
    assert sum(shares) == pytest.approx(1.0)
    full = accounting.gaussian_delta(1 / math.sqrt(found.caps[GAUSSIAN]), budget.epsilon)
    assert full <= shares[1] * budget.delta
    assert full >= 0.99 * shares[1] * budget.delta
    for order, cap in zip(found.orders, found.caps[RENYI], strict=True):
        assert cap > 0
        filled = accounting.gaussian_delta(1 / math.sqrt(2 * cap / order), budget.epsilon)
        assert filled <= shares[2] * budget.delta / len(filters.PURE_PARTS)


def test_costs_add_up_repeat_and_take_the_worst_part() -> None:
    found = Filters(BUDGETS[1])
    first, second = LaplaceEvent(5, 1), GaussianEvent(7, 1, 1e-15)
    one, two = found.cost(first), found.cost(second)
    assert found.cost(SequentialEvent((first, second))) == pytest.approx(one + two)
    assert found.cost(RepeatedEvent(first, 9)) == pytest.approx(9 * one)
    assert (found.cost(ParallelEvent((first, second))) == np.maximum(one, two)).all()
    assert (two[PURE], two[BIAS], one[MASS]) == (math.inf, 1e-15, 0)
    assert found.cost(ApproximateEvent(0.5, 1e-7))[MASS] == 1e-7
    assert found.cost(SequentialEvent(())).sum() == 0


def test_a_bias_beyond_the_room_for_it_is_refused() -> None:
    spending = Spending(Budget(1, 1e-6, unit="record")).plus(GaussianEvent(100, 1))
    assert spending.fits(GaussianEvent(100, 1, 1e-9))
    assert not spending.fits(GaussianEvent(100, 1, 1e-5))


def test_without_delta_epsilons_add_up() -> None:
    found = Filters(Budget(1, unit="record"))
    assert found.orders == ()
    assert found.hold(found.cost(RepeatedEvent(LaplaceEvent(10, 1), 10)))
    assert not found.hold(found.cost(RepeatedEvent(LaplaceEvent(10, 1), 11)))
    assert not found.hold(found.cost(GaussianEvent(1e9, 1)))
    assert not found.hold(found.cost(ApproximateEvent(0.1, 1e-12)))
    assert found.epsilon(found.cost(GaussianEvent(5, 1))) == math.inf


# --- the analyst


def best_of_two(allowed: Callable[[int, int], bool], small: float, large: float, epsilon: float) -> float:
    """Return delta at ``epsilon`` of the best analyst who chooses between two randomised responses at every step.

    States are how often each was asked and the sums of their signs. Stopping at loss L is worth (1 - e^(epsilon - L))+,
    the excess that the hockey-stick divergence counts.
    """
    p, q = (1 / (1 + math.exp(-each)) for each in (small, large))

    @cache
    def value(i: int, j: int, k: int, m: int) -> float:
        best = max(0.0, 1 - math.exp(epsilon - k * small - m * large))
        if allowed(i + 1, j):
            best = max(best, p * value(i + 1, j, k + 1, m) + (1 - p) * value(i + 1, j, k - 1, m))
        if allowed(i, j + 1):
            best = max(best, q * value(i, j + 1, k, m + 1) + (1 - q) * value(i, j + 1, k, m - 1))
        return best

    return value(0, 0, 0, 0)


def composed(small: float, large: float, i: int, j: int) -> Event:
    counts = [(ApproximateEvent(small), i), (ApproximateEvent(large), j)]
    return SequentialEvent(tuple(RepeatedEvent(event, count) for event, count in counts if count))


GAMES = [(1.0, 0.02, 0.1, 0.45), (1.0, 0.05, 0.1, 0.8), (1.0, 0.02, 0.15, 0.9), (0.5, 0.03, 0.05, 0.2)]


@pytest.mark.parametrize(("epsilon", "delta", "small", "large"), GAMES)
def test_no_analyst_gets_past_the_filters(epsilon: float, delta: float, small: float, large: float) -> None:
    budget = Budget(epsilon, delta, unit="record")

    @cache
    def allowed(i: int, j: int) -> bool:
        found = Filters(budget)
        return found.hold(found.cost(composed(small, large, i, j)))

    assert allowed(5, 0)
    assert 0 < best_of_two(allowed, small, large, epsilon) <= delta


@pytest.mark.parametrize(("epsilon", "delta", "small", "large"), GAMES[:3])
def test_composing_loss_distributions_and_stopping_at_the_budget_does_not_hold(
    epsilon: float, delta: float, small: float, large: float
) -> None:
    """The control: with the rule of plans that are fixed in advance, the same analyst gets past the budget."""
    budget = Budget(epsilon, delta, unit="record")

    @cache
    def allowed(i: int, j: int) -> bool:
        return accounting.fits(composed(small, large, i, j), budget)

    assert best_of_two(allowed, small, large, epsilon) > 1.1 * delta


# --- tightness


@pytest.mark.parametrize("budget", BUDGETS[:4], ids=str)
def test_equal_gaussians_fill_nearly_as_much_as_if_fixed_in_advance(budget: Budget) -> None:
    found = Filters(budget)
    fixed = Filters(budget).caps[GAUSSIAN]
    low, high = fixed, 100 * fixed
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        fits = accounting.gaussian_delta(1 / math.sqrt(middle), budget.epsilon) <= budget.delta
        low, high = (middle, high) if fits else (low, middle)
    # In units of noise: one part in twenty more.
    assert math.sqrt(found.caps[GAUSSIAN] / low) > 0.95


@pytest.mark.parametrize("part", [0.25, 0.5, 0.75, 0.9])
def test_a_mixture_of_pure_and_gaussian_charges_needs_half_as_much_noise_again_at_most(part: float) -> None:
    budget = Budget(1, 1e-6, unit="record")
    found = Filters(budget)
    pure = found.cost(ApproximateEvent(part * budget.epsilon))
    spare = zip(found.orders, found.caps[RENYI] - pure[RENYI], strict=True)
    multiplier = 1 / math.sqrt(max(2 * rest / order for order, rest in spare))
    # A plan that is fixed in advance may draw less noise than the filters ask for, but not a third less.
    for factor, fits in ((1.0, True), (2 / 3, False)):
        plan = SequentialEvent((ApproximateEvent(part), GaussianEvent(factor * multiplier, 1)))
        assert accounting.fits(plan, budget) == fits
