"""How much of each of two models to take, by how well they together predict rows that were left out."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from tacit.arrays import FloatArray


def stacked_share(first: FloatArray, second: FloatArray, *, rows: tuple[float, float]) -> float:
    """Return the share t of the second of two models that together predict left-out rows best.

    Of log-probabilities [L] of each it maximises sum_i log((1 - t) first_i + t second_i) + a log(1 - t) + b log t:
    stacking [stacking] from a start of ``rows`` (a, b) that speak for each.
    """

    def loss(t: float) -> float:
        return float(-np.logaddexp(np.log1p(-t) + first, np.log(t) + second).sum())

    return _best_share(loss, rows)


def stacked_share_of_means(
    first: FloatArray, second: FloatArray, targets: FloatArray, *, rows: tuple[float, float]
) -> float:
    """Return the share t of the second of two predictions of left-out ``targets`` [L] that is best with both.

    It minimises sum_i (y_i - (1 - t) first_i - t second_i)² / (2 s²) - a log(1 - t) - b log t, s² being the mean
    squared error of the better one: `stacked_share` for means. Densities would judge how sure the two are as well, and
    with a long tail that decides more than their means.
    """
    errors = [np.asarray(targets - each) for each in (first, second)]
    variance = max(min(float(np.vecdot(each, each)) for each in errors) / max(len(targets), 1), 1e-12)

    def loss(t: float) -> float:
        mixed = (1 - t) * errors[0] + t * errors[1]
        return float(np.vecdot(mixed, mixed)) / (2 * variance)

    return _best_share(loss, rows)


def _best_share(loss: Callable[[float], float], rows: tuple[float, float]) -> float:
    """Return the t of least ``loss`` of t, to which ``rows`` (a, b) add - a log(1 - t) - b log t."""

    def total(t: float) -> float:
        return float(loss(t) - rows[0] * np.log1p(-t) - rows[1] * np.log(t))

    return float(minimize_scalar(total, bounds=(1e-4, 1 - 1e-4), method="bounded").x)
