"""Class sums of public features in whole numbers, batch by batch."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import IntArray
from tacit.data.rows.encoded_columns import BLOCK, EncodedColumns
from tacit.data.rows.stream import RowStream, Totals
from tacit.data.schemas.schema import Schema
from tacit.models.bounded_rows import clip_rows
from tacit.models.class_moments.features import ImageFeatures, ScaledColumns, features_of
from tacit.numerics.exact_sums import LARGEST_ENTRY, quanta, unit_entry, whole_class_sums


def class_sums_in_quanta(rows: RowStream, schema: Schema) -> tuple[NDArray[Any], IntArray, float]:
    """Return class sums of the features [C, F] in whole quanta, class counts [C], and the quantum: one pass.

    No row's features are longer than 1 in quanta: of columns by the choice of the quantum, of pictures because they are
    shortened and then cut towards zero.
    """
    features, n_classes = features_of(schema), len(schema.classes)
    if isinstance(features, ImageFeatures):
        sums, counts = rows.sums(partial(_image_sums, features, n_classes))
        return sums, counts, 1.0 / LARGEST_ENTRY
    _, quantum = unit_entry(features.size)
    sums, counts = rows.sums(partial(_table_sums, features, n_classes))
    return sums, counts, quantum


def _table_sums(features: ScaledColumns, n_classes: int, rows: EncodedColumns) -> Totals:
    """Return class sums [C, p] of (2x - 1)/sqrt(p) in quanta, and class counts [C].

    Ones are counted, not added: a class of n rows with k ones in a column sums up to m (2k - n).
    """
    largest, _ = unit_entry(features.size)
    counts = np.bincount(rows.y, minlength=n_classes)
    sums = np.empty((n_classes, features.size), dtype=np.int64)
    for part in rows.parts:
        for position, values in part.numbers:
            sums[:, position] = whole_class_sums(quanta(values, largest), rows.y, n_classes) - largest * counts
        if part.ones is not None:
            width = part.width
            ones = np.bincount(rows.y * width + part.ones, minlength=n_classes * width).reshape(n_classes, width)
            sums[:, part.start : part.start + width] = largest * (2 * ones - counts[:, None])
    return sums, counts


def _image_sums(features: ImageFeatures, n_classes: int, rows: EncodedColumns) -> Totals:
    sums = np.zeros((n_classes, features.size), dtype=np.int64)
    for start, block in zip(range(0, len(rows), BLOCK), rows.blocks(), strict=True):
        codes = rows.y[start : start + BLOCK]
        phi = clip_rows(features(block)[: len(codes)].astype(np.float64), 1.0)
        membership = np.zeros((n_classes, len(codes)))
        membership[codes, np.arange(len(codes))] = 1.0
        # Whole numbers of at most 2^22: sums of 4096 of them are exact in doubles, in any order.
        sums += (membership @ np.trunc(phi * LARGEST_ENTRY)).astype(np.int64)
    return sums, np.bincount(rows.y, minlength=n_classes)
