"""The check of a finished regression: noisy sums of target and prediction by cells, and how to calibrate with them."""

import math
from functools import partial

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.rows.stream import Totals
from tacit.models.additive.rows import Batches, RowBatch
from tacit.numerics.exact_sums import LARGEST_ENTRY, IntegerSum
from tacit.records import record

# The target is counted within so many spreads of its centre: of counts that are mostly 0, nearer ends would cut off
# what the calibration is about. Where rows are few beside the noise, less far: further ends cost more than they tell.
REACH, REACH_FEW = 6.0, 4.0
# Cells of the predictions, about as full: sums of the target in few cells tell the slope in a third of the noise of its
# products with predictions, which may be far longer than most. Six cells are worse than four.
N_CELLS = 4
# The outer cells end so many deviations from the mean prediction, one deviation beyond their neighbours at least.
# Predictions are those of rows whose columns are drawn independently; real columns may agree and spread them further.
PREDICTED_REACH = 4.0
# How far the mean prediction of a cell may lie from that of such rows, in halves of its width.
CELL_DEVIATION = 0.3
# A row's part of a query is at most so many quanta long.
QUANTUM = 1 / LARGEST_ENTRY
# What a row's count, target and place in its cell weigh in the query, and its squared target: squares sum to below 1.
PARTS = np.array([0.4, 0.8, 0.3, 0.33])
WEIGHTS = np.floor(LARGEST_ENTRY * PARTS)
# Prior mean and deviation of the scale, and deviation of the offset, in spreads: few rows stay close to it. Shortened
# gradients leave predictions of a skewed target too small. Cells, reach and spread were chosen on 34 tables other than
# those reported; on further draws of them, at epsilon 1, 101 % of a linear model's R² on average instead of 99 % with
# up to 9000 rows, and 82 % instead of 78 % with up to 2500.
PRIOR_SCALE, SCALE_DEVIATION, OFFSET_DEVIATION = 1.1, 0.4, 0.15
# What mean and deviation of a target weigh in their query, in quanta: 2 m² <= 2^44.
HALF_WEIGHT = math.isqrt(LARGEST_ENTRY**2 // 2)
# The standard deviation of a normal law in mean absolute deviations; of one with long tails more.
NORMAL_RATIO = 1.25
# The least spread of a target that is asked for by itself, in parts of its range.
LEAST_SPREAD = 0.01
# Offset and scale of the calibration are found in so many rounds: what weighs a cell depends on them a little.
ROUNDS = 3


@record
class NumberCheck:
    """What the moments say, in spreads of the target around its centre."""

    scale: float
    offset: float
    """Predictions times the scale plus the offset are calibrated."""
    covariance: FloatArray
    """[2, 2]: of offset and scale."""
    residual_variance: float
    """Of the target around calibrated predictions, on the safe side of the noise."""
    r_squared: float
    """Share of the target's variance that is explained."""
    separation_z: float
    """The covariance of target and predictions in standard deviations of what noise and the sampling of rows explain.
    """


def location_query(batches: Batches, low: float, high: float, centre: float) -> IntegerSum:
    """Return the weighted sums [2] of targets and of their distances from ``centre``; its sensitivity is 1 in 2-norm.

    A target within its bounds lies in [-1, 1] in units of half their distance, its distance from the centre in [0, 1]
    in units of the largest possible one; both are cut to whole quanta.
    """
    (total,) = batches.sums(partial(_location_sums, low, high, centre))
    return IntegerSum(total, QUANTUM)


def _location_sums(low: float, high: float, centre: float, batch: RowBatch) -> Totals:
    inside, farthest = np.clip(batch.target, low, high), max(centre - low, high - centre)
    parts = np.stack([(inside - (low + high) / 2) / ((high - low) / 2), np.abs(inside - centre) / farthest])
    # The division may round a part beyond 1.
    return (np.trunc(HALF_WEIGHT * np.clip(parts, -1.0, 1.0)).astype(np.int64).sum(axis=1),)


@record
class Location:
    """Mean and spread of a target as asked for, and standard deviations of the noise in them."""

    mean: float
    spread: float
    mean_noise: float
    spread_noise: float


def read_location(
    answer: FloatArray, low: float, high: float, centre: float, *, n_rows: float, noise: float
) -> Location:
    """Return the mean target, within its bounds, and its spread from the answer to `location_query`.

    The spread is that of a normal law with the same mean distance from ``centre``: a few far values, which noise in the
    counts of levels looks like, hardly change it. ``noise`` is the standard deviation of the answer's entries.
    """
    unit, half, farthest = QUANTUM * HALF_WEIGHT * n_rows, (high - low) / 2, max(centre - low, high - centre)
    mean = (low + high) / 2 + float(np.clip(answer[0] / unit, -1.0, 1.0)) * half
    distance = float(np.clip(answer[1] / unit, 0.0, 1.0)) * farthest
    return Location(mean, NORMAL_RATIO * distance, noise / unit * half, noise / unit * NORMAL_RATIO * farthest)


@record
class PredictionCells:
    """Cells of predictions, in spreads, from those of rows that are not private."""

    edges: FloatArray
    """[M - 1]: between the cells."""
    middles: FloatArray
    halves: FloatArray
    """[M]: of the cells, and half of their widths."""
    means: FloatArray
    variances: FloatArray
    """[M]: of the predictions in each cell."""


def prediction_cells(predictions: FloatArray) -> PredictionCells:
    """Return cells that hold about as many of the ``predictions`` [N, 1] each; fewer where many are the same."""
    f = predictions.ravel()
    edges = np.unique(np.quantile(f, np.arange(1, N_CELLS) / N_CELLS))
    deviation = max(float(f.std()), 1e-3)
    low = min(f.mean() - PREDICTED_REACH * deviation, edges[0] - deviation)
    high = max(f.mean() + PREDICTED_REACH * deviation, edges[-1] + deviation)
    ends = np.array([low, *edges, high])
    middles, halves = (ends[:-1] + ends[1:]) / 2, np.diff(ends) / 2
    cells = np.searchsorted(edges, f)
    counts = np.bincount(cells, minlength=len(middles))
    means = np.where(counts > 0, np.bincount(cells, f, len(middles)) / np.maximum(counts, 1), middles)
    variances = np.bincount(cells, (f - means[cells]) ** 2, len(middles)) / np.maximum(counts, 1)
    return PredictionCells(edges, middles, halves, means, variances)


def cells_query(
    batches: Batches,
    curves: FloatArray,
    intercept: FloatArray,
    cells: PredictionCells,
    *,
    reach: float,
    centre: float,
    spread: float,
) -> IntegerSum:
    """Return sums [3 M + 1]: of 1, t and u over the rows of each cell, and of t² over all; its sensitivity is 1.

    t is the target in units of its reach, u the place of the prediction in its cell, both within 1: a row adds to one
    cell, at most the norm of the weights, cut towards zero to whole quanta.
    """
    (sums,) = batches.sums(partial(_cell_sums, curves, intercept, cells, reach=reach, centre=centre, spread=spread))
    return IntegerSum(sums, QUANTUM)


def _cell_sums(
    curves: FloatArray,
    intercept: FloatArray,
    cells: PredictionCells,
    batch: RowBatch,
    *,
    reach: float,
    centre: float,
    spread: float,
) -> Totals:
    f = (batch.indicator @ curves + intercept)[:, 0]
    own = np.searchsorted(cells.edges, f)
    t = np.clip((batch.target - centre) / (reach * spread), -1.0, 1.0)
    u = np.clip((f - cells.middles[own]) / cells.halves[own], -1.0, 1.0)
    parts = np.trunc(WEIGHTS[:, None] * np.stack([np.ones(len(batch)), t, u, t * t]))
    # Whole numbers of at most 2^22: sums of them over a batch are exact in doubles.
    by_cell = [np.bincount(own, part, len(cells.middles)) for part in parts[:3]]
    return (np.concatenate([*by_cell, parts[3:].sum(axis=1)]).astype(np.int64),)


@record
class CellSums:
    """Noisy sums over the rows of each cell [M], in spreads, and standard deviations of the noise in them."""

    counts: FloatArray
    targets: FloatArray
    predictions: FloatArray
    """Means of the predictions, not sums, drawn to those of rows that are not private by how noisy they are."""
    squares: float
    """Of the target, over all rows."""
    count_noise: float
    target_noise: float
    prediction_noise: FloatArray
    """[M]: of the means."""
    square_noise: float


def read_cells(answer: FloatArray, cells: PredictionCells, *, reach: float, noise: float) -> CellSums:
    """Return the sums from the answer to `cells_query`; ``noise`` is the standard deviation of its entries."""
    units, n_cells = QUANTUM * WEIGHTS, len(cells.middles)
    counts, targets, places = (part / unit for part, unit in zip(np.split(answer[:-1], 3), units, strict=False))
    counts = np.maximum(counts, 1.0)
    prior, seen = (CELL_DEVIATION * cells.halves) ** 2, (noise / units[2] * cells.halves / counts) ** 2 + 1e-12
    kept = prior / (prior + seen)
    measured = cells.middles + cells.halves * np.clip(places / counts, -1.0, 1.0)
    return CellSums(
        counts=counts,
        targets=reach * targets,
        predictions=kept * measured + (1 - kept) * cells.means,
        squares=float(answer[-1] / units[3]) * reach**2,
        count_noise=float(noise / units[0]),
        target_noise=float(noise / units[1]) * reach,
        prediction_noise=np.sqrt(kept * seen) * np.ones(n_cells),
        square_noise=float(noise / units[3]) * reach**2,
    )


def check_numbers(sums: CellSums, cells: PredictionCells, *, chance: float = 1.0) -> NumberCheck:
    """Return what noisy ``sums`` of cells say.

    Targets that say nothing would be explained, on the rows that were learned from, by ``chance`` deviations of
    sampling.
    """
    counts, f = sums.counts, sums.predictions
    n_rows = float(counts.sum())
    mean_t, mean_f = float(sums.targets.sum()) / n_rows, float(counts @ f) / n_rows
    total = max(sums.squares / n_rows - mean_t**2, 1e-2)
    between = max(float(counts @ (f - mean_f) ** 2) / n_rows, 1e-6)
    variance = between + float(counts @ cells.variances) / n_rows
    (offset, scale), covariance = _calibration(sums, total)
    # The slope as it is, without the prior: what the predictions share with the target.
    both = float((f - mean_f) @ sums.targets) / n_rows
    noise = sums.target_noise * float(np.linalg.norm(f - mean_f)) / n_rows
    residual = total - (2 * scale * both / between - scale**2) * variance
    off = math.hypot(sums.square_noise / n_rows, 2 * scale * noise * variance / between)
    sampling = math.sqrt(total * between / n_rows)
    return NumberCheck(
        scale=scale,
        offset=offset,
        covariance=covariance,
        residual_variance=float(np.clip(residual + off, 0.02 * total, total + off)),
        r_squared=float(np.clip(1 - residual / total, 0.0, 1.0)),
        separation_z=float((both - chance * sampling) / max(math.hypot(noise, sampling), 1e-12)),
    )


def _calibration(sums: CellSums, total: float) -> tuple[tuple[float, float], FloatArray]:
    """Return offset and scale, at least 0, and their covariance [2, 2]: the posterior of a line through the cells.

    The target of a cell with n rows and mean prediction f sums up to n (offset + scale f), beside noise and the
    scatter of rows of variance ``total``; noise in n and f counts through the line.
    """
    counts, f = sums.counts, sums.predictions
    design = np.stack([counts, counts * f], axis=1)
    precisions = np.array([OFFSET_DEVIATION, SCALE_DEVIATION]) ** -2.0
    offset, scale = 0.0, PRIOR_SCALE
    covariance: FloatArray = np.diag(1 / precisions)
    for _ in range(ROUNDS):
        variances = (
            sums.target_noise**2
            + counts * total
            + (scale * counts * sums.prediction_noise) ** 2
            + ((offset + scale * f) * sums.count_noise) ** 2
        )
        covariance = np.asarray(np.linalg.inv(design.T @ (design / variances[:, None]) + np.diag(precisions)))
        offset, scale = covariance @ (design.T @ (sums.targets / variances) + precisions * np.array([0, PRIOR_SCALE]))
    return (float(offset), max(float(scale), 0.0)), covariance
