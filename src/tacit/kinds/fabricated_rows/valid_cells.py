"""Invented numbers rounded to cells that the schema allows: within bounds, one category a cell, at the right rate."""

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, FloatArray, IntArray
from tacit.data.schemas.columns import Categorical
from tacit.data.schemas.schema import Schema
from tacit.models.class_moments.features import class_sums
from tacit.numerics.public_random import PublicRandom, QuickRandom


def to_valid_cells(
    rows: FloatArray, codes: Codes, schema: Schema, rates: FloatArray, random: PublicRandom | QuickRandom
) -> FloatArray:
    """Return encoded rows in [0, 1] from invented ones [N, p]: numbers clipped, categories and flags one-hot.

    In each class a category takes as many rows as the ``rates`` [C, p] of its column say, those with its highest
    scores; taking each row's largest column would give all rows to the commonest category.
    """
    cells = np.clip(rows, 0.0, 1.0)
    classes = [(code, np.flatnonzero(codes == code)) for code in np.unique(codes)]
    for column in schema.features:
        places = schema.positions[column.name]
        block = slice(places.start, places.stop)
        if isinstance(column, Categorical):
            cells[:, block] = 0.0
        for code, members in classes:
            if isinstance(column, Categorical):
                counts = dealt_counts(rates[code, block], len(members), random)
                cells[members, places.start + assign_categories(rows[members, block], counts)] = 1.0
            elif column.flagged:
                flags, rate = rows[members, places.stop - 1], np.clip(rates[code, places.stop - 1], 0, 1)
                counts = dealt_counts(np.array([1 - rate, rate]), len(members), random)
                cells[members, places.stop - 1] = assign_categories(np.column_stack([1 - flags, flags]), counts)
    return cells


def class_rates(rows: FloatArray, codes: Codes, n_classes: int) -> FloatArray:
    """Return the mean row of each class [C, p], 0 for a class without rows."""
    sums, counts = class_sums(rows, codes, n_classes)
    means: FloatArray = sums / np.maximum(counts, 1.0)[:, None]
    return means


def dealt_counts(rates: FloatArray, count: int, random: PublicRandom | QuickRandom) -> IntArray:
    """Return whole numbers [K] that add up to ``count``, on average in proportion to ``rates``, each less than 1 away.

    Rates below 0 count as 0. Rounding by chance: a class of few rows in each of many blocks gets its categories at the
    right rate all the same.
    """
    floored = np.maximum(rates, 0.0)
    shares = floored / floored.sum() if floored.sum() > 0 else np.full(len(rates), 1 / len(rates))
    ends = np.floor(np.cumsum(shares)[:-1] * count + random.uniform())
    counts: IntArray = np.diff(np.concatenate([[0], np.minimum(ends, count), [count]])).astype(np.int64)
    return counts


def assign_categories(scores: FloatArray, counts: IntArray) -> NDArray[np.intp]:
    """Return a category for each row of scores [N, K], category k for ``counts`` [K] of them.

    Rare categories come first, each takes those of the remaining rows that have its highest scores.
    """
    order = np.argsort(counts, kind="stable")
    categories = np.full(len(scores), order[-1])
    remaining = np.arange(len(scores))
    for category in order[:-1]:
        count = int(counts[category])
        if count:
            best = np.argpartition(-scores[remaining, category], count - 1)
            categories[remaining[best[:count]]] = category
            remaining = remaining[best[count:]]
    return categories
