"""The attack on released rows: rows of the table lie nearer to them than other rows."""

import numpy as np

from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.numerics.blocks import row_blocks


def nearest_distances(X: FloatArray, released: FloatArray) -> FloatArray:
    """Return the Euclidean distance [N] of each row of X [N, p] to the nearest of the ``released`` rows [m, p]."""
    if X.ndim != 2 or released.ndim != 2 or X.shape[1] != released.shape[1] or not len(released):
        raise InputError(
            f"released must be rows with as many columns as X, one at least; got shapes {released.shape} and {X.shape}."
        )
    origin = released.mean(axis=0)  # near the rows the squares below lose the fewest digits
    R = released - origin
    norms = np.einsum("mk,mk->m", R, R)
    nearest = np.empty(len(X), dtype=np.intp)
    for rows in row_blocks(len(X), len(R) + X.shape[1]):
        nearest[rows] = (norms - 2 * (X[rows] - origin) @ R.T).argmin(axis=1)
    # The distance itself is taken from the difference: a copied row has distance 0, not the rounding of squares.
    distances: FloatArray = np.linalg.norm(X - released[nearest], axis=1)
    return distances


def own_class_distances(X: FloatArray, y: IntArray, released: FloatArray, labels: IntArray) -> FloatArray:
    """Return the distance of each row to the nearest released row of its own class.

    A row of a class of which nothing was released is as far away as the furthest other row.
    """
    distances = np.full(len(X), np.nan)
    for code in np.unique(y):
        if (labels == code).any():
            distances[y == code] = nearest_distances(X[y == code], released[labels == code])
    finite = np.isfinite(distances)
    return np.where(finite, distances, distances[finite].max() if finite.any() else 0.0)
