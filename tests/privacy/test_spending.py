"""Charges are converted, counted and composed on the safe side."""

import itertools
import math

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
from tacit.privacy.spending import Spending, digits, pure_room, refusal

EVENTS: list[Event] = [LaplaceEvent(20, 1), GaussianEvent(30, 1), ApproximateEvent(0.1, 1e-8)]


def spending(*events: Event) -> Spending:
    tally = Spending()
    for event in events:
        tally.add(event)
    return tally


def test_counting_equal_events_composes_as_listing_them() -> None:
    charged = EVENTS * 7
    together = spending(*charged).composed()
    assert len(together.events) == 3
    assert accounting.epsilon(together, delta=1e-6) == accounting.epsilon(SequentialEvent(tuple(charged)), delta=1e-6)


def test_the_newest_event_is_composed_but_not_counted() -> None:
    tally = spending(EVENTS[0])
    assert tally.composed(EVENTS[1]).events == (RepeatedEvent(EVENTS[0], 1), EVENTS[1])
    assert tally.composed().events == (RepeatedEvent(EVENTS[0], 1),)


@pytest.mark.parametrize(
    "wrapped",
    [lambda event: event, lambda event: RepeatedEvent(event, 2), lambda event: SequentialEvent((EVENTS[0], event))],
)
def test_events_over_parts_are_listed_since_two_releases_may_part_the_data_differently(wrapped: object) -> None:
    assert callable(wrapped)
    over_parts = wrapped(ParallelEvent((LaplaceEvent(20, 1), GaussianEvent(30, 1))))
    assert spending(over_parts, EVENTS[0], over_parts).composed().events == (
        RepeatedEvent(EVENTS[0], 1),
        over_parts,
        over_parts,
    )


def test_nothing_spent_leaves_the_whole_budget() -> None:
    for budget in (Budget(1, unit="record"), Budget(0.3, 1e-6, unit="record")):
        assert pure_room(spending().composed(), budget) == budget.epsilon


@pytest.mark.parametrize("count", range(1, 12))
def test_the_room_that_is_left_fits_and_hardly_more_does(count: int) -> None:
    budget = Budget(2, 1e-6, unit="record")
    past = spending(*itertools.islice(itertools.cycle(EVENTS), count)).composed()
    room = pure_room(past, budget)
    assert room > 0
    assert accounting.fits(SequentialEvent((past, ApproximateEvent(room))), budget)
    # At most a few steps of the grid of losses below the difference to what is spent.
    assert room >= budget.epsilon - accounting.epsilon(past, delta=1e-6) - 1e-3


def test_past_the_budget_there_is_no_room() -> None:
    assert pure_room(ApproximateEvent(3), Budget(1, unit="record")) == 0
    assert pure_room(GaussianEvent(1, 1), Budget(1, unit="record")) == 0
    assert pure_room(ApproximateEvent(1 - 1e-13), Budget(1, unit="record")) == 0


def test_shown_figures_promise_no_more_than_the_exact_ones() -> None:
    for number in (0.123456789, 1 / 3, 2e-7 / 3, 99.99999999, 12.5):
        assert float(digits(number)) <= number <= float(digits(number, up=True))
        assert math.isclose(float(digits(number)), number, rel_tol=1e-5)
    assert digits(0.3) == digits(0.3, up=True) == "0.3"


def test_a_refusal_speaks_of_delta_where_the_ledger_has_one() -> None:
    message = refusal(ApproximateEvent(0.25), ApproximateEvent(2, 1e-9), Budget(1, 1e-6, unit="record"))
    assert "costs epsilon 2 at delta 1e-06" in message
    assert "epsilon 0.75 is left at delta 1e-06" in message
    assert "up to epsilon 0.75 would fit" in message
    mass = refusal(ApproximateEvent(0.25), ApproximateEvent(0, 1e-3), Budget(1, 1e-6, unit="record"))
    assert "no epsilon holds for it at delta 1e-06" in mass
