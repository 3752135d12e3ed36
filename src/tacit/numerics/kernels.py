"""The Gaussian kernel of membership-mappings and the scales of its features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""An array of float32 or float64; functions keep the kind that they are given."""

# e⁻⁶⁰ adds nothing to any sum of float64; denormal numbers, which come further down in float32, would slow matrix
# products a hundredfold.
LOWEST_EXPONENT = -60.0


def feature_scales(X: Floats) -> Floats:
    """Return sqrt(w) [n]: 1 / (max x_k - min x_k), and 0 for a constant feature. [membership] eq. 53."""
    low, high = X.min(axis=0), X.max(axis=0)
    spread = high - low
    # A spread of the size of rounding errors counts as none.
    rounding = 4 * np.finfo(X.dtype).eps * np.maximum(np.abs(low), np.abs(high))
    varies = spread > np.maximum(rounding, np.finfo(X.dtype).tiny)
    scales: Floats = np.divide(1, spread, out=np.zeros_like(spread), where=varies)
    return scales


def gaussian_kernel(X: Floats, landmarks: Floats, scales: Floats) -> Floats:
    """Return K [N, M] with K_im = exp(-0.5 sum_k w_k (x_ik - a_mk)²), w = scales². [membership] eq. 17, sigma² = 1."""
    # Distances do not change with the origin; near the landmarks the squares below lose the fewest digits.
    origin = landmarks.mean(axis=0)
    U, V = _scaled_offsets(X, origin, scales), _scaled_offsets(landmarks, origin, scales)
    K = U @ V.T
    K -= 0.5 * np.einsum("ik,ik->i", U, U)[:, None]
    K -= 0.5 * np.einsum("mk,mk->m", V, V)
    np.clip(K, LOWEST_EXPONENT, 0, out=K)
    np.exp(K, out=K)
    return K


def _scaled_offsets(X: Floats, origin: Floats, scales: Floats) -> Floats:
    """Return (X - origin) · scales, clipped where squares would overflow: the kernel is 0 long before."""
    limit = np.finfo(X.dtype).max ** 0.25
    with np.errstate(over="ignore"):
        U: Floats = (X - origin) * scales
    np.clip(U, -limit, limit, out=U)
    return U
