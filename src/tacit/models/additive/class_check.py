"""The check of a finished classifier: a noisy histogram of its scores, their quality, and how to calibrate them."""

import math
from functools import partial

import numpy as np
from scipy.special import expit

from tacit.arrays import FloatArray
from tacit.data.rows.stream import Totals
from tacit.models.additive.losses import probabilities
from tacit.models.additive.rows import Batches, RowBatch
from tacit.numerics.exact_sums import ROW_BITS, IntegerSum, with_room
from tacit.records import record

# Edges of the cells on either side of the mean, in standard deviations of the scores of rows whose columns are drawn
# independently; real columns may agree with each other, and scores then spread further.
EDGES = np.array([0.25, 0.55, 0.9, 1.35, 1.9, 2.7, 4.0])
# The same for eight cells and for four, which tell scores from nothing in a third of the noise of sixteen.
EDGES_SOME, EDGES_FEW = np.array([0.4, 0.9, 1.7]), np.array([0.9])
# The most cells are taken by which scores should stand out of the noise by so many deviations: more cells calibrate
# better, fewer tell better whether there is anything to calibrate.
CLEAR_Z = 12.0
# Share of private rows that may lie in any cell, since their scores may spread further.
ELSEWHERE = 0.05
# Prior mean and deviation of the scale, and deviation of the offsets; clipping the loss makes scores too large.
PRIOR_SCALE, SCALE_DEVIATION, OFFSET_DEVIATION = 0.75, 0.35, 1.0


@record
class ClassCheck:
    """What the histogram says."""

    scale: float
    """Scores times it, plus ``offsets`` [K], are calibrated log-odds."""
    offsets: FloatArray
    covariance: FloatArray
    """[K + 1, K + 1]: of the offsets and the scale, the latter last."""
    shares: FloatArray
    """[C]: noisy shares of the classes."""
    auc: float
    """Area under the ROC curve, each class against the rest, averaged."""
    separation: float
    """Between the mean scores of a class and of the rest, in standard deviations of the scores, averaged."""
    separation_z: float
    """The same in standard deviations of what noise and the sampling of rows explain: below about 2 the release may
    hold nothing; of several classes the sum over them."""


def log_odds(p: FloatArray) -> FloatArray:
    """Return log(p/(1 - p)), within 30 either way."""
    inside = np.clip(p, 1e-13, 1 - 1e-13)
    odds: FloatArray = np.log(inside) - np.log1p(-inside)
    return odds


def chosen_edges(scores: FloatArray, *, noise: float, n_rows: float, shares: FloatArray) -> FloatArray:
    """Return the edges of as many cells as the check of ``n_rows`` with class ``shares`` [C] can afford.

    Calibrated log-odds of standard deviation d have class means d deviations apart, as those of two normal classes; so
    the check of each class should come out at d over the deviation of its noise, which follows from the cells.
    ``noise`` is that of a count; the scores are of rows that are not private.
    """
    odds = log_odds(probabilities(scores))
    separation = PRIOR_SCALE * odds.std(axis=0)
    classes = np.maximum(n_rows * shares[-len(separation) :], 1.0)
    for upper in (EDGES, EDGES_SOME):
        edges = cell_edges(scores, upper)
        expected, middles = cell_shares(scores, edges), cell_middles(edges)
        deviations = np.array(
            [
                noise_deviation(*each, noise=noise, totals=np.array([max(n_rows - inside, 1.0), inside]))
                for *each, inside in zip(middles, expected, classes, strict=True)
            ]
        )
        if float(np.mean(separation / deviations)) >= CLEAR_Z:
            return edges
    return cell_edges(scores, EDGES_FEW)


def noise_deviation(middles: FloatArray, expected: FloatArray, *, noise: float, totals: FloatArray) -> float:
    """Return the deviation of the noise in the difference of two classes' means, in deviations of the scores."""
    values = sharpest_values(middles, expected, noise, totals)
    centred = values - expected @ values
    spread = max(math.sqrt(float(expected @ centred**2)), 1e-12)
    return noise * float(np.linalg.norm(centred)) * math.sqrt(float((totals**-2.0).sum())) / spread


