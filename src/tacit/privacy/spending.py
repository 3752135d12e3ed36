"""What charges cost one unit of a ledger together, and what they leave of its budget."""

import decimal
import math
from collections import Counter

from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent, Event, GaussianEvent, LaplaceEvent, RepeatedEvent
from tacit.privacy.filters import MASS, Filters

# Less epsilon than this is the rounding of sums, not something to spend.
LEAST_ROOM = 1e-9
# A reserve of a smaller part of the budget than what this leaves is not worth a sentence.
SMALL_RESERVE = 0.99


class Spending:
    """What has been charged under ``budget``: the sums that its filters look at, and the first charge if it is alone.

    Nothing here changes: ``plus`` gives what has been charged after more charges.

    Parameters
    ----------
    budget : Budget
        What may be spent in all.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._filters = Filters(budget)
        self._total = self._filters.nothing()
        self._count = 0
        self._only: Event | None = None

    def plus(self, *events: Event) -> "Spending":
        """Return this and ``events``, whether they fit or not."""
        if not events:
            return self
        after = Spending(self.budget)
        costs = Counter(events)  # equal ones are costed once
        after._total = self._total + sum(count * self._filters.cost(event) for event, count in costs.items())
        after._count = self._count + len(events)
        after._only = events[0] if after._count == 1 else None
        return after

    def fits(self, event: Event) -> bool:
        """Whether ``event`` may be charged next.

        The first charge depends on no answer, so it may take the whole budget by itself; those after it must leave
        one of the filters within its cap.
        """
        if self._count == 0 and accounting.fits(event, self.budget):
            return True
        return self._filters.hold(self._total + self._filters.cost(event))

    def is_within(self) -> bool:
        """Whether everything counted could have been charged."""
        if self._only is not None and accounting.fits(self._only, self.budget):
            return True
        return self._filters.hold(self._total)

    def epsilon(self) -> float:
        """Return the epsilon of everything counted, at the budget's delta."""
        if self._count == 0:
            return 0.0
        epsilon = self._filters.epsilon(self._total)
        if self._only is None:
            return epsilon
        return min(accounting.epsilon(self._only, delta=self.budget.delta), epsilon)

    def room(self) -> float:
        """Return an epsilon that one more release without delta may have; rounded down to six digits if need be."""
        if self._count == 0:
            return self.budget.epsilon
        low, high = 0.0, self.budget.epsilon
        while high - low > LEAST_ROOM / 4:
            middle = (low + high) / 2
            low, high = (middle, high) if self.fits(ApproximateEvent(middle)) else (low, middle)
        for candidate in (round(low, 8), low):  # 0.3 rather than 0.29999999
            if candidate >= LEAST_ROOM and self.fits(ApproximateEvent(candidate)):
                return candidate
        return 0.0

    def refusal(self, event: Event) -> str:
        """Return why ``event`` does not fit, what is left, and the way out."""
        budget = self.budget
        needed, room = accounting.epsilon(event, delta=budget.delta), self.room()
        at = f" at delta {budget.delta:g}" if budget.delta else ""
        if math.isinf(needed):
            why = self._without_epsilon(event)
        else:
            why = f"This charge alone costs epsilon {digits(needed, up=True)}{at}. {self._way_out(event, at)}"
        left = "no epsilon is left"
        if room:
            shown = digits(room)
            left = f"epsilon {shown} is left{at}; a single pure release of up to epsilon {shown} would fit"
        return f"the charge does not fit the budget of {budget}: {left}. {why} Nothing was charged."

    def _without_epsilon(self, event: Event) -> str:
        """Return why no epsilon holds for ``event`` at the budget's delta, and the way out."""
        if self.budget.delta == 0:
            return (
                "This release needs a delta above 0, as Gaussian noise does, and the ledger has none. Make it in "
                "a form without one (Laplace noise, or weights of a regression), or keep a ledger with a delta, 1e-6."
            )
        return (
            f"This release brings a delta of its own along, {self._filters.cost(event)[MASS]:.3g}, that alone is more "
            "than the ledger's. Make it with a smaller delta."
        )

    def _way_out(self, event: Event, at: str) -> str:
        """Return the epsilon with which a release of the same kind would fit: with more noise in all its parts."""
        low, high = 1.0, 2.0
        while not self.fits(_noisier(event, high)):
            low, high = high, 2 * high
            if high > 1e6:
                return "No release of this kind fits any more: make it from another table's budget."
        while high - low > 1e-3 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.fits(_noisier(event, middle)) else (middle, high)
        fitting = accounting.epsilon(_noisier(event, high), delta=self.budget.delta)
        return f"With epsilon {digits(fitting)}{at} a release of this kind would fit."


def _noisier(event: Event, factor: float) -> Event:
    """Return ``event`` with ``factor`` times the noise; a release of pure epsilon has that part of it."""
    match event:
        case LaplaceEvent():
            return LaplaceEvent(event.scale * factor, event.sensitivity)
        case GaussianEvent():
            return GaussianEvent(event.sigma * factor, event.sensitivity, event.bias)
        case ApproximateEvent():
            return ApproximateEvent(event.epsilon / factor, event.delta)
        case RepeatedEvent():
            return RepeatedEvent(_noisier(event.event, factor), event.count)
    return type(event)(tuple(_noisier(each, factor) for each in event.events))


def digits(number: float, *, up: bool = False) -> str:
    """Return six digits of ``number``, rounded down: for what is left; or ``up``: for what a charge costs."""
    rounding = decimal.ROUND_UP if up else decimal.ROUND_DOWN
    return f"{float(decimal.Context(prec=6, rounding=rounding).create_decimal(repr(number))):g}"


def reserve_words(spent: float, left: float, epsilon: float) -> str:
    """Return why ``spent`` and ``left`` are together less than the budget ``epsilon``; nothing if they hardly are.

    >>> reserve_words(0.963, 0.789, 2.0)
    'The rest pays for choosing each release after seeing those before.'
    >>> reserve_words(0.5, 0.5, 1.0), reserve_words(2.0, 0.0, 2.0)
    ('', '')
    """
    if left == 0 or spent + left > SMALL_RESERVE * epsilon:
        return ""
    return "The rest pays for choosing each release after seeing those before."
