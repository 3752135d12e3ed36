"""Cluster centres by a few steps of Lloyd's algorithm from randomly chosen rows."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats

MAX_STEPS = 10
"""Further steps move the centres without improving what is learned from them."""


def nearest_centres(X: Floats, centres: Floats, count: int = 1) -> NDArray[np.intp]:
    """Return [N, count]: for each row of X [N, n] the nearest of ``centres`` [M, n], in no order among themselves.

    With ``count`` = 1 a tie goes to the first centre.
    """
    # ‖x - c‖² = ‖x‖² - 2 (x·c - ‖c‖²/2): the nearest centre has the largest bracket. The origin moves to the middle
    # of the centres, since far from the origin the two terms would cancel.
    origin = centres.mean(axis=0)
    C = centres - origin
    half_norms = 0.5 * np.einsum("mk,mk->m", C, C)
    nearest = np.empty((len(X), count), dtype=np.intp)
    for rows in row_blocks(len(X), len(C) + X.shape[1]):
        closeness = (X[rows] - origin) @ C.T  # [block, M]
        closeness -= half_norms
        if count == 1:
            nearest[rows, 0] = closeness.argmax(axis=1)
        else:
            nearest[rows] = np.argpartition(closeness, -count, axis=1)[:, -count:]
    return nearest


def cluster_centres(X: Floats, n_clusters: int, *, order: NDArray[np.intp], max_steps: int = MAX_STEPS) -> Floats:
    """Return at most ``n_clusters`` centres of the rows of X [N, n], by Lloyd's algorithm from the first of ``order``.

    ``order`` is a random permutation of the rows. A cluster that ends up empty, as one of two equal starting rows does,
    is dropped. [membership] eq. 51, with a random start in place of a seeding that would cost more than all else.
    """
    centres = X[order[:n_clusters]]
    labels = np.full(len(X), -1, dtype=np.intp)
    for _ in range(max_steps):
        moved = nearest_centres(X, centres)[:, 0]
        if np.array_equal(moved, labels):
            break
        centres, labels = _means(X, moved, len(centres)), moved
    return centres


def _means(X: Floats, labels: NDArray[np.intp], n_clusters: int) -> Floats:
    """Return the mean row of each cluster that has one."""
    n_rows = len(X)
    shares = csc_array((np.ones(n_rows, X.dtype), labels, np.arange(n_rows + 1)), shape=(n_clusters, n_rows))
    counts = np.bincount(labels, minlength=n_clusters)
    filled = counts > 0
    means: Floats = (shares @ X)[filled] / counts[filled, None].astype(X.dtype)
    return means
