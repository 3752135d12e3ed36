"""Charges are counted on the safe side: the first as a plan fixed in advance, all others by filters."""

import itertools
import math
import re

import pytest

from tacit.privacy import accounting
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
from tacit.privacy.spending import Spending, digits, reserve_words

EVENTS: list[Event] = [LaplaceEvent(20, 1), GaussianEvent(30, 1), ApproximateEvent(0.1, 1e-8)]


def spending(budget: Budget, *events: Event) -> Spending:
    return Spending(budget).plus(*events)


@pytest.mark.parametrize("event", [*EVENTS, SequentialEvent(tuple(EVENTS)), RepeatedEvent(EVENTS[0], 300)])
def test_the_first_charge_may_take_the_whole_budget(event: Event) -> None:
    """A plan fixed in advance is accounted as tightly as the library can; nothing may follow that it leaves no room."""
    epsilon = accounting.epsilon(event, delta=1e-5)
    budget = Budget(epsilon * (1 + 1e-9), 1e-5, unit="record")
    assert spending(budget).fits(event)
    after = spending(budget, event)
    assert after.epsilon() == epsilon
    assert after.is_within()
    assert not after.fits(ApproximateEvent(0.05 * epsilon))
    assert after.room() == pytest.approx(0, abs=0.04 * epsilon)


def test_a_plan_charged_in_two_halves_costs_more_than_at_once() -> None:
    """The second half may depend on the answers to the first, which is paid for."""
    budget = Budget(1, 1e-6, unit="record")
    half = GaussianEvent(math.sqrt(2) / accounting_mu(budget), 1)
    assert spending(budget).fits(RepeatedEvent(half, 2))
    once = spending(budget, half)
    assert not once.fits(half)
    # Three percent more noise in each half and they fit.
    assert spending(budget, GaussianEvent(1.04 * half.sigma, 1)).fits(GaussianEvent(1.04 * half.sigma, 1))


def accounting_mu(budget: Budget) -> float:
    low, high = 1e-3, 10.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        fits = accounting.gaussian_delta(1 / middle, budget.epsilon) <= budget.delta
        low, high = (middle, high) if fits else (low, middle)
    return low


def test_pure_charges_add_up_to_the_last_digit() -> None:
    budget = Budget(1, 1e-6, unit="record")
    tenths = spending(budget, *[ApproximateEvent(0.1)] * 9)
    assert tenths.epsilon() == pytest.approx(0.9)
    assert tenths.room() == pytest.approx(0.1)
    assert tenths.fits(ApproximateEvent(0.1))
    assert not tenths.fits(ApproximateEvent(0.1 + 1e-9))


def test_many_small_pure_charges_cost_less_than_their_sum() -> None:
    budget = Budget(1, 1e-6, unit="record")
    many = spending(budget, RepeatedEvent(ApproximateEvent(0.01), 150), RepeatedEvent(ApproximateEvent(0.01), 150))
    assert many.is_within()
    assert many.epsilon() < 1 < 3


def test_events_over_parts_cost_as_much_as_their_worst_part() -> None:
    budget = Budget(1, 1e-6, unit="record")
    parts = ParallelEvent((LaplaceEvent(20, 1), LaplaceEvent(10, 1)))
    assert spending(budget, parts, parts).epsilon() == pytest.approx(0.2)


def test_nothing_spent_leaves_the_whole_budget() -> None:
    for budget in (Budget(1, unit="record"), Budget(0.3, 1e-6, unit="record")):
        assert spending(budget).room() == budget.epsilon
        assert spending(budget).epsilon() == 0


@pytest.mark.parametrize("count", range(1, 12))
def test_the_room_that_is_left_fits_and_hardly_more_does(count: int) -> None:
    past = spending(Budget(2, 1e-6, unit="record"), *itertools.islice(itertools.cycle(EVENTS), count))
    room = past.room()
    assert room > 0
    assert past.fits(ApproximateEvent(room))
    assert not past.fits(ApproximateEvent(room + 1e-6))


def test_past_the_budget_there_is_no_room() -> None:
    budget = Budget(1, unit="record")
    for event in (ApproximateEvent(3), GaussianEvent(1, 1), ApproximateEvent(1 - 1e-13)):
        assert spending(budget, event).room() == 0


def test_shown_figures_promise_no_more_than_the_exact_ones() -> None:
    for number in (0.123456789, 1 / 3, 2e-7 / 3, 99.99999999, 12.5):
        assert float(digits(number)) <= number <= float(digits(number, up=True))
        assert math.isclose(float(digits(number)), number, rel_tol=1e-5)
    assert digits(0.3) == digits(0.3, up=True) == "0.3"


def test_a_refusal_speaks_of_delta_where_the_ledger_has_one() -> None:
    past = spending(Budget(1, 1e-6, unit="record"), ApproximateEvent(0.25))
    message = past.refusal(ApproximateEvent(2, 1e-9))
    assert "costs epsilon 2 at delta 1e-06" in message
    assert "epsilon 0.75 is left at delta 1e-06" in message
    assert "up to epsilon 0.75 would fit" in message
    assert "brings a delta of its own along, 0.001" in past.refusal(ApproximateEvent(0, 1e-3))


@pytest.mark.parametrize(
    "event", [GaussianEvent(2, 1), LaplaceEvent(1, 2), RepeatedEvent(ApproximateEvent(0.5), 4)], ids=lambda e: e.name
)
def test_a_refusal_names_the_epsilon_with_which_such_a_release_would_fit(event: Event) -> None:
    past = spending(Budget(1, 1e-6, unit="record"), ApproximateEvent(0.25))
    found = re.search(r"With epsilon ([0-9.]+) at delta 1e-06 a release of this kind would fit", past.refusal(event))
    assert found is not None
    assert 0.2 < float(found[1]) <= 0.76


def test_a_spent_budget_says_so() -> None:
    past = spending(Budget(1, unit="record"), ApproximateEvent(1.0))
    assert "No release of this kind fits any more" in past.refusal(LaplaceEvent(1, 1))


def test_a_gap_between_spent_left_and_budget_is_explained_and_none_is_invented() -> None:
    def words(budget: Budget, *events: Event) -> str:
        book = spending(budget, *events)
        return reserve_words(book.epsilon(), book.room(), budget.epsilon)

    noisy, pure = Budget(2, 2e-6, unit="record"), Budget(1, 0, unit="record")
    assert words(noisy, GaussianEvent(5, 1)).startswith("The rest pays")
    assert not words(noisy)
    assert not words(pure, LaplaceEvent(2, 1))
