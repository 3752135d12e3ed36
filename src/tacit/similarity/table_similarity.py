"""How alike two tables of one schema are: the shares of each column's values, and the correlations of columns."""

import math
from itertools import pairwise

import numpy as np

from tacit.arrays import FloatArray, Rows
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.columns import Categorical, Feature, Numeric
from tacit.data.schemas.schema import Schema
from tacit.records import record

BINS = 10
MISSING = "missing"


@record
class Marginal:
    """The share of rows with each value of a column: categories, or tenths of the range between its bounds."""

    name: str
    values: tuple[str, ...]
    shares: FloatArray


def marginals(rows: Encoded, schema: Schema) -> list[Marginal]:
    """Return the marginal of each feature, and last of the label if rows have one."""
    by_column = [_marginal(rows.X[:, _block(schema, column)], column) for column in schema.features]
    if schema.label is not None and (rows.y >= 0).any():
        counts = np.bincount(rows.y[rows.y >= 0], minlength=len(schema.classes))
        by_column.append(Marginal(schema.label.name, schema.classes, counts / counts.sum()))
    return by_column


def distance(first: Marginal, second: Marginal) -> float:
    """Return the total variation distance: the share of rows that would have to change to make the two alike."""
    return float(np.abs(first.shares - second.shares).sum() / 2)


def correlations(X: Rows) -> FloatArray:
    """Return the correlations [p, p] of columns; a column that does not vary has none, and 1 with itself."""
    centred = X - X.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9 * np.sqrt(len(X)))
    R = np.asarray(unit.T @ unit, dtype=np.float64)
    R[np.diag_indices(len(R))] = 1.0
    return np.clip(R, -1.0, 1.0)


def _marginal(block: Rows, column: Feature) -> Marginal:
    if isinstance(column, Categorical):
        names = (*column.categories, MISSING) if column.flagged else column.categories
        return Marginal(column.name, names, block.mean(axis=0))
    missing = block[:, 1] > 0.5 if column.flagged else np.zeros(len(block), dtype=bool)
    places = np.minimum((block[:, 0] * BINS).astype(int), BINS - 1)[~missing]
    counts = np.bincount(places, minlength=BINS)
    names = _ranges(column)
    if column.flagged:
        counts, names = np.append(counts, missing.sum()), (*names, MISSING)
    return Marginal(column.name, names, counts / len(block))


def _ranges(column: Numeric) -> tuple[str, ...]:
    edges = np.linspace(column.low, column.high, BINS + 1)
    if column.notation is not None:
        # Dates and codes are whole numbers: the ends of a range are written as cells are.
        return tuple(
            f"{column.shown(math.ceil(low))} to {column.shown(math.floor(high))}" for low, high in pairwise(edges)
        )
    return tuple(f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges))


def _block(schema: Schema, column: Feature) -> slice:
    places = schema.positions[column.name]
    return slice(places.start, places.stop)
