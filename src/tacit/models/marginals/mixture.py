"""A mixture of independent columns fitted to noisy tables: p(class c, x) = sum_k w_kc prod_j P_kj(x_j)."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.arrays import BoolArray, Float32Array, FloatArray, IntArray, Rows
from tacit.models.marginals.counting import ColumnPair
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.tables import CoarseCounts, offsets_of
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

# Components and fits that are pooled; wide tables have fewer, by the work of a fit.
COMPONENTS, FITS, STEPS = 200, 6, 300
LEAST_COMPONENTS = 24
# A fit of so many coarse cells and two classes costs what all FITS may cost together.
USUAL_CELLS = 150
# So many cells are worth all FITS.
MANY_CELLS = 60
LEARNING_RATE, LAST_RATE = 0.1, 0.005
# Decay of memory of Adam's two moments.
FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.99
# Pull of each component towards the columns' own shares, in units of the squared noise of a pair's count; with fewer
# cells than MANY_CELLS it is weaker in proportion: a component then meets the noise of fewer counts.
DECAY = 100.0
SPREAD = 1.0
SMALLEST = 1e-9


@record
class Mixture:
    """Weights w [K, C] that add up to 1, and cell shares P [K, A]: those of each column add up to 1."""

    weights: FloatArray
    shares: Float32Array

    def joint(self, first: slice, second: slice) -> FloatArray:
        """Return the shares [a, b] of rows in the cells of two columns, all classes together."""
        weighted = self.shares[:, first] * self.weights.sum(axis=1)[:, None]
        shares: FloatArray = (weighted.T @ self.shares[:, second]).astype(np.float64)
        return shares


@record
class MixtureTargets:
    """What a mixture is fitted to, in shares of the rows."""

    offsets: IntArray
    """[q + 1]: where each column's cells start."""
    pairs: Float32Array
    """[C, A, A]: symmetric; 0 where no table exists and at structural zeros."""
    weights: Float32Array
    """[A, A]: 1 where a pair's table exists."""
    margins: Float32Array
    """[C, A]"""
    margin_weights: Float32Array
    """[A]"""
    noise: float
    """Standard deviation of a pair's share."""

    @property
    def n_cells(self) -> int:
        """Number of coarse cells A of all columns."""
        return int(self.offsets[-1])


def targets_of(measurement: Measurement, coarse: CoarseCounts, zeros: Iterable[PairZeros]) -> MixtureTargets:
    """Return the tables of pairs, moved to the common margins, and the margins, as shares of the rows."""
    offsets = offsets_of(measurement.columns)
    n_classes, n_cells = coarse.counts.shape
    n_rows = float(coarse.class_counts.sum())
    pairs = np.zeros((n_classes, n_cells, n_cells), dtype=np.float32)
    weights = np.zeros((n_cells, n_cells), dtype=np.float32)
    forbidden: dict[ColumnPair, BoolArray] = {}
    for each in zeros:
        forbidden[each.columns] = each.forbidden | forbidden.get(each.columns, np.False_)
    for table in measurement.pairs:
        a, b = (slice(offsets[j], offsets[j + 1]) for j in table.columns)
        moved = moved_to_margins(table.counts, coarse.counts[:, a], coarse.counts[:, b]) / n_rows
        if table.columns in forbidden:
            moved[:, forbidden[table.columns]] = 0.0
        pairs[:, a, b], pairs[:, b, a] = moved, moved.transpose(0, 2, 1)
        weights[a, b] = weights[b, a] = 1.0
    precision = 2 * measurement.pair_sigma**2 / np.maximum(coarse.variances, measurement.cell_sigma**2)
    return MixtureTargets(
        offsets,
        pairs,
        weights,
        (coarse.counts / n_rows).astype(np.float32),
        precision.astype(np.float32),
        measurement.pair_sigma / n_rows,
    )


