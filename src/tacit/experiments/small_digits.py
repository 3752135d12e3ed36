"""Digits of 7 x 7 pixels and the public facts that the tables of the private autoencoder use."""

import numpy as np

from tacit.arrays import Float32Array, FloatArray

DELTA = 1e-5
# A public number below the length of nearly every picture: almost all rows get the same length.
ROW_NORM = 1.0


def averaged_pixels(images: Float32Array) -> FloatArray:
    """Return pictures [N, 784] of 28 x 28 pixels as means [N, 49] of 4 x 4 pixels."""
    cells = images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4), dtype=np.float64)
    return np.asarray(cells.reshape(len(images), -1))
