"""What epsilon a desk needs for answers that a search can still learn from."""

import math

from tacit import checks
from tacit.privacy.budget import LARGEST_EPSILON
from tacit.privacy.mechanisms import Gaussian

# `tacit reproduce feedback-noise`, linear tasks of 500 and 2000 rows with 300 and 1000 queries: noise of this standard
# deviation leaves a search 0.88 to 0.97 of what it gains from exact scores; twice as much noise leaves 0.76 to 0.90.
USEFUL_NOISE = 0.02


def useful_epsilon(n_rows: int, queries: int, *, delta: float, noise: float = USEFUL_NOISE) -> float:
    """Return the epsilon, rounded up to two digits, at which ``queries`` accuracies have noise of at most ``noise``.

    Without a delta, Laplace noise of scale Q/(n epsilon) has standard deviation sqrt(2) Q/(n epsilon). With one, the
    noise is Gaussian, calibrated to the whole run; infinite where no epsilon that a budget may hold is enough.
    """
    n_rows, queries = checks.whole("n_rows", n_rows), checks.whole("queries", queries)
    if delta == 0:
        # A thousandth more for the grid that noise is drawn on.
        return _up(1.001 * math.sqrt(2) * queries / (n_rows * checks.positive("noise", noise)))
    low, high = 0.0, 1.0
    while _sigma(high, delta, n_rows, queries) > noise:
        if high == LARGEST_EPSILON:
            return math.inf
        low, high = high, min(2 * high, LARGEST_EPSILON)
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _sigma(middle, delta, n_rows, queries) > noise else (low, middle)
    return _up(high)


def useful_words(epsilon: float) -> str:
    """Return what `useful_epsilon` found, in words."""
    return f"about epsilon {epsilon:g}" if math.isfinite(epsilon) else f"more than epsilon {LARGEST_EPSILON:g}"


def _sigma(epsilon: float, delta: float, n_rows: int, queries: int) -> float:
    return Gaussian.for_budget(epsilon, delta, sensitivity=1 / n_rows, times=queries).sigma


def _up(number: float) -> float:
    """Return the number with two digits, rounded up."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return float(f"{math.ceil(number / unit - 1e-9) * unit:.6g}")
