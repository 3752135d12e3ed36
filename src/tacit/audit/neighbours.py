"""A small table of a number and a category, and its neighbours, for replays of whole releases."""

import numpy as np

from tacit.arrays import Codes, FloatArray
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.privacy.budget import Unit

MIXED_SCHEMA = Schema((Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1"))))

# Encoded rows [N, 3] and their class codes [N].
MixedTable = tuple[FloatArray, Codes]


def mixed_table() -> MixedTable:
    """Return 40 rows of ``MIXED_SCHEMA``."""
    X = np.column_stack([np.linspace(0, 1, 40), np.eye(2)[np.arange(40) % 2]])
    return X, np.arange(40) // 3 % 2


def neighbouring_table(unit: Unit) -> MixedTable:
    """Return the table with one row more, a corner of the cube, or per entry with the category of one row changed."""
    X, y = mixed_table()
    if unit is Unit.RECORD:
        return np.vstack([X, [[1, 1, 0]]]), np.append(y, 1)
    X[7, 1:] = X[7, :0:-1]
    return X, y
