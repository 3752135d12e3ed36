"""Counts of a table's cells that a schema finds missing, malformed or out of bounds; for the owner only."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.data.rows.encoding import check_columns
from tacit.data.schemas.cells import category_cells, numeric_cells
from tacit.data.schemas.columns import Categorical, Feature, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.records import record


@dataclass(frozen=True)
class ColumnTally:
    """Counts of one column's cells."""

    name: str
    kind: str
    missing: int = 0
    malformed: int = 0
    unknown: int = 0
    clipped: int = 0
    """Cells that are empty, no number, outside the closed list, outside the bounds."""
    refused: int = 0
    """Cells for which encoding stops with an error."""


@record
class Inspection:
    """Exact counts of a private table: never hand them out."""

    n_rows: int
    """Rows of the table."""
    columns: tuple[ColumnTally, ...]
    """One for each feature, then the label if the table has it."""
    classes: Mapping[str, int]
    """Rows of each class."""

    @property
    def refused(self) -> int:
        """Cells for which encoding stops with an error."""
        return sum(column.refused for column in self.columns)


def inspect_table(table: pl.DataFrame, schema: Schema, *, source: str = "table") -> Inspection:
    """Return how many cells of each column are missing, malformed, unknown or clipped."""
    check_columns(table, schema, labels="optional", source=source)
    tallies = [_tally(table[column.name], column, schema.missing_values) for column in schema.features]
    if schema.target is not None and schema.target.name in table.columns:
        tallies.append(_tally(table[schema.target.name], schema.target.as_number, schema.missing_values))
    label = schema.label
    if label is None or label.name not in table.columns:
        return Inspection(table.height, tuple(tallies), {})
    tallies.append(_tally(table[label.name], label, schema.missing_values))
    codes = category_cells(table[label.name], label, missing_values=schema.missing_values).codes
    classes = {name: int(np.count_nonzero(codes == code)) for code, name in enumerate(label.classes)}
    return Inspection(table.height, tuple(tallies), classes)


def _tally(series: pl.Series, column: Feature | Label, blanks: tuple[str, ...]) -> ColumnTally:
    if isinstance(column, Numeric):
        return _tally_numbers(series, column, blanks)
    cells = category_cells(series, column, missing_values=blanks)
    missing, unknown = int(cells.missing.sum()), int(cells.unknown.sum())
    refused = unknown if column.unknown == "error" else 0
    if isinstance(column, Categorical) and column.missing == "error":
        refused = missing + unknown
    return ColumnTally(column.name, column.kind, missing=missing, unknown=unknown, refused=refused)


def _tally_numbers(series: pl.Series, column: Numeric, blanks: tuple[str, ...]) -> ColumnTally:
    cells = numeric_cells(series, column, missing_values=blanks)
    missing, malformed = int(cells.missing.sum()), int(cells.malformed.sum())
    return ColumnTally(
        column.name,
        column.kind,
        missing=missing,
        malformed=malformed,
        clipped=int(cells.outside(column).sum()),
        refused=malformed + (missing if column.missing == "error" else 0),
    )
