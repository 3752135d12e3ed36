"""What charges cost one unit of a ledger together, and what they leave of its budget."""

import decimal
import math
from collections import Counter

from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent, Event, ParallelEvent, RepeatedEvent, SequentialEvent

# Less epsilon than this is the rounding of sums, not something to spend.
LEAST_ROOM = 1e-9


def pure_room(past: Event, budget: Budget) -> float:
    """Return an epsilon that one more release without delta may have after ``past`` within ``budget``.

    (epsilon_1, delta) composed with (epsilon_2, 0) is (epsilon_1 + epsilon_2, delta) [foundations], so the difference
    to what is spent fits; accounting on a grid of losses may round it away, hence the smaller candidates.
    """
    room = max(budget.epsilon - accounting.epsilon(past, delta=budget.delta), 0.0)
    round_ones = (round(room, 12), math.floor(room * 1e6) / 1e6, math.floor(room * 1e4) / 1e4)
    for candidate in (*round_ones, room - 1e-4, room - 2e-4, room - 1e-3, room - 1e-2, room - 1e-1):
        if candidate < LEAST_ROOM:
            return 0.0
        if accounting.fits(SequentialEvent((past, ApproximateEvent(candidate))), budget):
            return candidate
    return 0.0


def digits(number: float, *, up: bool = False) -> str:
    """Return six digits of ``number``, rounded down: for what is left; or ``up``: for what a charge costs."""
    rounding = decimal.ROUND_UP if up else decimal.ROUND_DOWN
    return f"{float(decimal.Context(prec=6, rounding=rounding).create_decimal(repr(number))):g}"


def refusal(past: Event, cost: Event, budget: Budget) -> str:
    """Return why ``cost`` does not fit after ``past``: what it needs, what is left, what would fit."""
    asked, room = accounting.epsilon(cost, delta=budget.delta), pure_room(past, budget)
    at = f" at delta {budget.delta:g}" if budget.delta else ""
    needs = f"by itself it costs epsilon {digits(asked, up=True)}{at}"
    if math.isinf(asked):
        needs = f"no epsilon holds for it at delta {budget.delta:g}"
    left = "no epsilon is left"
    if room:
        shown = digits(room)
        left = f"epsilon {shown} is left{at}; a single pure release of up to epsilon {shown} would fit"
    return f"the charge does not fit the budget of {budget}: {needs}, and {left}. Nothing was charged."


class Spending:
    """What has been charged so far, equal events counted rather than listed.

    Events over disjoint parts stay apart: the parts of two releases need not be the same, so one unit may lie in
    different ones, which the repetition of one event does not say.
    """

    def __init__(self) -> None:
        self._counts: Counter[Event] = Counter()
        self._apart: list[Event] = []

    def add(self, event: Event) -> None:
        """Count ``event``."""
        if _has_parts(event):
            self._apart.append(event)
        else:
            self._counts[event] += 1

    def composed(self, *more: Event) -> SequentialEvent:
        """Return everything counted, and ``more``, as one event."""
        counted = (RepeatedEvent(event, count) for event, count in self._counts.items())
        return SequentialEvent((*counted, *self._apart, *more))


def _has_parts(event: Event) -> bool:
    match event:
        case ParallelEvent():
            return True
        case RepeatedEvent():
            return _has_parts(event.event)
        case SequentialEvent():
            return any(_has_parts(each) for each in event.events)
    return False
