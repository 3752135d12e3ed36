"""Levels inside coarse cells: fine cells by class, and places in them that follow the dependence between numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from tacit.arrays import FloatArray, IntArray
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.raking import CoarseRows
from tacit.models.marginals.tables import ColumnTable
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

# Numbers with fewer coarse cells tell too little about another number's place in its cell.
LEAST_CELLS = 4
# A number follows another if its variance given that one's cell is below so many cells squared.
MOST_RESIDUAL = 3.0
LEAST_RESIDUAL = 0.02
# Cells below this share of a row's largest are taken for noise.
NOISE_SHARE = 0.1
# Steepest density inside a cell: e to this, from end to end.
MOST_SLOPE = 3.0
# A cell of one level with so many times the density of its neighbours is a spike and no part of the slope.
SPIKE = 3.0
INSIDE = 1 - 1e-9


@record
class FinePlaces:
    """How rows of a coarse cell are spread over one column's levels."""

    ranges: IntArray
    """[k, 2]: Levels of the fine cells."""
    order: IntArray
    """[k]: fine cells by coarse cell."""
    begins: FloatArray
    ends: FloatArray
    """[C, k]: in that order: the number of the coarse cell, plus the share of its rows of a class below and up to this
    cell."""
    slopes: FloatArray
    """[k]: Logarithmic slope of the density per level."""

    def __call__(self, cells: IntArray, classes: IntArray, ranks: FloatArray) -> FloatArray:
        """Return places (level plus fraction) [N] of rows by their rank in (0, 1) within class and coarse cell."""
        # Classes are set apart by more than the last end, so that one search serves all of them.
        k, apart = len(self.order), float(self.ends[0, -1]) + 1.0
        ends = (self.ends + apart * np.arange(len(self.ends))[:, None]).ravel()
        positions = np.searchsorted(ends, cells + ranks + apart * classes, side="right") - classes * k
        positions = np.clip(positions, 0, k - 1)
        begin, end = self.begins[classes, positions], self.ends[classes, positions]
        inside = np.clip((cells + ranks - begin) / np.maximum(end - begin, 1e-12), 0, INSIDE)
        fine = self.order[positions]
        low, span = self.ranges[fine, 0], self.ranges[fine, 1] - self.ranges[fine, 0]
        places: FloatArray = low + np.minimum(_tilted(inside, self.slopes[fine] * span), INSIDE) * span
        return places


def _tilted(uniform: FloatArray, slope: FloatArray) -> FloatArray:
    """Return numbers in (0, 1) with a density proportional to e^(slope x), from uniform ones by the inverse law."""
    steep = np.abs(slope) > 1e-6
    safe = np.where(steep, slope, 1.0)
    return np.where(steep, np.log1p(uniform * np.expm1(safe)) / safe, uniform)


def fine_places(table: ColumnTable, column: Levels, sigma: float) -> FinePlaces:
    """Return how rows are spread inside the coarse cells of a column."""
    counts = table.projected()
    shares = fine_shares(counts, table, sigma)
    order = np.argsort(table.groups, kind="stable")
    begins, ends = np.empty_like(shares), np.empty_like(shares)
    for group in range(table.n_groups):
        in_group = np.flatnonzero(table.groups[order] == group)
        ends[:, in_group] = group + np.minimum(np.cumsum(shares[:, order[in_group]], axis=1), 1.0)
        ends[:, in_group[-1]] = group + 1
        begins[:, in_group] = np.column_stack([np.full(len(ends), group), ends[:, in_group[:-1]]])
    slopes = density_slopes(counts.sum(axis=0), table.ranges, column) if column.ordered else np.zeros(len(order))
    return FinePlaces(table.ranges, order, begins, ends, slopes)


def fine_shares(counts: FloatArray, table: ColumnTable, sigma: float) -> FloatArray:
    """Return the share [C, k] of each fine cell among the rows of its class in its coarse cell.

    A class's shares are drawn towards those of all classes as far as noise explains their difference [stein].
    """
    shares = np.empty_like(counts)
    for group in range(table.n_groups):
        in_group = np.flatnonzero(table.groups == group)
        totals = counts[:, in_group].sum(axis=0)
        common = totals / totals.sum() if totals.sum() > 0 else np.full(len(in_group), 1 / len(in_group))
        for code, row in enumerate(counts[:, in_group]):
            own = float(row.sum())
            difference = row / own - common if own > 0 else np.zeros(len(in_group))
            noise = len(in_group) * (sigma / own) ** 2 if own > 0 else 0.0
            kept = max(0.0, 1 - noise / max(float((difference**2).sum()), 1e-12))
            shares[code, in_group] = common + kept * difference
    return shares


def density_slopes(counts: FloatArray, ranges: IntArray, column: Levels) -> FloatArray:
    """Return the logarithmic slope of the density per level in each fine cell, read off its neighbours' densities."""
    k = len(ranges) - column.missing
    spans = (ranges[:, 1] - ranges[:, 0]).astype(np.float64)
    density = np.maximum(counts / spans, 1e-9)
    middles = ranges[:, 0] + spans / 2
    smooth = [cell for cell in range(k) if not _spike(density[:k], spans[:k], cell)]
    slopes = np.zeros(len(ranges))
    for cell in range(k):
        if spans[cell] <= 1:
            continue
        below = max((each for each in smooth if each < cell), default=None)
        above = min((each for each in smooth if each > cell), default=None)
        if below is not None and above is not None:
            slope = math.log(density[above] / density[below]) / (middles[above] - middles[below])
            slopes[cell] = np.clip(slope, -MOST_SLOPE / spans[cell], MOST_SLOPE / spans[cell])
        elif below is not None:
            slopes[cell] = -_edge_decay(counts[cell] / density[below], spans[cell])
        elif above is not None:
            slopes[cell] = _edge_decay(counts[cell] / density[above], spans[cell])
    return slopes


