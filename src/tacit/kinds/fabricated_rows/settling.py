"""Invented numbers as rows that a table may hold: within bounds, one category a cell, as often as it should be."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, FloatArray
from tacit.data.columns import Categorical
from tacit.data.schema import Schema
from tacit.kinds.fabricated_rows.gaussians import whole_parts


def settled(rows: FloatArray, codes: Codes, schema: Schema) -> FloatArray:
    """Return encoded rows in [0, 1] from invented ones [N, p]: numbers clipped, categories and flags one-hot.

    In each class a category takes as many rows as its column's mean says, those that lean to it most; taking each
    row's largest column would hand all rows to the commonest.
    """
    made = np.clip(rows, 0.0, 1.0)
    groups = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    for column in schema.features:
        places = schema.positions[column.name]
        block = slice(places.start, places.stop)
        for mine in groups:
            if isinstance(column, Categorical):
                made[mine, block] = np.eye(len(places))[chosen(rows[mine, block])]
            elif column.flagged:
                lean = rows[mine, places.stop - 1]
                made[mine, places.stop - 1] = chosen(np.column_stack([1 - lean, lean]))
    return made


def chosen(scores: FloatArray) -> NDArray[np.intp]:
    """Return a category for each row of scores [N, K], category k as often as its mean score, floored at 0, says.

    Rare categories choose first, each the rows of highest score that are left.
    """
    wanted = np.maximum(scores.mean(axis=0), 0.0)
    counts = whole_parts(wanted if wanted.sum() > 0 else np.ones_like(wanted), len(scores))
    found = np.full(len(scores), int(counts.argmax()))
    left = np.arange(len(scores))
    for category in np.argsort(counts, kind="stable")[:-1]:
        order = np.argsort(-scores[left, category], kind="stable")
        found[left[order[: counts[category]]]] = category
        left = np.delete(left, order[: counts[category]])
    found[left] = np.argsort(counts, kind="stable")[-1]
    return found
