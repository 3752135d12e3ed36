"""What an owner reads before a promise is made: numbers that protect little, and columns of which nothing is left."""

import warnings

import numpy as np

from tacit.data.columns import Numeric
from tacit.data.encoding import Encoded
from tacit.data.schema import Schema
from tacit.privacy.budget import Budget
from tacit.privacy.cautions import cautions, clipping_cautions


def warn_of_promise(promise: Budget, rows: Encoded, schema: Schema) -> None:
    """Warn of a promise that protects little, of few rows, and of clipped columns; for the owner's eyes alone."""
    found = (*cautions(promise, n_rows=len(rows.y)), *clipping_cautions(clipped_columns(rows, schema)))
    for words in found:
        warnings.warn(words, stacklevel=3)


def clipped_columns(rows: Encoded, schema: Schema) -> dict[str, float]:
    """Return the share of values at the commoner bound of each numeric column: 1 where all lie at it or beyond it."""
    shares = {}
    for column in schema.features:
        if isinstance(column, Numeric) and len(rows.X):
            values = rows.X[:, schema.positions[column.name].start]
            shares[column.name] = float(max(np.mean(values == 0), np.mean(values == 1)))
    return shares
