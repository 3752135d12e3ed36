"""Small dense factorisations, in doubles whatever the data: Cholesky by rank, principal directions."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack

from tacit.arrays import FloatArray
from tacit.numerics.kernels import Floats


def pivoted_cholesky(K: Floats, *, tolerance: float) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return L [r, r] and the rows ``kept`` [r] with L Lᵀ = K[kept][:, kept], for K positive semi-definite [M, M].

    A row whose variance given the rows kept before it is at most ``tolerance`` is left out: what it spans, they span.
    """
    factor, pivots, rank, _ = lapack.dpstrf(np.asarray(K, dtype=np.float64), lower=1, tol=tolerance)
    return np.tril(factor[:rank, :rank]), pivots[:rank].astype(np.intp) - 1


def inverse_transposed(L: Floats) -> FloatArray:
    """Return L⁻ᵀ of a lower triangular L [M, M]."""
    inverse, _ = lapack.dtrtri(np.asarray(L, dtype=np.float64), lower=1)
    return np.asarray(inverse.T)


def principal_directions(Y: Floats, n_directions: int) -> Floats:
    """Return orthonormal rows P [n, p]: eigenvectors of the sample covariance of Y [N, p], largest variance first.

    n is at most ``n_directions`` and the rank of the centred rows, and at least 1. [membership] Alg. 2, line 3.
    """
    # A column that does not vary is in no direction; images have many.
    varying = (Y[0] != Y).any(axis=0)
    if not varying.any():
        return np.eye(1, Y.shape[1], dtype=Y.dtype)
    C = Y[:, varying].astype(np.float64)
    C -= C.mean(axis=0)
    V = _leading_right_vectors(C, min(n_directions, *C.shape))
    P = np.zeros((len(V), Y.shape[1]))
    P[:, varying] = V
    return P.astype(Y.dtype)


def _leading_right_vectors(C: FloatArray, most: int) -> FloatArray:
    """Return at most ``most`` leading right singular vectors of C [N, q] as rows, none along rounding errors."""
    wide = C.shape[0] < C.shape[1]
    G = C @ C.T if wide else C.T @ C
    values, vectors = eigh(G, subset_by_index=(len(G) - most, len(G) - 1), check_finite=False)
    rank = int((values > max(C.shape) * np.finfo(np.float64).eps * values[-1]).sum())
    V = vectors[:, ::-1][:, :rank].T
    if wide:
        V = V @ C
        V /= np.linalg.norm(V, axis=1, keepdims=True)
    return _with_fixed_signs(V)


def _with_fixed_signs(P: FloatArray) -> FloatArray:
    """Return the rows of P with their largest entry positive, so that a direction is one vector and not two."""
    peaks = P[np.arange(len(P)), np.abs(P).argmax(axis=1)]
    signs: FloatArray = np.sign(peaks)
    return P * signs[:, None]
