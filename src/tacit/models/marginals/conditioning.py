"""Rows that meet conditions and keep stated constraints: which they are, and a mixture that draws mostly such rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import BoolArray, FloatArray, IntArray, Rows
from tacit.data.schemas.conditions import ColumnValues, Condition
from tacit.errors import InputError
from tacit.models.marginals.layout import Layout
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.tables import ColumnTable


@dataclass(frozen=True)
class Rules:
    """What drawn rows keep: the constraints of the schema, and conditions that were asked for."""

    layout: Layout
    where: tuple[Condition, ...] = ()

    def kept(self, places: FloatArray, classes: IntArray) -> BoolArray:
        """Return which rows at ``places`` [N, q] of given classes [N] keep all of them."""
        values = column_values(self.layout, places, classes)
        kept = np.ones(len(places), dtype=bool)
        for condition in self.where:
            kept &= condition.holds(values(condition.column))
        for constraint in self.layout.schema.parsed_constraints:
            kept &= constraint.holds(values)
        return kept

    @property
    def restrict(self) -> bool:
        """Whether there is anything to keep."""
        return bool(self.where or self.layout.schema.parsed_constraints)

    def __str__(self) -> str:
        asked = ["the conditions asked for"] if self.where else []
        stated = ["the schema's constraints"] if self.layout.schema.parsed_constraints else []
        return " and ".join([*asked, *stated]) or "no conditions"


def column_values(layout: Layout, places: Rows, classes: IntArray) -> ColumnValues:
    """Return what gives the numbers, or codes of categories, of rows by column name; NaN for missing cells."""

    def values(name: str) -> FloatArray:
        if layout.label is not None and name == layout.label.name:
            return classes.astype(np.float64)
        j = layout.names.index(name)
        return layout.columns[j].cell_values(places[:, j])

    return values


def conditioned(mixture: Mixture, tables: Sequence[ColumnTable], rules: Rules) -> tuple[Mixture, float]:
    """Return the mixture given the conditions, and the share of all rows that meets them.

    Both are up to what is lost inside coarse cells: drawn rows are tested afterwards.

    The weight of component k is multiplied by the share of its rows that meet each condition, and the shares of the
    column's cells by the part of each that does.
    """
    weights, shares = mixture.weights.copy(), mixture.shares.astype(np.float64)
    offsets = np.concatenate([[0], np.cumsum([table.n_groups for table in tables])])
    for condition in rules.where:
        label = rules.layout.label
        if label is not None and condition.column == label.name:
            weights *= condition.holds(np.arange(label.count, dtype=np.float64))
            continue
        j = rules.layout.names.index(condition.column)
        own_cells = slice(offsets[j], offsets[j + 1])
        shares[:, own_cells] *= _parts(tables[j], rules.layout, j, condition)
        met = shares[:, own_cells].sum(axis=1, keepdims=True)
        weights *= met
        shares[:, own_cells] /= np.maximum(met, np.finfo(float).tiny)
    share = float(weights.sum())
    if share <= 0:
        raise InputError("where must leave some rows: no cell of the release meets the conditions.")
    return Mixture(weights / share, shares.astype(np.float32)), share


def _parts(table: ColumnTable, layout: Layout, j: int, condition: Condition) -> FloatArray:
    """Return the part of each coarse cell's rows [g] that meets a condition, even inside fine cells."""
    column = layout.columns[j]
    levels = np.arange(column.size, dtype=np.float64)
    met = condition.holds(column.cell_values(levels))
    cell = table.cell_of_level(column.size)
    inside = np.bincount(cell, weights=met) / np.bincount(cell)
    # Every fine cell counts for something, so that a rare one can still be drawn.
    counts = np.maximum(table.projected().sum(axis=0), 1e-3)
    parts: FloatArray = table.coarse(inside * counts) / table.coarse(counts)
    return parts
