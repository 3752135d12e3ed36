"""Intervals of attacks against exact binomial sums, and how often they hold the truth."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from tacit.audit.attacks.intervals import area_interval, clopper_pearson, share_above_quantile
from tacit.audit.attacks.outcome import outcome
from tacit.errors import InputError


def tail(total: int, share: float, counts: range) -> float:
    return sum(math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in counts)


@pytest.mark.parametrize(("count", "total"), [(0, 10), (3, 10), (10, 10), (1, 200)])
def test_the_ends_are_where_each_binomial_tail_is_a_fortieth(count: int, total: int) -> None:
    low, high = clopper_pearson(count, total)
    if count:
        assert tail(total, low, range(count, total + 1)) == pytest.approx(0.025)
    if count < total:
        assert tail(total, high, range(count + 1)) == pytest.approx(0.025)
    assert (low == 0) == (count == 0)
    assert (high == 1) == (count == total)


def test_of_no_rows_every_share_is_possible_and_impossible_counts_are_refused() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    with pytest.raises(InputError, match="count must be between 0 and total, 3; got 4"):
        clopper_pearson(4, 3)


@pytest.mark.parametrize("shift", [0.0, 0.5, 2.5])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (20, 100), (200, 200)])
def test_the_area_of_normal_laws_is_held_19_times_of_20(shift: float, n: int, m: int) -> None:
    generator = np.random.default_rng(n)
    true, held = norm.cdf(shift / math.sqrt(2)), 0
    for _ in range(300):
        found = outcome("", generator.normal(shift, 1, n), generator.normal(0, 1, m))
        low, high = found.area_interval
        held += low <= true <= high
    assert held >= 300 * 0.95 - 3 * math.sqrt(300 * 0.05 * 0.95)


def test_the_area_of_very_unlike_laws_is_held_too() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        sides = generator.choice([-1.0, 1.0], 100)
        low, high = outcome("", generator.normal(0, 1e-3, 100), sides).area_interval
        held += low <= 0.5 <= high
    assert held >= 300 * 0.95 - 3 * math.sqrt(300 * 0.05 * 0.95)


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_samples_that_do_not_overlap_leave_room_for_doubt_that_shrinks(n: int) -> None:
    below, above = np.zeros(n), np.ones(n)
    low, high = area_interval(above, below, 1.0)
    assert high == 1
    # Of n rows a side the rule of three allows about 3/n of overlap.
    assert 1 - 6 / n < low < 1 - 1 / n
    assert area_interval(below, above, 0.0) == pytest.approx((0.0, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("n", "m", "rate"), [(100, 200, 0.01), (100, 1000, 0.001), (200, 5000, 0.001)])
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_the_true_rate_of_normal_laws_is_held_19_times_of_20(shift: float, n: int, m: int, rate: float) -> None:
    generator = np.random.default_rng(m)
    true, held = norm.sf(norm.isf(rate) - shift), 0
    for _ in range(200):
        low, high = share_above_quantile(generator.normal(shift, 1, n), generator.normal(0, 1, m), rate)
        held += low <= true <= high
    # Conservative by the union bound: it may hold more often, never less.
    assert held >= 200 * 0.95


def test_the_true_rate_is_not_held_by_intervals_that_take_the_threshold_for_known() -> None:
    generator = np.random.default_rng(0)
    true, held = norm.sf(norm.isf(0.01) - 3.0), 0
    for _ in range(200):
        members, others = generator.normal(3, 1, 2000), generator.normal(0, 1, 200)
        found = int((members > np.sort(others)[-3]).sum())
        low, high = clopper_pearson(found, 2000)
        held += low <= true <= high
    assert held < 100  # which is why the interval takes the threshold's own doubt in


def test_a_share_above_the_quantile_of_equal_scores_can_be_anything_up_to_the_ties() -> None:
    low, high = share_above_quantile(np.zeros(50), np.zeros(500), 0.01)
    assert low == 0
    assert high < 0.1
