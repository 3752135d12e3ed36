"""Public directions in which rows are described before they are invented: low waves of a picture, or columns."""

import math

import numpy as np

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.numerics.exact_products import ExactMatrix
from tacit.records import record

# Waves of a picture that are kept; more cost more noise, fewer blur.
MOST_WAVES = 100
# With more columns than this, noise on the products of all pairs drowns them: columns are then invented independently.
MOST_COLUMNS = 128
# Public lengths of pictures of p pixels in [0, 1], over sqrt(p): of a whole one, and of one less the mean of its class.
PICTURE_NORM, PICTURE_SPREAD = 0.36, 0.18
# Variances are at least this: for each pixel of a picture along a wave, or of a column.
LEAST_WAVE, LEAST_COLUMN = 1.3e-4, 1e-3
# So many rows are projected at once.
BLOCK = 4096


@record
class Directions:
    """Where coordinates come from: z = (x - centre) axes."""

    centre: FloatArray
    """[p]"""
    axes: FloatArray | None
    """[p, d] or None: orthonormal columns; None: every encoded column is a direction of its own."""
    row_norm: float
    spread_norm: float
    """Public lengths to which coordinates, and those less the mean of their class, are shortened."""
    least_variance: float
    shape: tuple[int, ...] = ()
    """Of the picture; empty for a table."""
    pixels: IntArray | None = None
    """[p]: encoded positions of the picture's pixels."""

    @property
    def size(self) -> int:
        """Number of directions d."""
        return len(self.centre) if self.axes is None else self.axes.shape[1]

    @property
    def correlated(self) -> bool:
        """Whether covariances are used, or variances alone."""
        return self.axes is not None or self.size <= MOST_COLUMNS

    def coordinates(self, X: Rows) -> FloatArray:
        """Return the coordinates [N, d] of encoded rows with cells in [0, 1], each the same in any company.

        Otherwise one row more would move the last digits of others, beyond the declared sensitivity.
        """
        if self.axes is None:
            columns: FloatArray = np.asarray(X, dtype=np.float64) - self.centre
            return columns
        axes, Z = ExactMatrix.of(self.axes, largest=1.0), np.empty((len(X), self.size))
        # What the grids of axes and rows leave over, multiplied by itself: together as precise as doubles are.
        left_of_axes = ExactMatrix.of(self.axes - axes.values, largest=1.0)
        for_left_of_rows = ExactMatrix.of(self.axes, largest=axes.quantum)
        for start in range(0, len(X), BLOCK):
            rows = X[start : start + BLOCK] - self.centre
            Z[start : start + BLOCK] = axes(rows) + left_of_axes(rows) + for_left_of_rows(rows - axes.cut(rows))
        return Z

    def rows(self, Z: FloatArray) -> FloatArray:
        """Return rows [N, p] with coordinates ``Z``, not yet within bounds."""
        rows: FloatArray = self.centre + (Z if self.axes is None else Z @ self.axes.T)
        return rows


def directions_of(schema: Schema) -> Directions:
    """Return the directions for tables with ``schema``: of its picture if all features are pixels, else its columns."""
    if schema.image is not None and len(schema.image.columns) == len(schema.features):
        return _of_pictures(schema.image.shape, schema.image_positions)
    norm = math.sqrt(sum(_squared_reach(column) for column in schema.features)) * (1 + 1e-12)
    return Directions(_column_centre(schema), None, norm, norm, LEAST_COLUMN)


def waves(shape: tuple[int, ...], most: int) -> FloatArray:
    """Return orthonormal columns [p, d]: cosines of lowest frequency of pictures of ``shape``, for each channel."""
    from scipy.fft import idctn  # noqa: PLC0415 - slow to load, and for pictures alone

    height, width, channels = (*shape, 1)[:3]
    squares = np.add.outer((np.arange(height) / height) ** 2, (np.arange(width) / width) ** 2).ravel()
    chosen = np.argsort(squares, kind="stable")[: max(1, most // channels)]
    spectra = np.zeros((len(chosen), height * width))
    spectra[np.arange(len(chosen)), chosen] = 1.0
    cosines = idctn(spectra.reshape(-1, height, width), axes=(1, 2), norm="ortho").reshape(len(chosen), -1)
    columns: FloatArray = np.kron(cosines, np.eye(channels)).T.astype(np.float64)
    return columns


def _of_pictures(shape: tuple[int, ...], pixels: IntArray) -> Directions:
    p = len(pixels)
    drawn = waves(shape, MOST_WAVES)
    axes = np.zeros_like(drawn)
    axes[pixels] = drawn
    root = math.sqrt(p)
    return Directions(
        np.zeros(p), axes, PICTURE_NORM * root, PICTURE_SPREAD * root, LEAST_WAVE * p, tuple(shape), pixels
    )


def _squared_reach(column: Numeric | Categorical) -> float:
    """Return how far, squared, an encoded cell can be from the centre of its columns."""
    width = len(column.encoded_names)
    return 1 - 1 / width if isinstance(column, Categorical) else 0.25 * width


def _column_centre(schema: Schema) -> FloatArray:
    parts = [
        np.full(len(column.encoded_names), 1 / len(column.encoded_names) if isinstance(column, Categorical) else 0.5)
        for column in schema.features
    ]
    return np.concatenate(parts)
