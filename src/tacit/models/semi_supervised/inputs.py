"""Rows as a network reads them: pictures in [0, 1] as [channels, height, width], columns of a table standardised."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import Float32Array, FloatArray, IntArray
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.schema_rows import require_encoded_columns
from tacit.records import record


@record
class PictureLayout:
    """Flat rows that are pictures, row by row with channels last, of values between ``low`` and ``high``."""

    shape: tuple[int, ...]  # [height, width, channels]
    low: float
    high: float

    @classmethod
    def of(cls, rows: Float32Array, shape: tuple[int, ...]) -> "PictureLayout":
        """Return how to read pictures like ``rows`` [N, height · width · channels]."""
        return cls(shape, float(rows.min()), float(rows.max()))

    @property
    def network_shape(self) -> tuple[int, ...]:
        """Channels, height, width."""
        return (self.shape[2], *self.shape[:2])

    def read(self, rows: Float32Array) -> Float32Array:
        """Return pictures [N, channels, height, width] in [0, 1]; what lies outside ``low`` and ``high`` is cut."""
        width = self.high - self.low if self.high > self.low else 1.0
        scaled = np.clip((rows - self.low) / width, 0.0, 1.0)
        return np.ascontiguousarray(scaled.reshape(-1, *self.shape).transpose(0, 3, 1, 2), dtype=np.float32)


@record
class ColumnLayout:
    """Rows of a table: ``centre`` and ``scale`` [p] standardise them, and what augmentation must keep.

    ``features`` [p] says to which feature a column belongs, ``spread`` [p] is 1 for numbers and 0 for flags, ``low``
    and ``high`` [p] are the bounds after standardising.
    """

    centre: Float32Array
    scale: Float32Array
    features: IntArray
    spread: Float32Array
    low: Float32Array
    high: Float32Array

    @classmethod
    def of(cls, rows: Float32Array, schema: Schema | None) -> "ColumnLayout":
        """Return how to read rows like ``rows`` [N, p]: encoded in [0, 1] by ``schema``, or numbers of any kind."""
        centre, scale = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
        # A category that few rows have would be blown up by its own small spread: flags stay 1 apart.
        flags = ((rows == 0) | (rows == 1)).all(axis=0)
        scale = np.where(~flags & (scale > 1e-12 * np.maximum(1.0, np.abs(centre))), scale, 1.0)
        n_columns = rows.shape[1]
        features, spread = np.arange(n_columns), np.ones(n_columns)
        low, high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
        if schema is not None:
            features, spread = _places(schema)
            low, high = np.minimum(low, 0.0), np.maximum(high, 1.0)
        bounds = ((low - centre) / scale, (high - centre) / scale)
        arrays = [array.astype(np.float32) for array in (centre, scale, spread, *bounds)]
        return cls(arrays[0], arrays[1], features, *arrays[2:])

    @property
    def network_shape(self) -> tuple[int, ...]:
        """The number of columns."""
        return (len(self.centre),)

    def read(self, rows: Float32Array) -> Float32Array:
        """Return standardised rows [N, p]."""
        standard: Float32Array = ((rows - self.centre) / self.scale).astype(np.float32)
        return standard


InputLayout = PictureLayout | ColumnLayout


def lay_out(rows: Float32Array, *, image_shape: Any, schema: Schema | None) -> InputLayout:
    """Return how to read the rows: as pictures if a shape is given or the schema is one picture, else as a table."""
    if schema is not None:
        require_encoded_columns(schema, rows.shape[1])
    shape = checked_image_shape(image_shape, rows.shape[1])
    if shape is None and schema is not None and schema.image is not None:
        in_order = np.array_equal(schema.image_positions, np.arange(rows.shape[1]))
        shape = checked_image_shape(schema.image.shape, rows.shape[1]) if in_order else None
    return ColumnLayout.of(rows, schema) if shape is None else PictureLayout.of(rows, shape)


def checked_image_shape(image_shape: Any, n_columns: int) -> tuple[int, ...] | None:
    """Return (height, width, channels) of pictures with ``n_columns`` values; None if none is given."""
    if image_shape is None:
        return None
    sizes = tuple(image_shape) if isinstance(image_shape, tuple | list) else ()
    if len(sizes) not in {2, 3}:
        raise InputError(f"image_shape must be (height, width) or (height, width, channels); got {image_shape!r}.")
    sides = tuple(checks.whole("image_shape", size) for size in sizes)
    if math.prod(sides) != n_columns:
        raise InputError(
            f"image_shape must have as many values as X has columns, {n_columns}; "
            f"{image_shape!r} has {math.prod(sides)}."
        )
    return sides if len(sides) == 3 else (*sides, 1)


def flat_rows(X: ArrayLike) -> tuple[Any, tuple[int, ...] | None]:
    """Return pictures [N, h, w] or [N, c, h, w] as flat rows, channels last, and their shape; tables as they are."""
    n_axes = getattr(X, "ndim", 2)
    if n_axes not in {3, 4}:
        return X, None
    pictures = np.asarray(X)
    pictures = pictures[..., None] if n_axes == 3 else pictures.transpose(0, 2, 3, 1)
    return pictures.reshape(len(pictures), -1), pictures.shape[1:]


def _places(schema: Schema) -> tuple[IntArray, FloatArray]:
    """Return to which feature each encoded column belongs, and 1 for numbers, 0 for flags and categories."""
    features, spread = [], []
    for place, column in enumerate(schema.features):
        width = len(column.encoded_names)
        features += [place] * width
        spread += [1.0 if isinstance(column, Numeric) and at == 0 else 0.0 for at in range(width)]
    return np.array(features, dtype=np.int64), np.array(spread)
