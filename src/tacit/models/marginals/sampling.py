"""Rows of coarse cells drawn from a mixture: with little chance in them, without forbidden pairs, raked to margins."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.tables import CoarseCounts
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

# How often rows with a forbidden pair are drawn again before they are copied from others of their class.
REDRAWS = 30
# Rows drawn beyond those asked for, so that raking can choose among them.
EXTRA = 0.25
RAKING_ROUNDS = 10
# A round of raking changes no weight by more than this factor.
MOST_CHANGE = 5.0


@record
class CoarseRows:
    """Coarse cells [N, q], class codes [N]."""

    cells: IntArray
    classes: IntArray


@record
class CoarseModel:
    """What coarse rows are drawn from."""

    mixture: Mixture
    offsets: IntArray
    """[q + 1]"""
    zeros: Sequence[PairZeros]
    margins: CoarseCounts | None
    """What the rows are raked to; None: they are not."""

    def draw(self, count: int, random: Any) -> CoarseRows:
        """Return ``count`` rows ordered by component."""
        if self.margins is None:
            return self._proposed(count, random)[0]
        rows, components = self._proposed(count + max(1, int(EXTRA * count)), random)
        weights = raked_weights(rows, self.offsets, self.margins)
        order = np.lexsort((random.uniform(size=len(components)), components, rows.classes))
        times = systematic(weights[order] * (count / weights.sum()), random)
        kept = np.repeat(order, times)
        return CoarseRows(rows.cells[kept], rows.classes[kept])

    def _proposed(self, count: int, random: Any) -> tuple[CoarseRows, IntArray]:
        n_classes = self.mixture.weights.shape[1]
        both = np.repeat(np.arange(self.mixture.weights.size), systematic(self.mixture.weights.ravel() * count, random))
        components, classes = both // n_classes, both % n_classes
        cells = drawn_cells(self.mixture, self.offsets, components, random, stratified=True)
        self._replace_forbidden(cells, components, classes, random)
        return CoarseRows(cells, classes), components

    def _replace_forbidden(self, cells: IntArray, components: IntArray, classes: IntArray, random: Any) -> None:
        """Draw rows with a forbidden pair again; copy what is left from allowed rows of the class, or of any."""
        bad = np.flatnonzero(forbidden_rows(cells, self.zeros))
        for _ in range(REDRAWS):
            if not len(bad):
                return
            cells[bad] = drawn_cells(self.mixture, self.offsets, components[bad], random, stratified=False)
            bad = bad[forbidden_rows(cells[bad], self.zeros)]
        allowed = np.ones(len(cells), dtype=bool)
        allowed[bad] = False
        for code in np.unique(classes[bad]):
            of_class = bad[classes[bad] == code]
            good = np.flatnonzero(allowed & (classes == code))
            if not len(good):
                good = np.flatnonzero(allowed)
            if len(good):
                cells[of_class] = cells[random.choice(good, len(of_class))]


def systematic(expected: FloatArray, random: Any) -> IntArray:
    """Return whole numbers with the given expectations, each less than 1 away, and their sum too."""
    ends = np.floor(np.cumsum(np.concatenate([[0.0], expected])) + random.uniform())
    numbers: IntArray = np.diff(ends).astype(np.int64)
    return numbers


def drawn_cells(
    mixture: Mixture, offsets: IntArray, components: IntArray, random: Any, *, stratified: bool
) -> IntArray:
    """Return cells [N, q] of rows of given components [N].

    ``stratified``: the n rows of a component take one uniform number from each n-th part of (0, 1) for each column,
    in random order, so that shares are met up to one row.
    """
    cells = np.empty((len(components), len(offsets) - 1), dtype=np.int64)
    sizes = np.bincount(components, minlength=len(mixture.weights))
    starts = np.cumsum(sizes) - sizes
    for j, (first, end) in enumerate(itertools.pairwise(offsets)):
        uniform = random.uniform(size=len(components))
        if stratified:
            # By component, in random order within each.
            order = np.argsort(components + random.uniform(size=len(components)))
            rank = np.empty(len(components))
            rank[order] = np.arange(len(components)) - starts[components[order]]
            uniform = (rank + uniform) / sizes[components]
        cumulative = np.cumsum(mixture.shares[:, first:end].astype(np.float64), axis=1)
        # Rows of the table are set apart by 2, so that one search serves all of them.
        cumulative = cumulative / cumulative[:, -1:] + 2.0 * np.arange(len(cumulative))[:, None]
        positions = np.searchsorted(cumulative.ravel(), uniform + 2.0 * components) - components * (end - first)
        cells[:, j] = np.clip(positions, 0, end - first - 1)
    return cells


def forbidden_rows(cells: IntArray, zeros: Sequence[PairZeros]) -> BoolArray:
    """Return which rows have a forbidden pair of cells."""
    forbidden = np.zeros(len(cells), dtype=bool)
    for each in zeros:
        i, j = each.columns
        forbidden |= each.forbidden[cells[:, i], cells[:, j]]
    return forbidden


def raked_weights(rows: CoarseRows, offsets: IntArray, margins: CoarseCounts) -> FloatArray:
    """Return weights [N] of rows under which each column's counts by class are those released, as far as not noise.

    The target of a table is what the rows have, moved to the released counts by the share of their squared distance
    that noise does not explain [stein]: first of the totals of its cells, then of the classes in them.
    """
    n_rows = float(margins.class_counts.sum())
    weights = np.full(len(rows.classes), n_rows / max(len(rows.classes), 1))
    jobs = []
    for j, (first, end) in enumerate(itertools.pairwise(offsets)):
        counts = margins.counts[:, first:end]
        variances = np.broadcast_to(margins.variances[first:end], counts.shape)
        codes = rows.classes * (end - first) + rows.cells[:, j]
        have = np.bincount(codes, weights=weights, minlength=counts.size).reshape(counts.shape)
        totals = towards(counts.sum(axis=0), have.sum(axis=0), variances.sum(axis=0))
        pooled = have * (totals / np.maximum(have.sum(axis=0), 1e-9))
        jobs.append((codes, np.maximum(towards(counts, pooled, variances), 0.0).ravel()))
    for _ in range(RAKING_ROUNDS):
        for codes, target in jobs:
            have = np.bincount(codes, weights=weights, minlength=len(target))
            factors = np.where(have > 0, target / np.maximum(have, 1e-9), 1.0)
            weights *= np.clip(factors, 1 / MOST_CHANGE, MOST_CHANGE)[codes]
    return weights


def towards(target: FloatArray, start: FloatArray, variances: FloatArray, free: int | None = None) -> FloatArray:
    """Return ``start`` moved to a noisy ``target`` by max(0, 1 - f / sum of squared z) [stein].

    ``free`` is f, the independent numbers of which noise is made; None: all but one.
    """
    squares = float(((target - start) ** 2 / variances).sum())
    share = max(0.0, 1 - (target.size - 1 if free is None else free) / squares) if squares > 0 else 0.0
    moved: FloatArray = start + share * (target - start)
    return moved