def cell_edges(scores: FloatArray, upper: FloatArray = EDGES) -> FloatArray:
    """Return the edges [K, cells - 1] between cells of the log-odds of rows that are not private, from their scores.

    ``upper`` are those above the mean, in standard deviations of the scores; below it are as many.
    """
    odds = log_odds(probabilities(scores))
    centre, spread = odds.mean(axis=0), np.maximum(odds.std(axis=0), 1e-3)
    edges: FloatArray = centre[:, None] + spread[:, None] * np.concatenate([-upper[::-1], [0.0], upper])
    return edges


def cell_shares(scores: FloatArray, edges: FloatArray) -> FloatArray:
    """Return about the share of each cell [K, cells], from the scores of rows that are not private."""
    odds = log_odds(probabilities(scores))
    n_cells = edges.shape[1] + 1
    counts = [np.bincount(np.searchsorted(*each), minlength=n_cells) for each in zip(edges, odds.T, strict=True)]
    return np.asarray((1 - ELSEWHERE) * np.array(counts) / len(scores) + ELSEWHERE / n_cells)


def histogram_query(batches: Batches, curves: FloatArray, intercept: FloatArray, edges: FloatArray) -> IntegerSum:
    """Return the numbers of rows [K, 2, cells] outside and inside each class by cell; its sensitivity is 1 in 2-norm.

    A row is counted in one cell for each of the K problems, each time with m quanta, K m² <= 4^32.
    """
    counts, n_rows = batches.sums(partial(_cell_counts, curves, intercept, expit(edges)))
    return IntegerSum(with_room(counts, int(n_rows)) * _count_unit(len(intercept)), 2.0**-ROW_BITS)


def _cell_counts(curves: FloatArray, intercept: FloatArray, limits: FloatArray, batch: RowBatch) -> Totals:
    """Return the numbers of rows [K, 2, cells] and of all rows; ``limits`` [K, cells - 1] are probabilities."""
    n_problems, n_cells = len(intercept), limits.shape[1] + 1
    counts = np.zeros((n_problems, 2, n_cells), dtype=np.int64)
    chances = probabilities(batch.indicator @ curves + intercept)
    for k in range(n_problems):
        inside = batch.target == (k if n_problems > 1 else 1)
        cells = np.searchsorted(limits[k], chances[:, k]) + n_cells * inside
        counts[k] = np.bincount(cells, minlength=2 * n_cells).reshape(2, -1)
    return counts, np.array(len(batch))


def read_histogram(answer: FloatArray) -> FloatArray:
    """Return noisy numbers of rows from the answer to `histogram_query`."""
    return answer * (2.0**ROW_BITS / _count_unit(len(answer)))


def check_classes(
    counts: FloatArray,
    edges: FloatArray,
    *,
    noise: float,
    shares: FloatArray,
    expected: FloatArray,
    chance: FloatArray | None = None,
) -> ClassCheck:
    """Return what noisy ``counts`` [K, 2, cells] say.

    ``noise`` is their standard deviation, ``shares`` the start, and ``expected`` [K, cells] about how common cells are.
    The rows are those that were learned from: so many deviations of sampling as ``chance`` [K] says would separate
    them even if labels said nothing; 1 if it is None.
    """
    middles = cell_middles(edges)
    scale, offsets, covariance = calibrate_scores(counts, middles, noise)
    chances = np.ones(len(counts)) if chance is None else np.maximum(chance, 1.0)
    figures = np.array(
        [_separation(*each, noise=noise) for each in zip(counts, middles, expected, chances, strict=True)]
    )
    # Of several problems with independent noise the sum has the deviation sqrt(K).
    z = float(figures[:, 2].sum() / math.sqrt(len(figures)))
    auc, separation = figures[:, :2].mean(axis=0)
    return ClassCheck(scale, offsets, covariance, shares, float(auc), float(separation), z)


