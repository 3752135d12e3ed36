"""What charges cost one unit of a ledger together, and what they leave of its budget."""

import decimal
import math

from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent, Event
from tacit.privacy.filters import Filters

# Less epsilon than this is the rounding of sums, not something to spend.
LEAST_ROOM = 1e-9


class Spending:
    """What has been charged under ``budget`` so far: the sums that its filters look at, and the first charge itself.

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

    def add(self, event: Event) -> None:
        """Count ``event``, whether it fits or not."""
        self._total = self._total + self._filters.cost(event)
        self._only = event if self._count == 0 else None
        self._count += 1

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
        found = self._filters.epsilon(self._total)
        if self._only is None:
            return found
        return min(accounting.epsilon(self._only, delta=self.budget.delta), found)

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
        """Return why ``event`` does not fit: what it needs, what is left, what would fit."""
        asked, room, budget = accounting.epsilon(event, delta=self.budget.delta), self.room(), self.budget
        at = f" at delta {budget.delta:g}" if budget.delta else ""
        needs = f"by itself it costs epsilon {digits(asked, up=True)}{at}"
        if math.isinf(asked):
            needs = f"no epsilon holds for it at delta {budget.delta:g}"
        left = "no epsilon is left"
        if room:
            shown = digits(room)
            left = f"epsilon {shown} is left{at}; a single pure release of up to epsilon {shown} would fit"
        return f"the charge does not fit the budget of {budget}: {needs}, and {left}. Nothing was charged."


def digits(number: float, *, up: bool = False) -> str:
    """Return six digits of ``number``, rounded down: for what is left; or ``up``: for what a charge costs."""
    rounding = decimal.ROUND_UP if up else decimal.ROUND_DOWN
    return f"{float(decimal.Context(prec=6, rounding=rounding).create_decimal(repr(number))):g}"
