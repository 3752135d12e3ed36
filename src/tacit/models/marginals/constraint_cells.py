"""Cells in which every row breaks a stated constraint: public knowledge, told from the schema alone."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import BoolArray
from tacit.data.schemas.conditions import ColumnOrder, Condition, Constraint
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import INSIDE, Levels
from tacit.models.marginals.tables import ColumnTable
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record


@record
class LevelCells:
    """The levels of a column, and the cell that each of them belongs to."""

    column: Levels
    cells: NDArray[np.intp]
    """[levels]"""

    @classmethod
    def fine(cls, column: Levels, table: ColumnTable) -> "LevelCells":
        """Return the fine cells of a column."""
        return cls(column, table.cell_of_level(column.size))

    @classmethod
    def coarse(cls, column: Levels, table: ColumnTable) -> "LevelCells":
        """Return the coarse cells of a column."""
        return cls(column, table.groups[table.cell_of_level(column.size)])

    @classmethod
    def single(cls, column: Levels) -> "LevelCells":
        """Return one cell for each level, as the classes of a label have."""
        return cls(column, np.arange(column.size, dtype=np.intp))

    @property
    def count(self) -> int:
        """How many cells there are."""
        return int(self.cells.max()) + 1

    def where_all(self, levels: BoolArray) -> BoolArray:
        """Return the cells all of whose levels are among ``levels``."""
        every: BoolArray = np.bincount(self.cells, weights=~levels, minlength=self.count) == 0
        return every


def constraint_zeros(layout: Layout, tables: Sequence[ColumnTable]) -> list[PairZeros]:
    """Return the pairs of coarse cells of two columns in which every row breaks a constraint of the schema."""
    zeros = []
    for constraint in layout.schema.parsed_constraints:
        if len(set(constraint.columns)) < 2 or not set(constraint.columns) <= set(layout.names):
            continue
        i, j = (layout.names.index(name) for name in constraint.columns)
        first, second = (LevelCells.coarse(layout.columns[place], tables[place]) for place in (i, j))
        forbidden = broken_cells(constraint, first, second)
        if forbidden.any():
            zeros.append(PairZeros((i, j), forbidden) if i < j else PairZeros((j, i), forbidden.T))
    return zeros


def ruled_out_cells(
    axes: Sequence[LevelCells], constraints: Sequence[Constraint], where: Sequence[LevelCells] = ()
) -> BoolArray:
    """Return the cells of a table with these axes in which every row breaks a constraint.

    ``where`` are columns of which all counted rows lie in cell 0.
    """
    places = {cells.column.name: place for place, cells in enumerate(axes)}
    known = {cells.column.name: cells for cells in (*where, *axes)}
    ruled_out = np.zeros([cells.count for cells in axes], dtype=bool)
    for constraint in constraints:
        names = constraint.columns
        if len(set(names)) == 2 and set(names) <= set(known):
            broken = broken_cells(constraint, *(known[name] for name in names))
            ruled_out |= _spread(broken, names, places, len(axes))
    return ruled_out


def _spread(broken: BoolArray, names: tuple[str, str], places: Mapping[str, int], n_axes: int) -> BoolArray:
    """Return a table of two columns laid along their axes of a larger one; a column without axis is in cell 0."""
    for axis, name in reversed(list(enumerate(names))):
        if name not in places:
            broken = np.take(broken, [0], axis=axis)
    axes = [places.get(name, -1) for name in names]
    if axes[0] > axes[1]:
        broken, axes = broken.T, axes[::-1]
    shape = [1] * n_axes
    for axis, size in zip(axes, broken.shape, strict=True):
        if axis >= 0:
            shape[axis] = size
    return broken.reshape(shape)


def broken_cells(constraint: Constraint, first: LevelCells, second: LevelCells) -> BoolArray:
    """Return the pairs of cells [a, b] of a constraint's two columns in which every row breaks it."""
    if isinstance(constraint, ColumnOrder):
        lowest, highest = np.full(first.count, math.inf), np.full(second.count, -math.inf)
        # A missing cell, NaN, contradicts nothing: it is below all numbers as the first and above all as the second.
        low = first.column.values(np.arange(first.column.size, dtype=np.float64))
        high = second.column.values(np.arange(second.column.size) + INSIDE)
        np.minimum.at(lowest, first.cells, np.where(np.isnan(low), -math.inf, low))
        np.maximum.at(highest, second.cells, np.where(np.isnan(high), math.inf, high))
        order: BoolArray = lowest[:, None] > highest[None]
        return order
    always = first.where_all(met_levels(constraint.given, first.column))
    allowed = partly_met_levels(constraint.then, second.column)
    if second.column.missing and not constraint.then.missing:
        allowed[-1] = True
    implied: BoolArray = always[:, None] & second.where_all(~allowed)[None]
    return implied


def met_levels(condition: Condition, column: Levels) -> BoolArray:
    """Return which levels meet a condition at both of their ends, and so everywhere."""
    levels = np.arange(column.size, dtype=np.float64)
    ends = (column.cell_values(levels), column.cell_values(levels + INSIDE))
    met: BoolArray = condition.holds(ends[0]) & condition.holds(ends[1])
    return met


def partly_met_levels(condition: Condition, column: Levels) -> BoolArray:
    """Return which levels hold a number or category that may meet a condition."""
    levels = np.arange(column.size, dtype=np.float64)
    low, high = column.cell_values(levels), column.cell_values(levels + INSIDE)
    if condition.missing or condition.codes is not None:
        return condition.holds(low)
    met: BoolArray = (low <= condition.high) & (high >= condition.low)
    return met
