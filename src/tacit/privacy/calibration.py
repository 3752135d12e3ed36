"""The least noise that keeps a promise; every search ends on the safe side."""

from collections.abc import Callable

from tacit import checks
from tacit.errors import BudgetError
from tacit.privacy import accounting
from tacit.privacy.budget import Budget
from tacit.privacy.events import Event

# Relative width at which a search for a noise level stops.
TOLERANCE = 1e-9


def calibrate(event_for: Callable[[float], Event], budget: Budget, *, start: float = 1.0) -> float:
    """Return the least noise level, to a relative 1e-9 and rounded up, whose event fits ``budget``.

    ``event_for(level)`` must cost less the larger the level is. The level returned has itself been seen to fit.
    """
    high = checks.positive("start", start)
    while not accounting.fits(event_for(high), budget):
        high *= 2
        if high > start * 2.0**64:
            raise BudgetError(
                f"no noise level keeps {budget}: the event has a delta of its own that noise does not lower. "
                "Raise delta or choose another mechanism."
            )
    low = high / 2
    while accounting.fits(event_for(low), budget):
        high, low = low, low / 2
        if low < start * 2.0**-64:
            return high
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if accounting.fits(event_for(middle), budget) else (middle, high)
    return high