def _spike(density: FloatArray, spans: FloatArray, cell: int) -> bool:
    others = [density[each] for each in (cell - 1, cell + 1) if 0 <= each < len(density)]
    return bool(spans[cell] == 1 and others and density[cell] > SPIKE * max(others))


def _edge_decay(width: float, span: float) -> float:
    """Return g with (1 - e^(-g span)) / g = width: a density that falls from its neighbour's; 0 if it does not fall."""
    if width >= span:
        return 0.0
    low, high = 1e-9, 500.0 / span
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if -math.expm1(-middle * span) / middle > width else (low, middle)
    return high


@record
class Follower:
    """Number j follows number i inside cells: its place given i's is normal, in units of coarse cells."""

    leader: int
    follower: int
    means: FloatArray
    variances: FloatArray
    """[cells of the leader]: of the follower at the middle of each cell of the leader."""
    leader_cells: int
    follower_cells: int
    """Without those of missing cells."""

    def place(self, rows: CoarseRows, ranks: FloatArray, random: Any) -> None:
        """Replace the follower's ranks within its cells by those that the leader's places suggest, in place."""
        i, j = self.leader, self.follower
        both = (rows.cells[:, i] < self.leader_cells) & (rows.cells[:, j] < self.follower_cells)
        a, b = rows.cells[both, i], rows.cells[both, j]
        mean = np.interp(a + ranks[both, i], np.arange(self.leader_cells) + 0.5, self.means)
        spread = np.sqrt(self.variances[a])
        low, high = ndtr((b - mean) / spread), ndtr((b + 1 - mean) / spread)
        # A normal variable given that it lies in the follower's cell.
        drawn = ndtri(np.clip(low + (high - low) * ranks[both, j], 1e-12, 1 - 1e-12)) * spread + mean - b
        edge = np.where(mean < b, 0.01, 0.99) + 0.005 * (ranks[both, j] - 0.5)
        ranks[both, j] = np.clip(np.where(high - low < 1e-9, edge, drawn), 0, INSIDE)
        ranks[:, j] = uniform_ranks(ranks[:, j], rows.cells[:, j], rows.classes, random)


def uniform_ranks(values: FloatArray, cells: IntArray, classes: IntArray, random: Any) -> FloatArray:
    """Return ranks in (0, 1) of values within class and cell, spread evenly."""
    order = np.lexsort((values, classes, cells))
    keys = cells[order] * (int(classes.max(initial=0)) + 1) + classes[order]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(keys) != 0]))
    sizes = np.diff(np.append(starts, len(keys)))
    ranks = np.empty(len(values))
    inside = np.arange(len(keys)) - np.repeat(starts, sizes)
    ranks[order] = (inside + random.uniform(size=len(keys))) / np.repeat(sizes, sizes)
    return np.minimum(ranks, INSIDE)


def followers(
    mixture: Mixture, offsets: IntArray, columns: Sequence[Levels], zeros: Sequence[PairZeros]
) -> list[Follower]:
    """Return which numbers follow which, the sharpest pairs first: a forest, leaders before their followers."""
    cells = [
        int(end - first) - column.missing if column.ordered else 0
        for column, first, end in zip(columns, offsets[:-1], offsets[1:], strict=True)
    ]
    numbers = [j for j, count in enumerate(cells) if count >= LEAST_CELLS]
    by_column = {}
    for i in numbers:
        for j in numbers:
            if i != j:
                joint = _joint(mixture, offsets, (i, j), (cells[i], cells[j]), zeros)
                follower, residual = _follower(joint, i, j)
                if residual < MOST_RESIDUAL:
                    by_column[i, j] = (residual, follower)
    order = sorted(by_column, key=lambda pair: by_column[pair][0])
    placed: list[int] = []
    chosen: list[Follower] = []
    while True:
        free = [pair for pair in order if pair[1] not in placed]
        pair = next((each for each in free if each[0] in placed), None)
        if pair is not None:
            chosen.append(by_column[pair][1])
            placed.append(pair[1])
            continue
        root = next((i for i, _ in free if i not in placed), None)
        if root is None:
            return chosen
        placed.append(root)


def _joint(
    mixture: Mixture, offsets: IntArray, pair: tuple[int, int], cells: tuple[int, int], zeros: Sequence[PairZeros]
) -> FloatArray:
    """Return the mixture's joint table of two numbers' cells [a, b], without forbidden ones."""
    joint = mixture.joint(*(slice(offsets[j], offsets[j] + count) for j, count in zip(pair, cells, strict=True)))
    for each in zeros:
        if set(each.columns) == set(pair):
            forbidden = each.forbidden if each.columns == pair else each.forbidden.T
            joint[forbidden[: cells[0], : cells[1]]] = 0.0
    positive: FloatArray = joint + 1e-9
    return positive


def _follower(joint: FloatArray, i: int, j: int) -> tuple[Follower, float]:
    """Return the normal law of j's place given i's cell, and its mean residual variance in cells squared."""
    shares = joint / joint.sum(axis=1, keepdims=True)
    shares = np.maximum(shares - NOISE_SHARE * shares.max(axis=1, keepdims=True), 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    middles = np.arange(joint.shape[1]) + 0.5
    means = shares @ middles
    variances = (shares * (middles - means[:, None]) ** 2).sum(axis=1)
    # Part of the variance within a cell of the leader is the slope of the means over the width of that cell.
    residual = np.maximum(variances - np.gradient(means) ** 2 / 12, LEAST_RESIDUAL)
    mean_residual = float(joint.sum(axis=1) @ residual / joint.sum())
    return Follower(i, j, means, residual, joint.shape[0], joint.shape[1]), mean_residual
