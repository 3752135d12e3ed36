"""Piecewise linear functions of many columns at once: what `numpy.interp` gives, in a few long steps."""

from functools import cached_property

import numpy as np

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.records import record

# [0, 1] is cut into so many buckets, a power of two, so that a value's bucket is found without rounding.
BUCKETS = 1024
# Columns with more knots than this in one bucket are left to `numpy.interp`, which searches.
MOST_IN_BUCKET = 3


@record
class Interpolation:
    """Functions of columns of numbers, linear between their knots and constant beyond them."""

    knots: FloatArray
    """[n, K]: growing in each row, which may end in copies of its last."""
    levels: FloatArray
    """[n, K]: the values at the knots."""
    bucketed: IntArray
    """[m]: the columns of which the bucket of a value almost tells the knot below it."""
    start: IntArray
    """[m * BUCKETS]: the last knot that no value in a bucket lies below, by its place among the knots [m * K]."""
    steps: int
    """How many knots further the one below a value may be."""

    def __call__(self, columns: Rows) -> FloatArray:
        """Return the values [n, N] at ``columns`` [n, N]."""
        if len(self.bucketed) == len(columns):
            return self._by_buckets(columns)
        values = np.empty(columns.shape)
        values[self.bucketed] = self._by_buckets(columns[self.bucketed])
        for place in np.setdiff1d(np.arange(len(columns)), self.bucketed):
            values[place] = np.interp(columns[place], self.knots[place], self.levels[place])
        return values

    def _by_buckets(self, columns: Rows) -> FloatArray:
        knots, levels, slopes, above = self._tables
        x: FloatArray = np.clip(columns, knots[:, :1], knots[:, -1:])
        buckets = np.minimum((x * BUCKETS).astype(np.int64), BUCKETS - 1)
        places = self.start.take(buckets + BUCKETS * np.arange(len(knots))[:, None])
        for _ in range(self.steps):
            places += x >= above.take(places)
        x -= knots.take(places)
        x *= slopes.take(places)
        x += levels.take(places)
        return x

    @cached_property
    def _tables(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Knots, levels, slopes above each knot and the knot above it, of the bucketed columns [m, K]."""
        knots, levels = self.knots[self.bucketed], self.levels[self.bucketed]
        slopes = np.append(_slopes(knots, levels), np.zeros((len(knots), 1)), axis=1)
        return knots, levels, slopes, np.append(_distinct(knots)[:, 1:], np.full((len(knots), 1), np.inf), axis=1)


def interpolation(knots: FloatArray, levels: FloatArray) -> Interpolation:
    """Return the functions with these ``knots`` and ``levels`` [n, K]; K may be any number, 1 too."""
    n, size = knots.shape
    edges = np.arange(BUCKETS + 1) / BUCKETS
    upto = np.empty((n, BUCKETS + 1), dtype=np.int64)
    for place, each in enumerate(_distinct(knots)):
        upto[place] = np.searchsorted(each, edges, "right")
    most = np.diff(upto, axis=1).max(axis=1, initial=0)
    bucketed = np.flatnonzero((most <= MOST_IN_BUCKET) & (knots[:, 0] >= 0) & (knots[:, -1] <= 1))
    start = np.maximum(upto[bucketed, :-1] - 1, 0) + size * np.arange(len(bucketed))[:, None]
    return Interpolation(knots, levels, bucketed, start.ravel(), int(most[bucketed].max(initial=0)))


def _distinct(knots: FloatArray) -> FloatArray:
    """Return the knots with infinity in place of copies of the last: nothing lies between them."""
    copies = np.zeros(knots.shape, dtype=bool)
    copies[:, 1:] = np.diff(knots, axis=1) == 0
    return np.where(copies, np.inf, knots)


def _slopes(knots: FloatArray, levels: FloatArray) -> FloatArray:
    widths = np.diff(knots, axis=1)
    return np.divide(np.diff(levels, axis=1), widths, out=np.zeros_like(widths), where=widths > 0)
