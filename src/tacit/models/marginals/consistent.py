"""Counts that can be true together: none below 0, none where a constraint rules rows out, sums that agree."""

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.models.marginals.tables import ColumnTable, to_simplex

# Projections in turn, then proportional scalings that make the sums exact.
PROJECTIONS, SCALINGS = 200, 20
LEAST = 1e-12


def consistent_column(table: ColumnTable, coarse: FloatArray, ruled_out: BoolArray) -> FloatArray:
    """Return the counts [C, k] of fine cells nearest to the noisy ones that add up to those of coarse cells [C, g]."""
    counts = np.zeros_like(table.counts)
    for code, group in np.ndindex(coarse.shape):
        cells = np.flatnonzero((table.groups == group) & ~ruled_out[code])
        if len(cells):
            counts[code, cells] = to_simplex(table.counts[code, cells], float(coarse[code, group]))
    return with_class_counts(counts, coarse.sum(axis=1))


def consistent_pair(noisy: FloatArray, margins: tuple[FloatArray, FloatArray], ruled_out: BoolArray) -> FloatArray:
    """Return the counts [C, a, b] nearest to ``noisy`` that add up to the ``margins`` [C, a] and [C, b].

    The nearest in 2-norm, by Dykstra's projections in turn [dykstra]: on tables with these sums of rows, with these
    sums of columns, and with no count below 0. Where cells that are ruled out leave no table with these sums, one near
    it is returned.
    """
    allowed = ~ruled_out
    counts, correction = noisy * allowed, np.zeros_like(noisy)
    widths = [np.maximum(allowed.sum(axis=axis), 1) for axis in (2, 1)]
    for _ in range(PROJECTIONS):
        counts = counts + allowed * ((margins[0] - counts.sum(axis=2)) / widths[0])[:, :, None]
        counts = counts + allowed * ((margins[1] - counts.sum(axis=1)) / widths[1])[:, None, :]
        moved = counts + correction
        counts = np.maximum(moved, 0.0) * allowed
        correction = moved - counts
    for _ in range(SCALINGS):
        counts = counts * (margins[0] / np.maximum(counts.sum(axis=2), LEAST))[:, :, None]
        counts = counts * (margins[1] / np.maximum(counts.sum(axis=1), LEAST))[:, None, :]
    return with_class_counts(counts, margins[0].sum(axis=1))


def with_class_counts(counts: FloatArray, class_counts: FloatArray) -> FloatArray:
    """Return counts [C, ...] scaled to add up to the class counts [C]; a class without any stays so."""
    totals = counts.reshape(len(counts), -1).sum(axis=1)
    factors = np.where(totals > LEAST, class_counts / np.maximum(totals, LEAST), 0.0)
    scaled: FloatArray = counts * factors.reshape(-1, *(1,) * (counts.ndim - 1))
    return scaled
