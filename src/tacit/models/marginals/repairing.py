"""Rows that break a stated constraint, changed so that they keep it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray
from tacit.data.schemas.conditions import ColumnOrder, Condition
from tacit.models.marginals.conditioning import column_values
from tacit.models.marginals.constraint_cells import met_levels
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.levels import INSIDE
from tacit.models.marginals.tables import ColumnTable
from tacit.records import record

# How often all constraints are gone through: mending one may break another.
ROUNDS = 5


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

    def ordered(self, places: FloatArray, classes: IntArray) -> FloatArray:
        """Return a copy of places [N, q] in which numbers in the wrong order have been exchanged once."""
        places = places.copy()
        for constraint in self.layout.schema.parsed_constraints:
            if isinstance(constraint, ColumnOrder):
                broken = ~constraint.holds(column_values(self.layout, places, classes))
                self._exchange(constraint, places, broken, last=False)
        return places

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
            classes[broken] = random.choice(np.flatnonzero(met_levels(then, label)), count)
            return
        j = self.layout.names.index(then.column)
        column, table = self.layout.columns[j], self.tables[j]
        cell = table.cell_of_level(column.size)
        # Every level counts for something, so that a rare one can still be drawn.
        density = np.maximum(table.projected().sum(axis=0), 1e-3) / np.diff(table.ranges, axis=1)[:, 0]
        weights = density[cell] * met_levels(then, column)
        if weights.sum() > 0:
            places[broken, j] = random.choice(column.size, count, p=weights / weights.sum()) + random.uniform(
                size=count
            )
