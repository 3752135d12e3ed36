"""Noisy gradient descent on an additive loss, one pass over the table for each step."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.arrays import FloatArray
from tacit.data.rows.stream import Totals
from tacit.models.additive.features import LevelFeatureTable
from tacit.models.additive.losses import Residuals, limited
from tacit.models.additive.rows import Batches, RowBatch
from tacit.numerics.exact_sums import ROW_BITS, IntegerSum, with_room
from tacit.records import record

# The constant feature of every row: it learns the intercept.
CONSTANT = 0.5
MOMENTUM = 0.8
# The mean of the iterates from this part of the steps on is the result.
TAIL = 0.5
# The grid of curves: fine beside the noise, coarse enough for exact sums.
CURVE_QUANTUM, LARGEST_CURVE = 2.0**-24, 2.0**8
# Features are whole multiples of 2^-14 of at most 2^10 in size; residuals have the other 18 of a row's 32 bits.
FEATURE_BITS, LARGEST_FEATURE = 14, 2.0**10

# Asks a query of sensitivity 1 and returns the mean of as many noisy answers as the second argument says.
Ask = Callable[[IntegerSum, int], FloatArray]


@dataclass(frozen=True)
class MomentumSettings:
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


# What each level adds to its row's scores [L, K], and the intercept [K].
LevelTables = tuple[FloatArray, FloatArray]


@record
class Weights:
    """Weights of the features [D, K] and of the constant feature [K], for K scores of a row."""

    features: FloatArray
    constant: FloatArray


def level_tables(features: LevelFeatureTable, weights: Weights) -> LevelTables:
    """Return the scores that each level adds to its row [L, K], and the intercept [K], both exact when summed."""
    return exact_curves(features.matrix @ weights.features), exact_curves(CONSTANT * weights.constant)


def exact_curves(values: FloatArray) -> FloatArray:
    """Return ``values`` rounded to dyadic numbers of which sums over up to 2^20 columns are exact."""
    return np.rint(np.clip(values, -LARGEST_CURVE, LARGEST_CURVE) / CURVE_QUANTUM) * CURVE_QUANTUM


def whole_features(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return features [L, D] in whole multiples of 2^-14, rounded: the features that a gradient is taken by."""
    inside = np.clip(matrix.data, -LARGEST_FEATURE, LARGEST_FEATURE)
    whole = np.rint(inside * 2.0**FEATURE_BITS).astype(np.int64)
    return sparse.csr_array((whole, matrix.indices, matrix.indptr), shape=matrix.shape)


def squared_norms(whole: sparse.csr_array) -> FloatArray:
    """Return what each level adds to the squared norm of its row's whole features [L]."""
    squares = sparse.csr_array((whole.data**2, whole.indices, whole.indptr), shape=whole.shape)
    return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()


def gradient_query(
    batches: Batches, features: LevelFeatureTable, weights: Weights, residuals: Residuals, clip: float
) -> IntegerSum:
    """Return the gradient of the clipped loss at ``weights`` in units of ``clip``: see `clipped_gradient`."""
    return clipped_gradient(batches, features.matrix, level_tables(features, weights), residuals, clip)


def clipped_gradient(
    batches: Batches, matrix: sparse.csr_array, tables: LevelTables, residuals: Residuals, clip: float
) -> IntegerSum:
    """Return the sum over rows of residuals times features in units of ``clip`` [D + 1, K]: its sensitivity is 1.

    A row adds its residuals r times its features (x, 1/2), a matrix of norm |r| sqrt(|x|² + 1/4), all of them whole
    numbers: features of 2^-14, residuals of 2^-18 clip. Residuals are shortened until that norm is at most 2^32 quanta,
    which is ``clip``, each row by itself, and cut towards zero: adding a row moves the sum by no more, whatever was
    rounded. The features of a row are the sums of the rows of ``matrix`` [L, D] at its levels, orthogonal to each
    other; ``tables`` give its scores.
    """
    curves, intercept = tables
    whole, constant = whole_features(matrix), CONSTANT * 2.0**FEATURE_BITS
    table = np.column_stack([curves, squared_norms(whole)])
    scale = 2.0 ** (ROW_BITS - FEATURE_BITS) / clip
    sums, n_rows = batches.sums(partial(_residual_sums, table, intercept, residuals, scale))
    roomy = with_room(sums, int(n_rows))
    gradient = np.vstack([_products(whole, roomy[:-1]), int(constant) * roomy[-1:]])
    return IntegerSum(gradient, 2.0**-ROW_BITS)


