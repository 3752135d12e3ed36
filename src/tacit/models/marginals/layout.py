"""A table as level codes of its columns, by public facts alone, and back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.levels import GRID, Levels, levels_of

# Rows coded at once.
BATCH = 65_536

LayoutCodes = NDArray[np.int32]  # [n, q]
# Level codes and class codes [n].
LevelBatch = tuple[LayoutCodes, Codes]


@dataclass(frozen=True)
class Layout:
    """The columns of a table as levels, and its classes; a table without a label has one class."""

    schema: Schema
    columns: tuple[Levels, ...]
    """The features, in the order of the schema."""
    label: Levels | None
    grid: int = GRID
    """The grid of levels of numbers."""

    @classmethod
    def of(cls, schema: Schema, grid: int = GRID) -> "Layout":
        """Return the layout of tables with ``schema``."""
        label = None if schema.label is None else levels_of(schema.label)
        return cls(schema, tuple(levels_of(column, grid) for column in schema.features), label, grid)

    @property
    def n_classes(self) -> int:
        """How many classes the label has; 1 without a label."""
        return 1 if self.label is None else self.label.count

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(column.name for column in self.columns)

    def row_codes(self, X: Rows) -> LayoutCodes:
        """Return the level codes [N, q] of encoded rows."""
        codes = np.empty((len(X), len(self.columns)), dtype=np.int32)
        for j, column in enumerate(self.columns):
            places = self.schema.positions[column.name]
            codes[:, j] = column.codes(X[:, places.start : places.stop])
        return codes

    def column_codes(self, rows: EncodedColumns) -> LayoutCodes:
        """Return the level codes [N, q] of rows that are encoded column by column, without their matrix if possible."""
        if len(rows.parts) != len(self.columns):
            return self.row_codes(rows.matrix())  # parts of a matrix: one for each encoded column
        codes = np.empty((len(rows), len(self.columns)), dtype=np.int32)
        for j, (column, part) in enumerate(zip(self.columns, rows.parts, strict=True)):
            numbers = [values for _, values in part.numbers]
            codes[:, j] = column.codes(np.column_stack(numbers)) if part.ones is None else part.ones
        return codes

    def table(self, places: Rows, y: NDArray[Any]) -> pl.DataFrame:
        """Return the rows at ``places`` [N, q] with class codes ``y`` [N] as a table in the order of the schema."""
        cells = {column.name: column.column(places[:, j]) for j, column in enumerate(self.columns)}
        if self.label is not None:
            cells[self.label.name] = self.label.column(np.asarray(y, dtype=np.float64))
        return pl.DataFrame([cells[column.name] for column in self.schema.columns if column.name in cells])

    def encoded(self, places: Rows) -> FloatArray:
        """Return the rows at ``places`` [N, q] as the schema encodes them [N, p]."""
        X = np.zeros((len(places), len(self.schema.encoded_names)))
        rows = np.arange(len(places))
        for j, column in enumerate(self.columns):
            start = self.schema.positions[column.name].start
            if column.ordered:
                X[:, start] = column.fractions(places[:, j])
                if column.missing:
                    X[:, start + 1] = places[:, j] >= column.count
            else:
                X[rows, start + places[:, j].astype(np.int64)] = 1.0
        return X


def encoded_batches(X: Rows, y: NDArray[Any], schema: Schema, *, size: int = BATCH) -> list[LevelBatch]:
    """Return the level codes of encoded rows and their class codes, in batches of ``size`` rows."""
    return list(_batches(X, np.asarray(y, dtype=np.intp), Layout.of(schema), size))


def _batches(X: Rows, y: Codes, layout: Layout, size: int) -> Iterator[LevelBatch]:
    for start in range(0, len(X), size):
        yield layout.row_codes(X[start : start + size]), y[start : start + size]
