"""Rows that break a stated constraint, changed so that they keep it; and pairs of cells that no allowed row has."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.data.schemas.conditions import ColumnOrder, Condition, Constraint
from tacit.models.marginals.conditioning import column_values
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import INSIDE, Levels
from tacit.models.marginals.tables import ColumnTable
from tacit.models.marginals.zeros import PairZeros
from tacit.records import record

# How often all constraints are gone through: mending one may break another.
ROUNDS = 5


def constraint_zeros(layout: Layout, tables: Sequence[ColumnTable]) -> list[PairZeros]:
    """Return the pairs of coarse cells in which every row breaks a constraint of the schema: public knowledge."""
    zeros = []
    for constraint in layout.schema.parsed_constraints:
        if len(set(constraint.columns)) < 2 or not set(constraint.columns) <= set(layout.names):
            continue
        i, j = (layout.names.index(name) for name in constraint.columns)
        forbidden = _forbidden(constraint, (layout.columns[i], tables[i]), (layout.columns[j], tables[j]))
        if forbidden.any():
            zeros.append(PairZeros((i, j), forbidden) if i < j else PairZeros((j, i), forbidden.T))
    return zeros


LevelCounts = tuple[Levels, ColumnTable]


def _forbidden(constraint: Constraint, first: LevelCounts, second: LevelCounts) -> BoolArray:
    if isinstance(constraint, ColumnOrder):
        lowest, highest = _extremes(*first)[0], _extremes(*second)[1]
        # A missing cell is NaN, which is above nothing.
        order: BoolArray = lowest[:, None] > highest[None]
        return order
    always = _share(constraint.given, *first) == 1
    missing = np.zeros(second[1].n_groups, dtype=bool)
    if second[0].missing and not constraint.then.missing:
        missing[second[1].groups[-1]] = True
    never = (_share(constraint.then, *second) == 0) & ~missing
    implied: BoolArray = always[:, None] & never[None]
    return implied


def _extremes(column: Levels, table: ColumnTable) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest number of each coarse cell [g]; NaN for missing cells."""
    low, high = (np.full(table.n_groups, np.nan) for _ in range(2))
    for group in range(table.n_groups):
        ranges = table.ranges[table.groups == group]
        low[group], high[group] = column.values(np.array([ranges.min(), ranges.max() - 1 + INSIDE]))
    return low, high


def _met(condition: Condition, column: Levels) -> BoolArray:
    """Return which levels meet a condition at both of their ends."""
    levels = np.arange(column.size, dtype=np.float64)
    ends = (column.cell_values(levels), column.cell_values(levels + INSIDE))
    met: BoolArray = condition.holds(ends[0]) & condition.holds(ends[1])
    return met


def _share(condition: Condition, column: Levels, table: ColumnTable) -> FloatArray:
    """Return which part of each coarse cell's levels [g] meets a condition."""
    groups = table.groups[table.cell_of_level(column.size)]
    share: FloatArray = np.bincount(groups, weights=_met(condition, column)) / np.bincount(groups)
    return share


@record
class Repair:
    """Changes rows until they keep the schema's constraints.

    Numbers in the wrong order are exchanged; what a condition implies is drawn from the column's own allowed levels.
    """

    layout: Layout
    tables: Sequence[ColumnTable]

    def __call__(self, places: FloatArray, classes: IntArray, random: Any) -> tuple[FloatArray, IntArray]:
        """Return changed copies of places [N, q] and class codes [N]."""
        places, classes = places.copy(), classes.copy()
        constraints = self.layout.schema.parsed_constraints
        for number in range(ROUNDS):
            for constraint in constraints:
                broken = ~constraint.holds(column_values(self.layout, places, classes))
                if not broken.any():
                    continue
                if isinstance(constraint, ColumnOrder):
                    self._exchange(constraint, places, broken, last=number == ROUNDS - 1)
                else:
                    self._imply(constraint.then, places, classes, broken, random)
        return places, classes

    def _exchange(self, order: ColumnOrder, places: FloatArray, broken: BoolArray, *, last: bool) -> None:
        i, j = (self.layout.names.index(name) for name in order.columns)
        low, high = self.layout.columns[i], self.layout.columns[j]
        smaller, larger = high.values(places[broken, j]), low.values(places[broken, i])
        places[broken, i], places[broken, j] = low.places_at(smaller), high.places_at(larger)
        if last:
            # Grids may round two close numbers past each other: the bounds are always in order.
            still = broken & (low.values(places[:, i]) > high.values(places[:, j]))
            places[still, i], places[still, j] = 0.0, high.count - 1 + INSIDE

    def _imply(self, then: Condition, places: FloatArray, classes: IntArray, broken: BoolArray, random: Any) -> None:
        count = int(broken.sum())
        label = self.layout.label
        if label is not None and then.column == label.name:
            classes[broken] = random.choice(np.flatnonzero(_met(then, label)), count)
            return
        j = self.layout.names.index(then.column)
        column, table = self.layout.columns[j], self.tables[j]
        cell = table.cell_of_level(column.size)
        # Every level counts for something, so that a rare one can still be drawn.
        density = np.maximum(table.projected().sum(axis=0), 1e-3) / np.diff(table.ranges, axis=1)[:, 0]
        weights = density[cell] * _met(then, column)
        if weights.sum() > 0:
            places[broken, j] = random.choice(column.size, count, p=weights / weights.sum()) + random.uniform(
                size=count
            )