def _residual_sums(
    table: FloatArray, intercept: FloatArray, residuals: Residuals, scale: float, batch: RowBatch
) -> Totals:
    """Return the sums of shortened residuals over the rows at each level, and over all rows [L + 1, K], and of rows.

    ``table`` [L, K + 1] holds what each level adds to scores and to the squared norm of a row's whole features.
    """
    of_rows = batch.indicator @ table  # [B, K + 1]
    limits = 2.0**ROW_BITS / np.sqrt(of_rows[:, -1] + (CONSTANT * 2.0**FEATURE_BITS) ** 2)
    shortened = limited(scale * residuals(of_rows[:, :-1] + intercept, batch.target), limits)
    # Whole numbers below 2^20: sums over a batch are exact in doubles, those over 2^40 rows in 64 bits.
    sums = np.vstack([batch.indicator.T @ shortened, shortened.sum(axis=0)])
    return sums.astype(np.int64), np.array(len(batch))


def _products(whole: sparse.csr_array, sums: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of features [D, K] from those of levels [L, K], in the type of the latter."""
    if sums.dtype != object:
        # Any part of a feature's sum is one over some of the rows: none exceeds 2^30 rows of 2^32.
        return np.asarray(whole.T @ sums)
    entries = whole.tocoo()
    products = np.zeros((whole.shape[1], sums.shape[1]), dtype=object)
    np.add.at(products, entries.col, entries.data.astype(object)[:, None] * sums[entries.row])
    return products


@dataclass(eq=False)
class MomentumDescent:
    """Gradient descent with momentum, some steps at a time, so that features can join on the way."""

    residuals: Residuals
    settings: MomentumSettings
    ask: Ask
    sigma: float
    """Standard deviation of the noise in one answer."""
    rate: float
    """What a gradient is multiplied by: the step size divided by the number of rows."""
    current: FloatArray
    velocity: FloatArray
    before: FloatArray
    mean: FloatArray
    """[D + 1, K]: weights, the constant feature's last; their momentum; the gradient before; the mean of the last
    iterates."""

    @classmethod
    def begin(
        cls,
        residuals: Residuals,
        settings: MomentumSettings,
        *,
        ask: Ask,
        sigma: float,
        n_rows: float,
        start: FloatArray,
        n_features: int,
    ) -> "MomentumDescent":
        """Return a descent before its first step; ``start`` [K] begins the intercept."""
        current = np.vstack([np.zeros((n_features, len(start))), start / CONSTANT])
        nothing = (np.zeros_like(current) for _ in range(3))
        return cls(residuals, settings, ask, sigma, settings.step / n_rows, current, *nothing)

    def run(self, batches: Batches, features: LevelFeatureTable, steps: range) -> None:
        """Take ``steps``, one pass over the table each.

        Noisy gradients that turn round from one step to the next show a step that is too long for columns that say
        the same; it is halved then.
        """
        last = range(len(self.settings.draws))[self.settings.averaged]
        for index in steps:
            draws = self.settings.draws[index]
            query = gradient_query(batches, features, self.weights, self.residuals, self.settings.clip)
            gradient = self.ask(query, draws)
            if turned(gradient, self.before, self.sigma**2 / draws):
                self.velocity, self.rate = np.zeros_like(self.velocity), self.rate / 2
            self.velocity, self.before = MOMENTUM * self.velocity + self.settings.clip * gradient, gradient
            self.current = self.current - self.rate * self.velocity
            if index in last:
                self.mean += self.current / len(last)

    def join(self, n_features: int) -> None:
        """Add features with weights of 0, before any iterate was averaged."""
        for name in ("current", "velocity", "before", "mean"):
            held = getattr(self, name)
            setattr(self, name, np.vstack([held[:-1], np.zeros((n_features, held.shape[1])), held[-1:]]))

    @property
    def weights(self) -> Weights:
        """The weights as they are now."""
        return Weights(self.current[:-1], self.current[-1])

    @property
    def averaged(self) -> Weights:
        """The mean of the last iterates."""
        return Weights(self.mean[:-1], self.mean[-1])


def turned(gradient: FloatArray, before: FloatArray, variance: float) -> bool:
    """Return whether two noisy gradients point against each other by more than their noise of ``variance`` explains."""
    product, length = float((gradient * before).sum()), float(np.linalg.norm(before))
    explained = math.sqrt(variance * length**2 + variance**2 * gradient.size)
    return product < -4 * explained - 0.1 * length * float(np.linalg.norm(gradient))
