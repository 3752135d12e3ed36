"""Coarse cells for tables of pairs: fine cells joined until each can be told from noise, by released counts alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.models.marginals.levels import Levels
from tacit.models.marginals.trees import FEW_LEVELS

# Cells of a column: sqrt(rows / (9 noise of a pair's count)), between these; chosen on other splits of Bank and Adult
# than those reported.
NOISE_FACTOR, LEAST_CELLS, MOST_CELLS = 9.0, 2, 12
# A category, or a level of a short number, stands alone from so many standard deviations of a pair's noise on.
ALONE_DEVIATIONS = 3.0
# A fine cell of a long number stands alone if it holds this part of what a coarse cell should.
ALONE_PART = 0.6
# Neighbours are not joined if their class shares differ by so many deviations and the first holds this share of rows.
SPLIT_DEVIATIONS, SPLIT_SHARE = 3.0, 1 / 40


@dataclass(frozen=True)
class CellScale:
    """What decides how coarse cells are: the rows, and the noise of label by cell and of label by pair."""

    n_rows: float
    cell_sigma: float
    pair_sigma: float

    @property
    def target(self) -> float:
        """How many rows a coarse cell should hold."""
        cells = math.sqrt(self.n_rows / (NOISE_FACTOR * self.pair_sigma))
        return self.n_rows / min(max(cells, LEAST_CELLS), MOST_CELLS)

    @property
    def visible(self) -> float:
        """How many rows stand out from the noise of a pair's count."""
        return ALONE_DEVIATIONS * self.pair_sigma


def coarse_groups(tables: FloatArray, column: Levels, scale: CellScale) -> NDArray[np.intp]:
    """Return the coarse cell [k] of each fine cell, from released counts by class [C, k]."""
    missing = column.ordered and column.missing
    k = tables.shape[1] - missing
    joined = _joined_numbers(tables[:, :k], column, scale) if column.ordered else _joined_categories(tables, scale)
    target = min(scale.visible, _target(column, scale)) / 2
    groups = _without_tiny(joined, tables.sum(axis=0), target, neighbours=column.ordered)
    if missing:
        groups.append([k])
    of_cell = np.empty(tables.shape[1], dtype=np.intp)
    for place, members in enumerate(sorted(groups, key=min)):
        of_cell[members] = place
    return of_cell


def _target(column: Levels, scale: CellScale) -> float:
    if not column.ordered:
        return max(scale.target, scale.visible)
    return min(scale.target, scale.visible) if column.count <= FEW_LEVELS else scale.target


def _joined_numbers(tables: FloatArray, column: Levels, scale: CellScale) -> list[list[int]]:
    """Return runs of neighbouring fine cells; a heavy cell stands alone, and class shares within a run are alike."""
    totals, target = tables.sum(axis=0), _target(column, scale)
    alone = totals >= (scale.visible if column.count <= FEW_LEVELS else ALONE_PART * scale.target)
    groups: list[list[int]] = []
    current: list[int] = []
    for cell in range(tables.shape[1]):
        if current and (alone[cell] or _differs(tables, current, cell, scale)):
            groups.append(current)
            current = []
        current = [*current, cell]
        if alone[cell] or totals[current].sum() >= target:
            groups.append(current)
            current = []
    return [*groups, current] if current else groups


def _differs(tables: FloatArray, members: list[int], cell: int, scale: CellScale) -> bool:
    """Return whether the class shares of a run and of the next cell differ by more than chance and noise explain."""
    first, second = tables[:, members].sum(axis=1), tables[:, cell]
    sizes = np.array([first.sum(), second.sum()])
    if sizes.min() <= 0 or sizes[0] <= SPLIT_SHARE * scale.n_rows:
        return False
    shares = np.clip((first + second) / sizes.sum(), 0, 1)
    variance = shares * (1 - shares) * (1 / sizes).sum() + scale.cell_sigma**2 * (1 / sizes**2).sum()
    contrast = np.abs(first / sizes[0] - second / sizes[1]) / np.sqrt(variance)
    return bool(contrast.max() > SPLIT_DEVIATIONS)


def _joined_categories(tables: FloatArray, scale: CellScale) -> list[list[int]]:
    """Return frequent categories alone, and rare ones pooled with others of like class shares."""
    totals = tables.sum(axis=0)
    alone: BoolArray = totals >= scale.visible
    groups = [[int(cell)] for cell in np.flatnonzero(alone)]
    current: list[int] = []
    target = max(scale.target, scale.visible)
    for cell in _by_class(tables, scale.cell_sigma):
        if alone[cell]:
            continue
        current = [*current, int(cell)]
        if totals[current].sum() >= target:
            groups.append(current)
            current = []
    return [*groups, current] if current else groups


def _by_class(tables: FloatArray, sigma: float) -> IntArray:
    """Return the cells ordered along the direction in which their class counts differ most from the common shares."""
    totals = tables.sum(axis=0)
    shares = tables.sum(axis=1) / max(totals.sum(), 1.0)
    contrasts = ((tables - shares[:, None] * totals) / np.sqrt(np.maximum(totals, 0) + sigma**2)).T
    direction = np.linalg.svd(contrasts, full_matrices=False)[2][0]
    order: IntArray = np.argsort(contrasts @ direction, kind="stable")
    return order


def _without_tiny(
    groups: Sequence[list[int]], totals: FloatArray, least: float, *, neighbours: bool
) -> list[list[int]]:
    """Return the groups with those below ``least`` rows joined to their lightest neighbour, or to any other group."""
    left = [list(group) for group in groups]
    while len(left) > 1:
        sizes = [float(totals[group].sum()) for group in left]
        place = int(np.argmin(sizes))
        if sizes[place] >= least:
            break
        others = [place - 1, place + 1] if neighbours else [each for each in range(len(left)) if each != place]
        allowed = [each for each in others if 0 <= each < len(left)]
        joined = min(allowed, key=lambda each: sizes[each])
        left[joined] = sorted(left[joined] + left[place])
        del left[place]
    return left
