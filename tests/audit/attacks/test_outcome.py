"""ROC curves against counting, and the figures of known laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from tacit.arrays import FloatArray
from tacit.audit.attacks.outcome import largest_true_rate, outcome
from tacit.audit.guessing import best_guess
from tacit.errors import InputError

Scores = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=12)


def area_by_counting(members: FloatArray, others: FloatArray) -> float:
    return float(np.mean([(m > o) + 0.5 * (m == o) for m in members for o in others]))


@given(Scores, Scores)
@settings(max_examples=60)
def test_curve_and_area_are_those_of_counting(members: list[float], others: list[float]) -> None:
    found = outcome("", members, others)
    assert found.area == pytest.approx(area_by_counting(found.members, found.non_members))
    false, true = found.curve
    points = {(0.0, 0.0)} | {
        (sum(o >= t for o in others) / len(others), sum(m >= t for m in members) / len(members))
        for t in members + others
    }
    assert set(zip(false.tolist(), true.tolist(), strict=True)) == points
    low, high = found.area_interval
    assert 0 <= low <= found.area <= high <= 1


def test_figures_of_two_normal_laws_are_the_analytic_ones() -> None:
    generator = np.random.default_rng(0)
    found = outcome("", generator.normal(2, 1, 20_000), generator.normal(0, 1, 20_000))
    assert found.area == pytest.approx(norm.cdf(2 / math.sqrt(2)), abs=0.005)
    for rate in (0.01, 0.001):
        analytic = norm.sf(norm.isf(rate) - 2)
        measured = found.true_rate(rate)
        assert measured.value == pytest.approx(analytic, abs=0.05)
        assert measured.interval[0] < analytic < measured.interval[1]


@pytest.mark.parametrize(("n", "rate", "needed"), [(99, 0.01, 100), (999, 0.001, 1000)])
def test_too_few_non_members_cannot_show_a_small_false_rate(n: int, rate: float, needed: int) -> None:
    generator = np.random.default_rng(0)
    lacking = outcome("", generator.normal(9, 1, 50), generator.normal(0, 1, n)).true_rate(rate)
    assert (lacking.value, lacking.interval, lacking.needed) == (None, (0.0, 1.0), needed)
    enough = outcome("", generator.normal(9, 1, 50), generator.normal(0, 1, n + 1)).true_rate(rate)
    assert enough.value == 1.0
    # One false positive more or less is all that so few rows show: the lower end knows nothing.
    assert enough.interval == (0.0, 1.0)


def test_a_false_rate_counts_non_members_above_the_threshold() -> None:
    others = np.arange(200.0)
    found = outcome("", np.array([196.5, 197.5, 198.5, 10.0]), others).true_rate(0.01)
    # Two of 200 may be above: the threshold is 197.
    assert found.value == 0.5


def test_identical_samples_are_a_coin_toss_and_show_nothing() -> None:
    scores = np.random.default_rng(1).normal(size=300)
    found = outcome("", scores, scores)
    assert found.area == pytest.approx(0.5)
    assert found.area_interval[0] < 0.5 < found.area_interval[1]
    assert found.true_rate(0.01).value == pytest.approx(0.01)
    assert found.epsilon_shown(0.0) == 0.0
    assert not found.tells_apart
    constant = outcome("", np.zeros(200), np.zeros(200))
    assert (constant.area, constant.true_rate(0.01).value) == (0.5, 0.0)


def test_perfect_separation_shows_a_large_epsilon_and_few_rows_show_none() -> None:
    found = outcome("", np.ones(2000), np.zeros(2000))
    shown = found.epsilon_shown(0.0)
    assert shown is not None
    assert shown > 4
    assert found.tells_apart
    assert outcome("", np.ones(7), np.zeros(7)).epsilon_shown(0.0) is None


@pytest.mark.parametrize(("members", "match"), [([1.0], "at least 2 scores"), ([1.0, math.nan], "finite numbers")])
def test_scores_that_are_none_are_refused(members: list[float], match: str) -> None:
    with pytest.raises(InputError, match=match):
        outcome("", members, [0.0, 1.0])
    with pytest.raises(InputError, match="at least 2 scores"):
        outcome("", np.zeros((2, 2)), [0.0, 1.0])


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.05), (800.0, 0.0)])
def test_the_largest_true_rate_is_what_the_best_guess_comes_from(epsilon: float, delta: float) -> None:
    false = np.linspace(0, 1, 100_001)
    allowed = largest_true_rate(false, epsilon, delta)
    assert ((allowed >= 0) & (allowed <= 1)).all()
    # A guesser after a fair coin is right with (TPR + 1 - FPR)/2.
    assert ((allowed + 1 - false) / 2).max() == pytest.approx(best_guess(epsilon, delta), abs=1e-4)
