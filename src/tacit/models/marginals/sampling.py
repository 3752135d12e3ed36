"""Rows of coarse cells drawn from a mixture: with little chance in them, without forbidden pairs, raked to tables."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.raking import CoarseRows, ReleasedCounts, TableCells
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

# How often rows with a forbidden pair are drawn again before they are copied from others of their class.
REDRAWS = 30
# Rows drawn beyond those asked for, so that weights can choose among them.
EXTRA = 0.25


@record
class CoarseModel:
    """What coarse rows are drawn from."""

    mixture: Mixture
    offsets: IntArray
    """[q + 1]"""
    zeros: Sequence[PairZeros]
    released: ReleasedCounts | None = None
    """What the rows are raked to; None: they are not."""
    factors: Sequence[TableCells] = ()
    """What the weights of rows are multiplied by before."""

    def draw(self, count: int, random: Any) -> CoarseRows:
        """Return ``count`` rows ordered by component."""
        if self.released is None and not self.factors:
            return self._proposed(count, random)[0]
        rows, components = self._proposed(count + max(1, int(EXTRA * count)), random)
        weights = np.ones(len(components))
        for each in self.factors:
            weights *= each.of_rows(rows)
        if self.released is not None:
            weights = self.released.raked(rows, weights)
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
