"""The public features whose class sums an owner releases, alike for owner and receiver, the sums and their noise."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Float32Array, FloatArray, IntArray, Rows
from tacit.data.rows.encoded_columns import BLOCK, EncodedColumns
from tacit.data.rows.stream import RowStream, Totals
from tacit.data.schemas.schema import Schema
from tacit.models.bounded_rows import clip_rows, row_quantum, whole_sum
from tacit.models.row_weights import QUANTUM as WEIGHT_QUANTUM
from tacit.numerics.exact_sums import LARGEST_ENTRY, IntegerSum, class_summation, quanta, unit_entry
from tacit.numerics.fourier import fourier_features, frequencies
from tacit.numerics.images import CELLS, ORIENTATIONS, grey, oriented_gradients, resample
from tacit.privacy.mechanisms import Gaussian

# Random features of an image: more of them follow the kernel closer, and each costs as much noise as all others.
IMAGE_FEATURES = 2000
ADJACENCY = "two tables are neighbours if one of them has one row more, with its label"


@dataclass(frozen=True)
class ImageFeatures:
    """Random Fourier features of oriented-gradient histograms; rows of unit length."""

    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of features."""
        return IMAGE_FEATURES

    def __call__(self, pixels: Rows, shape: tuple[int, ...] | None = None) -> Float32Array:
        """Return the features of rows of pixels, given as images of ``shape`` (default: as the owner's)."""
        source = shape or self.shape
        frame = resample(grey(pixels, source), (source[0], source[1]), (self.shape[0], self.shape[1]))
        gradients = oriented_gradients(frame, (self.shape[0], self.shape[1]))
        return fourier_features(gradients, frequencies(CELLS[0] * CELLS[1] * ORIENTATIONS, IMAGE_FEATURES))


@dataclass(frozen=True)
class ScaledColumns:
    """The encoded columns, centred and scaled so that no row is longer than 1: (2x - 1)/sqrt(number of columns)."""

    n_columns: int

    @property
    def size(self) -> int:
        """Number of features."""
        return self.n_columns

    def __call__(self, X: Rows) -> Float32Array:
        """Return the features of encoded rows, all columns or some."""
        return ((2 * X - 1) / math.sqrt(self.n_columns)).astype(np.float32)


def features_of(schema: Schema) -> ImageFeatures | ScaledColumns:
    """Return the features of tables with ``schema``: of its picture if all features are pixels, else of its columns."""
    if schema.image is not None and len(schema.image.columns) == len(schema.features):
        return ImageFeatures(schema.image.shape)
    return ScaledColumns(len(schema.encoded_names))


def class_sums(X: FloatArray, codes: NDArray[np.intp], n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum of rows [C, p] and the number of rows [C] of each class."""
    membership = np.zeros((n_classes, len(codes)))
    membership[codes, np.arange(len(codes))] = 1.0
    return membership @ X, membership.sum(axis=1)


def class_sums_query(
    X: FloatArray, codes: NDArray[np.intp], n_classes: int, weights: FloatArray | None, *, row_norm: float
) -> IntegerSum:
    """Return class sums of rows of length at most ``row_norm``, and class counts times `count_weight` [C, p + 1].

    Rows count by their ``weights`` in [0, 1]. A weighted row is no longer than the row, and is cut again.
    """
    rows = X if weights is None else clip_rows(X * weights[:, None], row_norm)
    shares = np.full(len(X), 1 / WEIGHT_QUANTUM) if weights is None else weights / WEIGHT_QUANTUM
    # Half of a row's quantum: what a weight of 2^-26 counts for is then whole.
    quantum = row_quantum(row_norm) / 2
    sums = np.stack([2 * whole_sum(rows[codes == code], row_norm) for code in range(n_classes)])
    counts = np.stack([shares[codes == code].astype(np.int64).sum() for code in range(n_classes)])
    return IntegerSum(np.column_stack([sums, counts * int(count_weight(row_norm) * WEIGHT_QUANTUM / quantum)]), quantum)


def count_weight(row_norm: float) -> float:
    """Return what one count weighs beside sums of rows of ``row_norm``: a power of two, so that products are exact.

    Counts are large beside their noise and get the smaller part of the joint sensitivity, a half or a quarter.
    """
    return 2.0 ** math.floor(math.log2(row_norm / 2))


def sums_mechanism(epsilon: float, delta: float, *, row_norm: float, n_features: int) -> Gaussian:
    """Return Gaussian noise for the sums and the weighted counts, stacked into one query.

    Adding one row of norm at most r moves one class sum by at most r and one count by 1, so the stacked query moves by
    at most sqrt(r² + w²), w the count weight, in n_features + 1 coordinates.
    """
    sensitivity = math.nextafter(math.hypot(row_norm, count_weight(row_norm)), math.inf)
    return Gaussian.for_budget(epsilon, delta, sensitivity=sensitivity, coordinates=n_features + 1)


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
    summed = class_summation(rows.y, n_classes)
    for part in rows.parts:
        for position, values in part.numbers:
            sums[:, position] = summed(quanta(values, largest)) - largest * counts
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
