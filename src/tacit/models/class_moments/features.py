"""The public features whose class sums an owner releases; owner and receiver compute them alike."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Float32Array, Rows
from tacit.data.schema import Schema
from tacit.numerics.fourier import fourier_features, frequencies
from tacit.numerics.images import CELLS, ORIENTATIONS, grey, oriented_gradients, resample

# Random features of an image: more of them follow the kernel closer, and each costs as much noise as all others.
IMAGE_FEATURES = 2000


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
class TableFeatures:
    """The encoded columns, centred and scaled so that no row is longer than 1: (2x - 1)/sqrt(number of columns)."""

    n_columns: int

    @property
    def size(self) -> int:
        """Number of features."""
        return self.n_columns

    def __call__(self, X: Rows) -> Float32Array:
        """Return the features of encoded rows, all columns or some."""
        return ((2 * X - 1) / math.sqrt(self.n_columns)).astype(np.float32)


def features_of(schema: Schema) -> ImageFeatures | TableFeatures:
    """Return the features of tables with ``schema``: of its picture if all features are pixels, else of its columns."""
    if schema.image is not None and len(schema.image.columns) == len(schema.features):
        return ImageFeatures(schema.image.shape)
    return TableFeatures(len(schema.encoded_names))