def cell_middles(edges: FloatArray) -> FloatArray:
    """Return a score for each cell [K, cells]: the middle, and half the next cell's width beyond the outer edges."""
    ends = np.hstack([2 * edges[:, :1] - edges[:, 1:2], edges, 2 * edges[:, -1:] - edges[:, -2:-1]])
    return 0.5 * (ends[:, 1:] + ends[:, :-1])


def calibrate_scores(counts: FloatArray, middles: FloatArray, noise: float) -> tuple[float, FloatArray, FloatArray]:
    """Return scale, offsets and their covariance: [platt] by weighted least squares, with a prior.

    In each cell the number of rows inside the class is compared with n p, p the calibrated probability; the weight
    holds the binomial variance and that of the noise. Gauss-Newton steps from the prior; few rows stay close to it.
    """
    n_problems = len(counts)
    prior = np.append(np.zeros(n_problems), PRIOR_SCALE)
    precision = np.diag(np.append(np.full(n_problems, OFFSET_DEVIATION**-2), SCALE_DEVIATION**-2))
    at = prior.copy()
    for _ in range(12):
        information, pull = precision.copy(), precision @ (prior - at)
        for k in range(n_problems):
            rows = counts[k].sum(axis=0)
            p = expit(at[k] + at[-1] * middles[k])
            slopes = np.maximum(rows, 0.0) * p * (1 - p)
            weight = 1 / (slopes + noise**2 * (p**2 + (1 - p) ** 2) + 1e-9)
            design = np.zeros((len(p), n_problems + 1))
            design[:, k], design[:, -1] = slopes, slopes * middles[k]
            information += design.T @ (weight[:, None] * design)
            pull += design.T @ (weight * (counts[k, 1] - rows * p))
        at = at + np.clip(np.linalg.solve(information, pull), -1.0, 1.0)
    # A score never turns its meaning round: that would be noise.
    return max(float(at[-1]), 0.05), at[:-1], np.linalg.inv(information)


def _separation(
    counts: FloatArray, middles: FloatArray, expected: FloatArray, chance: float, *, noise: float
) -> tuple[float, float, float]:
    """Return AUC, separation of the means in deviations of the scores, and in deviations of what chance explains.

    The noise of the two rows of counts is independent, so products between them are right on average. Chance is the
    noise and the sampling of rows; since the rows are those that were learned from, ``chance`` deviations of the
    sampling are taken off the separation first.
    """
    totals = np.maximum(counts.sum(axis=1), 1.0)
    shares = counts / totals[:, None]
    below = np.cumsum(shares[0]) - 0.5 * shares[0]
    values = sharpest_values(middles, expected, noise, totals)
    means = np.clip(shares @ values, values.min(), values.max())
    variances = (shares * (values - means[:, None]) ** 2).sum(axis=1)
    spread = math.sqrt(max(float(variances.mean()), 0.01 * float(values.var())))
    moved = (values - means[:, None]) / totals[:, None]
    sampling = spread * math.sqrt(float((1 / totals).sum()))
    deviation = max(math.hypot(noise * float(np.linalg.norm(moved)), sampling), 1e-9)
    gap = float(means[1] - means[0])
    return float(np.clip(shares[1] @ below, 0.0, 1.0)), gap / spread, (gap - chance * sampling) / deviation


def sharpest_values(middles: FloatArray, expected: FloatArray, noise: float, totals: FloatArray) -> FloatArray:
    """Return a value for each cell: means of them tell two classes of ``totals`` [2] rows apart as well as can be.

    Two classes whose scores differ by little differ by d = p (m - m p) in the ``expected`` cells p of ``middles`` m. A
    cell of that difference has the variance noise² (1/n0² + 1/n1²) + p (1/n0 + 1/n1), and the values d over it have
    the largest mean in deviations [fisher]: the middles themselves without noise; with much noise, outer cells that
    hold next to no row and as much noise as any count for little.
    """
    common = expected @ middles
    shrunk = expected / (expected + noise**2 * float((totals**-2).sum() / (1 / totals).sum()) + 1e-12)
    values: FloatArray = common + shrunk * (middles - common)
    return values


def _count_unit(n_problems: int) -> int:
    return math.isqrt(4**ROW_BITS // n_problems)
