"""Invented numbers rounded to cells that the schema allows: within bounds, one category a cell, at the right rate."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, FloatArray
from tacit.data.schemas.columns import Categorical
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.gaussians import whole_parts


def to_valid_cells(rows: FloatArray, codes: Codes, schema: Schema) -> FloatArray:
    """Return encoded rows in [0, 1] from invented ones [N, p]: numbers clipped, categories and flags one-hot.

    In each class a category takes as many rows as its column's mean says, those with its highest scores; taking each
    row's largest column would give all rows to the commonest category.
    """
    cells = np.clip(rows, 0.0, 1.0)
    classes = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    for column in schema.features:
        places = schema.positions[column.name]
        block = slice(places.start, places.stop)
        for members in classes:
            if isinstance(column, Categorical):
                cells[members, block] = np.eye(len(places))[assign_categories(rows[members, block])]
            elif column.flagged:
                flags = rows[members, places.stop - 1]
                cells[members, places.stop - 1] = assign_categories(np.column_stack([1 - flags, flags]))
    return cells


def assign_categories(scores: FloatArray) -> NDArray[np.intp]:
    """Return a category for each row of scores [N, K], category k as often as its mean score, floored at 0, says.

    Rare categories come first, each takes the remaining rows of its highest scores.
    """
    rates = np.maximum(scores.mean(axis=0), 0.0)
    counts = whole_parts(rates if rates.sum() > 0 else np.ones_like(rates), len(scores))
    categories = np.full(len(scores), int(counts.argmax()))
    remaining = np.arange(len(scores))
    for category in np.argsort(counts, kind="stable")[:-1]:
        order = np.argsort(-scores[remaining, category], kind="stable")
        categories[remaining[order[: counts[category]]]] = category
        remaining = np.delete(remaining, order[: counts[category]])
    categories[remaining] = np.argsort(counts, kind="stable")[-1]
    return categories