def moved_to_margins(counts: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return tables [C, a, b] shifted equally along each row and column so that they add up to [C, a] and [C, b]."""
    moved = counts + (first - counts.sum(axis=2))[:, :, None] / counts.shape[2]
    shifted: FloatArray = moved + (second - moved.sum(axis=1))[:, None, :] / counts.shape[1]
    return shifted


def fitted_mixture(targets: MixtureTargets, random: Any) -> Mixture:
    """Return several fits from different starts, pooled; every other one starts from single cells' own tables."""
    n_classes, n_cells = targets.margins.shape
    components = min(COMPONENTS, max(LEAST_COMPONENTS, 2 * n_cells * n_classes))
    work = (n_cells / USUAL_CELLS) ** 2 * n_classes / 2 * components / COMPONENTS
    # Few cells are fitted well from any start.
    wanted = np.clip(round(FITS * n_cells / MANY_CELLS), 2, FITS)
    n_fits = int(np.clip(round(float(wanted) / max(work, 1.0)), 1, FITS))
    fits = []
    # The products are small: several threads would wait for each other longer than they compute.
    with threadpool_limits(limits=1, user_api="blas"):
        for number in range(n_fits):
            start = _from_cells if number % 2 == 0 and targets.weights.any() else _from_margins
            fits.append(_descend(targets, *start(targets, components, random)))
    weights = np.concatenate([fit.weights for fit in fits]) / n_fits
    return Mixture(weights, np.concatenate([fit.shares for fit in fits]))


Start = tuple[Float32Array, Float32Array]


def _from_margins(targets: MixtureTargets, components: int, random: Any) -> Start:
    """Return logits of cells and weights: the columns' own shares, spread at random."""
    shares = np.log(np.maximum(targets.margins.sum(axis=0), 1e-4))
    cells = shares + SPREAD * random.normal(size=(components, targets.n_cells))
    classes = _class_shares(targets)
    weights = np.log(np.maximum(classes, 1e-6)) + 0.5 * random.normal(size=(components, len(classes)))
    return cells.astype(np.float32), weights.astype(np.float32)


def _class_shares(targets: MixtureTargets) -> FloatArray:
    shares: FloatArray = targets.margins[:, : targets.offsets[1]].sum(axis=1).astype(np.float64)
    return shares


def _from_cells(targets: MixtureTargets, components: int, random: Any) -> Start:
    """Return logits of components that each stand for the rows of one class in one cell, chosen by its mass.

    The columns of such a component are those of the cell's own tables, drawn towards the class's margins as far as
    noise demands.
    """
    n_classes, n_cells = targets.margins.shape
    mass = np.maximum(targets.margins.ravel().astype(np.float64), 2 * targets.noise)
    chosen = _chosen_cells(np.sqrt(mass), components, random)
    classes, cells = chosen // n_cells, chosen % n_cells
    own = mass[chosen][:, None]
    # The prior is the class's margins; margins of a class add up to its share in each column.
    prior = np.maximum(targets.margins[classes], 1e-5) / np.maximum(_class_shares(targets)[classes, None], 1e-5)
    kept = own / (own + targets.noise * math.sqrt(14))
    tables = np.where(targets.weights[cells] > 0, targets.pairs[classes, cells] / own, prior)
    shares = np.maximum(np.maximum(tables, 0) * kept + (1 - kept) * prior, 0.05 * prior)
    column = np.searchsorted(targets.offsets, cells, side="right") - 1
    same = np.repeat(np.arange(len(targets.offsets) - 1), np.diff(targets.offsets)) == column[:, None]
    shares = np.where(same, 0.1 * prior, shares)
    shares[np.arange(components), cells] += 0.9
    logits = np.log(shares) + SPREAD * random.normal(size=shares.shape)
    weights = 0.1 * _class_shares(targets) + 0.9 * np.eye(n_classes)[classes]
    weights *= own / np.bincount(chosen, minlength=mass.size)[chosen][:, None]
    return logits.astype(np.float32), np.log(np.maximum(weights / weights.sum(), SMALLEST)).astype(np.float32)


def _chosen_cells(weights: FloatArray, count: int, random: Any) -> IntArray:
    """Return ``count`` places, each as often as its weight says, up to rounding."""
    order = random.permutation(len(weights))
    ends = np.cumsum(weights[order]) / weights.sum() * count
    times = np.diff(np.floor(np.concatenate([[0.0], ends]) + random.uniform()))
    chosen = np.repeat(order, times.astype(np.int64))[:count]
    return np.concatenate([chosen, random.choice(len(weights), count - len(chosen))]).astype(np.int64)


def column_softmax(logits: Rows, offsets: IntArray) -> Rows:
    """Return shares [K, A] that add up to 1 over the cells of each column."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    largest = np.repeat(np.maximum.reduceat(logits, starts, axis=1), sizes, axis=1)
    exponentials = np.exp(logits - largest)
    shares: Rows = exponentials / np.repeat(np.add.reduceat(exponentials, starts, axis=1), sizes, axis=1)
    return shares


def _weight_softmax(logits: Float32Array) -> Float32Array:
    exponentials = np.exp(logits - logits.max())
    weights: Float32Array = exponentials / exponentials.sum()
    return weights


def gradients(targets: MixtureTargets, shares: Rows, weights: Rows) -> tuple[Rows, Rows]:
    """Return the gradients of the squared error by shares [K, A] and by weights [K, C].

    The error is the sum over classes of |P' diag(w_c) P - T_c|² / 2 over measured pairs of cells, both orders, plus
    the weighted |w_c P - M_c|² of the margins.
    """
    by_shares, by_weights = np.zeros_like(shares), np.empty_like(weights)
    for code, (pairs, margins) in enumerate(zip(targets.pairs, targets.margins, strict=True)):
        own = weights[:, code : code + 1]
        residual = (shares * own).T @ shares  # [A, A]
        residual -= pairs
        residual *= targets.weights
        product = shares @ residual  # [K, A]
        margin = targets.margin_weights * (weights[:, code] @ shares - margins)
        by_shares += own * (2 * product + 2 * margin)
        by_weights[:, code] = (shares * product).sum(axis=1) + 2 * (shares @ margin)
    return by_shares, by_weights


def _descend(targets: MixtureTargets, cells: Float32Array, classes: Float32Array) -> Mixture:
    """Return the mixture after STEPS steps of Adam from logits of cells [K, A] and of weights [K, C]."""
    starts, sizes = targets.offsets[:-1], np.diff(targets.offsets)
    margins = np.maximum(targets.margins.sum(axis=0), 1e-4)
    pull = np.float32(DECAY * min(1.0, targets.n_cells / MANY_CELLS) * targets.noise**2)
    logits = (cells, classes)
    moments = [(np.zeros_like(each), np.zeros_like(each)) for each in logits]
    for step in range(STEPS):
        shares, weights = column_softmax(cells, targets.offsets), _weight_softmax(classes)
        by_shares, by_weights = gradients(targets, shares, weights)
        inner = np.repeat(np.add.reduceat(by_shares * shares, starts, axis=1), sizes, axis=1)
        by_cells = shares * (by_shares - inner)
        by_cells += pull * (shares - margins) * weights.sum(axis=1, keepdims=True)
        by_classes = weights * (by_weights - (weights * by_weights).sum())
        rate = LEARNING_RATE * (0.5 + 0.5 * math.cos(math.pi * step / STEPS)) + LAST_RATE
        for values, gradient, moment in zip(logits, (by_cells, by_classes), moments, strict=True):
            _adam(values, gradient, moment, rate, step)
    shares = column_softmax(cells, targets.offsets).astype(np.float32)
    return Mixture(_weight_softmax(classes).astype(np.float64), shares)


def _adam(values: Float32Array, gradient: Rows, moment: Sequence[Float32Array], rate: float, step: int) -> None:
    """Move ``values`` by one step of Adam [adam], in place."""
    mean, square = moment
    mean *= FIRST_MOMENT
    mean += np.float32(1 - FIRST_MOMENT) * gradient
    square *= SECOND_MOMENT
    square += np.float32(1 - SECOND_MOMENT) * gradient * gradient
    unbiased = mean / np.float32(1 - FIRST_MOMENT ** (step + 1))
    spread = np.sqrt(square / np.float32(1 - SECOND_MOMENT ** (step + 1)))
    values -= np.float32(rate) * unbiased / (spread + np.float32(1e-10))
