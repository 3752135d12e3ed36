"""What an owner is told about their own rows while they are read: counts that add up over batches."""

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np
import polars as pl

from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.identifiers import NameCounts, RepeatingColumn, count_names
from tacit.data.schemas.schema import Schema
from tacit.records import record


@record
class RowFacts:
    """Exact counts of private rows: for the owner alone."""

    n_rows: int = 0
    """Rows with a label, which a release reads."""
    n_left_out: int = 0
    """Rows without one."""
    at_bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """For each numeric column how many values lie at the lower and at the upper bound, or beyond."""
    names: Mapping[str, NameCounts] = field(default_factory=dict)
    """How values repeat in the columns that may name persons."""

    def __add__(self, other: "RowFacts") -> "RowFacts":
        bounds = dict(self.at_bounds)
        for name, (low, high) in other.at_bounds.items():
            before = bounds.get(name, (0, 0))
            bounds[name] = before[0] + low, before[1] + high
        names = dict(self.names)
        for name, counts in other.names.items():
            names[name] = names[name] + counts if name in names else counts
        return RowFacts(self.n_rows + other.n_rows, self.n_left_out + other.n_left_out, bounds, names)

    def with_left_out(self, count: int) -> "RowFacts":
        """Return the facts with ``count`` more rows left out."""
        return replace(self, n_left_out=self.n_left_out + count) if count else self

    @property
    def clipped(self) -> dict[str, float]:
        """The share of values at the commoner bound of each numeric column."""
        return {name: max(counts) / max(self.n_rows, 1) for name, counts in self.at_bounds.items()}

    @property
    def repeating(self) -> list[RepeatingColumn]:
        """The columns that may name persons with several rows."""
        columns = (counts.repeating(name) for name, counts in self.names.items())
        return [column for column in columns if column is not None and column.most_rows > 1]


def row_facts(rows: EncodedColumns, frame: pl.DataFrame, schema: Schema) -> RowFacts:
    """Return the facts of encoded ``rows``, whose cells stand in ``frame``."""
    bounds = {}
    for column, part in zip(schema.features, rows.parts, strict=True):
        if isinstance(column, Numeric):
            values = part.numbers[0][1]
            bounds[column.name] = int(np.count_nonzero(values == 0)), int(np.count_nonzero(values == 1))
    return RowFacts(len(rows), 0, bounds, count_names(frame, schema))
