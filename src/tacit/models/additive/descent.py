"""Noisy gradient descent on an additive loss, one pass over the table for each step."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.additive.features import TableFeatures
from tacit.models.additive.losses import Residuals, limited
from tacit.models.additive.rows import Batches, rounding_room

# The constant feature of every row: it learns the intercept.
CONSTANT = 0.5
MOMENTUM = 0.8
# The mean of the iterates from this part of the steps on is the result.
TAIL = 0.5
# Grids of curves, of squared norms and of residuals: fine beside the noise, coarse enough for exact sums.
CURVE_QUANTUM, NORM_QUANTUM, RESIDUAL_QUANTUM = 2.0**-24, 2.0**-30, 2.0**-20
LARGEST_CURVE = 2.0**8

# Asks a query of sensitivity 1 and returns the mean of as many noisy answers as the second argument says.
Ask = Callable[[FloatArray, int], FloatArray]


@dataclass(frozen=True)
class DescentSettings:
    """Public settings of a descent.

    Parameters
    ----------
    draws : tuple of int
        How many noisy answers are averaged in each step; their number is that of the steps.
    clip : float
        The longest gradient of one row.
    step : float
        The step size: what a gradient summed over n rows is multiplied by, times n.
    """

    draws: tuple[int, ...]
    clip: float
    step: float

    @property
    def averaged(self) -> slice:
        """The steps whose iterates are averaged."""
        return slice(int(np.ceil(len(self.draws) * (1 - TAIL))), len(self.draws))


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the features [D, K] and of the constant feature [K], for K scores of a row."""

    features: FloatArray
    constant: FloatArray


def level_tables(features: TableFeatures, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Return the scores that each level adds to its row [L, K], and the intercept [K], both exact when summed."""
    return exact_curves(features.matrix @ weights.features), exact_curves(CONSTANT * weights.constant)


def exact_curves(values: FloatArray) -> FloatArray:
    """Return ``values`` rounded to dyadic numbers of which sums over up to 2^20 columns are exact."""
    return np.rint(np.clip(values, -LARGEST_CURVE, LARGEST_CURVE) / CURVE_QUANTUM) * CURVE_QUANTUM


def squared_norms(features: TableFeatures) -> FloatArray:
    """Return what each level adds to the squared norm of its row's features [L], rounded up."""
    squares = np.asarray(features.matrix.multiply(features.matrix).sum(axis=1)).ravel()
    # The relative room covers the rounding of the products and of their sum.
    return np.ceil(squares * (1 + 1e-12) / NORM_QUANTUM) * NORM_QUANTUM


def gradient_query(
    batches: Batches, features: TableFeatures, weights: Weights, residuals: Residuals, clip: float
) -> FloatArray:
    """Return the gradient of the clipped loss in units of ``clip`` [D + 1, K]: its sensitivity is 1 in 2-norm.

    A row adds its residuals r times its features (x, 1/2), a matrix of norm |r| sqrt(|x|² + 1/4). Residuals are
    shortened until that is at most ``clip``, each row by itself.
    """
    curves, intercept = level_tables(features, weights)
    table = np.column_stack([curves, squared_norms(features)])
    sums, total = np.zeros(curves.shape), np.zeros(len(intercept))
    for batch in batches():
        of_rows = batch.indicator @ table  # [B, K + 1]
        limits = clip / np.sqrt(of_rows[:, -1] + CONSTANT**2)
        shortened = limited(residuals(of_rows[:, :-1] + intercept, batch.target), limits, RESIDUAL_QUANTUM)
        sums += batch.indicator.T @ shortened
        total += shortened.sum(axis=0)
    widest = int(np.bincount(features.matrix.indices).max(initial=1))
    room = rounding_room(widest, features.matrix.data, largest=1 / CONSTANT)
    gradient = np.vstack([features.matrix.T @ sums, CONSTANT * total])
    result: FloatArray = gradient / (clip * room)
    return result


def descend(
    batches: Batches,
    features: TableFeatures,
    residuals: Residuals,
    settings: DescentSettings,
    *,
    ask: Ask,
    sigma: float,
    n_rows: float,
    start: FloatArray,
) -> Weights:
    """Return the mean of the last iterates of gradient descent with momentum; ``start`` [K] begins the intercept.

    Noisy gradients that turn round from one step to the next show a step that is too long for columns that say the
    same; it is halved then.
    """
    current = np.vstack([np.zeros((features.matrix.shape[1], len(start))), start / CONSTANT])
    velocity, mean = np.zeros_like(current), np.zeros_like(current)
    last, rate, before = range(len(settings.draws))[settings.averaged], settings.step / n_rows, velocity
    for index, draws in enumerate(settings.draws):
        weights = Weights(current[:-1], current[-1])
        gradient = ask(gradient_query(batches, features, weights, residuals, settings.clip), draws)
        if turned(gradient, before, sigma**2 / draws):
            velocity, rate = np.zeros_like(velocity), rate / 2
        velocity, before = MOMENTUM * velocity + settings.clip * gradient, gradient
        current = current - rate * velocity
        if index in last:
            mean += current / len(last)
    return Weights(mean[:-1], mean[-1])


def turned(gradient: FloatArray, before: FloatArray, variance: float) -> bool:
    """Return whether two noisy gradients point against each other by more than their noise of ``variance`` explains."""
    product, length = float((gradient * before).sum()), float(np.linalg.norm(before))
    explained = math.sqrt(variance * length**2 + variance**2 * gradient.size)
    return product < -4 * explained - 0.1 * length * float(np.linalg.norm(gradient))
