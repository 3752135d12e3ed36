"""Leading principal directions of a wide table by subspace iteration, where a whole factorisation would cost more."""

import numpy as np

from tacit.numerics.kernels import Floats
from tacit.numerics.linalg import principal_directions

# Fewer columns or rows than this for each direction: the exact way is as quick.
LEAST_GAIN = 3
EXTRA_DIRECTIONS = 10
STEPS = 2
"""Already the leading fifth of the directions is exact to less than a degree."""


def leading_directions(C: Floats, n_directions: int) -> Floats:
    """Return orthonormal rows V [r, p]: the principal directions of the centred rows C [N, p], largest variance first.

    r is at most ``n_directions`` and the rank, and at least 1. Of a table much larger than that the directions come
    from a few steps of subspace iteration that start from rows of C, which are in random order: V ← orth(V Cᵀ C), then
    the principal directions within the subspace. The leading ones are exact to a small angle, and along all of them
    the rows are uncorrelated.
    """
    varying = np.flatnonzero((C != 0).any(axis=0))
    if min(len(C), len(varying)) < LEAST_GAIN * n_directions:
        return principal_directions(C, n_directions)
    A = np.ascontiguousarray(C[:, varying])
    Q = A[: n_directions + EXTRA_DIRECTIONS].T
    for _ in range(STEPS):
        Q, _ = np.linalg.qr(A.T @ (A @ Q))
    Z = A @ Q
    values, vectors = np.linalg.eigh((Z.T @ Z).astype(np.float64))
    if values[-n_directions] <= len(A) * np.finfo(C.dtype).eps * values[-1]:
        return principal_directions(C, n_directions)  # among equal rows the start may have missed a direction
    V = np.zeros((n_directions, C.shape[1]), dtype=C.dtype)
    V[:, varying] = (Q @ vectors[:, ::-1][:, :n_directions].astype(C.dtype)).T
    return V
