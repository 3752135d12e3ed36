"""Where rows lie in a number that hangs on a category: at the levels seen with it, as far as they explain its rows."""

import math

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.models.marginals.links import ColumnLink
from tacit.models.marginals.measuring import Measurement
from tacit.records import record

# All rows are explained if what is left of their count is below so many deviations of its noise.
LEFT_DEVIATIONS = 2.0


@record
class LinkPlaces:
    """Runs of a number's levels, one for each level of its category with each coarse cell of the number."""

    columns: tuple[int, int]
    runs: IntArray
    """[levels, cells]: the run of each, -1 without one. Rows of a level whose others are all explained have the run of
    the whole level."""
    explained: FloatArray
    """[runs]: which share of its rows a run places."""
    begins: FloatArray
    ends: FloatArray
    """[m]: number of the run, plus the share of its rows below and up to a range of levels."""
    ranges: IntArray
    """[m, 2]"""

    def __call__(self, levels: IntArray, cells: IntArray, ranks: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return places [N] of rows, NaN where there is none, and the ranks left for those.

        ``levels`` of the category, coarse ``cells`` of the number and ``ranks`` in (0, 1) are those of the rows.
        """
        places = np.full(len(ranks), np.nan)
        if not len(self.ends):
            return places, ranks
        runs = self.runs[levels, cells]
        share = np.where(runs >= 0, self.explained[runs], 0.0)
        rows = np.flatnonzero(ranks < share)
        position = np.minimum(np.searchsorted(self.ends, runs[rows] + ranks[rows], side="right"), len(self.ends) - 1)
        begin, end = self.begins[position], self.ends[position]
        inside = np.clip((runs[rows] + ranks[rows] - begin) / np.maximum(end - begin, 1e-12), 0, 1 - 1e-9)
        low, high = self.ranges[position].T
        places[rows] = low + inside * (high - low)
        return places, np.where(share < 1, np.clip((ranks - share) / np.maximum(1 - share, 1e-12), 0, 1 - 1e-9), ranks)


def link_places(link: ColumnLink, measurement: Measurement) -> LinkPlaces:
    """Return how a link places rows; what it leaves unexplained is told from tables of the category and of the pair."""
    i, j = link.columns
    first, second = measurement.columns[i], measurement.columns[j]
    n_levels, n_cells = measurement.layout.columns[i].size, second.n_groups
    leader, low = link.cells[:, 0], link.cells[:, 1]
    group = second.groups[np.searchsorted(second.ranges[:, 0], low, side="right") - 1]
    held = np.zeros((n_levels, n_cells))
    np.add.at(held, (leader, group), link.counts)
    whole, explained = np.zeros(n_levels, dtype=bool), np.ones_like(held)
    if not link.complete:
        whole = _whole_levels(link, held, first.projected().sum(axis=0), measurement)
        explained = np.where(whole[:, None], 1.0, _explained_cells(held, link, measurement))
    runs = np.full((n_levels, n_cells), -1)
    entries: list[IntArray] = []
    shares: list[float] = []
    for level in np.unique(leader):
        own = np.flatnonzero(leader == level)
        for cell in np.unique(group[own]):
            runs[level, cell] = len(entries)
            entries.append(own[group[own] == cell])
            shares.append(float(explained[level, cell]))
        if whole[level]:
            runs[level, runs[level] < 0] = len(entries)
            entries.append(own)
            shares.append(1.0)
    begins, ends = _run_edges([link.counts[own] for own in entries], shares)
    order = np.concatenate([np.zeros(0, dtype=np.int64), *entries]).astype(np.int64)
    return LinkPlaces((i, j), runs, np.array(shares, dtype=np.float64), begins, ends, link.cells[order, 1:])


def _whole_levels(link: ColumnLink, held: FloatArray, counts: FloatArray, measurement: Measurement) -> BoolArray:
    """Return which levels have visible combinations alone."""
    n_visible = np.bincount(link.cells[:, 0], minlength=len(held))
    variance = n_visible * link.sigma**2 + measurement.layout.n_classes * measurement.cell_sigma**2
    whole: BoolArray = (n_visible > 0) & (counts - held.sum(axis=1) < LEFT_DEVIATIONS * np.sqrt(variance))
    return whole


def _explained_cells(held: FloatArray, link: ColumnLink, measurement: Measurement) -> FloatArray:
    """Return the share of the rows of each level and coarse cell that visible combinations hold [levels, cells]."""
    i, j = link.columns
    first = measurement.columns[i]
    table = next(each for each in measurement.pairs if set(each.columns) == {i, j})
    counts = table.counts.sum(axis=0) if table.columns == (i, j) else table.counts.sum(axis=0).T
    of_level = first.groups[first.cell_of_level(len(held))]
    limit = LEFT_DEVIATIONS * measurement.pair_sigma * math.sqrt(measurement.layout.n_classes)
    # A pooled level has no table of its own.
    alone = np.bincount(first.groups)[of_level] == 1
    left = np.where(alone[:, None], counts[of_level] - held, 0.0)
    return np.where(left > limit, held / np.maximum(held + left, 1.0), 1.0)


def _run_edges(counts: list[FloatArray], shares: list[float]) -> tuple[FloatArray, FloatArray]:
    begins, ends = [np.zeros(0)], [np.zeros(0)]
    for run, (own, share) in enumerate(zip(counts, shares, strict=True)):
        sums = np.concatenate([[0.0], np.cumsum(own)]) * (share / own.sum())
        begins.append(run + sums[:-1])
        ends.append(run + np.append(sums[1:-1], share))
    return np.concatenate(begins), np.concatenate(ends)
