"""The kernel affine hull machine of one set of points, in closed form and as pure functions."""

from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack

from tacit.numerics.kernels import LOWEST_EXPONENT, Floats
from tacit.records import record

MAX_UPDATES = 50
# With less smoothing a kernel matrix has no reliable factor in single precision; then doubles are used.
LEAST_SINGLE_SMOOTHING = 1e-2
FARTHEST = 1e3
"""How many times farther from the mean than every training row an image may be.

The image is mean + sum_i h_i (y_i - mean) / sum_i h_i, so it can only be farther where |sum h| < 1e-3 sum |h|.
"""


@record
class Hull:
    """A learned machine: a row with kernel k has the image mean + a / s with [a, s] = k · coefficients."""

    encodings: Floats
    """u [N, n]: whitened encodings of the training rows over sqrt(n), so that the kernel is exp(-‖u - u'‖²/2)"""
    coefficients: Floats
    """(K + lambda I)⁻¹ [Y - mean, 1] [N, r + 1]; s is the sum of the memberships h"""
    radius: float
    """the largest ‖y_i - mean‖"""
    smoothing: float
    """lambda*"""


def nearest_kernel(U: Floats, encodings: Floats) -> Floats:
    """Return K [M, N] with K_ij = exp((min_l ‖u_i - v_l‖² - ‖u_i - v_j‖²) / 2), v the ``encodings``.

    That is the Gaussian kernel of [hull] eq. 35 over its largest value in the row: a ratio of two sums over the row is
    the same, and stays a number however far the row is from every point. For a training row it is the kernel itself.
    """
    limit = np.finfo(U.dtype).max ** 0.25
    half_norms = 0.5 * np.einsum("jk,jk->j", encodings, encodings)
    # One more column, so that the product itself takes them off.
    left = np.column_stack([np.clip(U, -limit, limit), np.full(len(U), -1, U.dtype)])
    K: Floats = left @ np.column_stack([encodings, half_norms]).T
    K -= K.max(axis=1, keepdims=True)
    np.maximum(K, LOWEST_EXPONENT, out=K)
    np.exp(K, out=K)
    return K


def regularised_solution(K: Floats, smoothing: float, targets: Floats) -> Floats:
    """Return (K + lambda I)⁻¹ targets, for K positive semi-definite [N, N] and lambda above 0."""
    A = np.array(K, order="F")
    A[np.diag_indices(len(A))] += smoothing
    single = A.dtype == np.float32
    L, _ = (lapack.spotrf if single else lapack.dpotrf)(A, lower=1, overwrite_a=1, clean=0)
    solution: Floats = (lapack.spotrs if single else lapack.dpotrs)(L, targets, lower=1)[0]
    return solution


def fixed_point_smoothing(error: Callable[[float], float], offset: float, *, tolerance: float) -> float:
    """Return lambda* = e + offset with e = error(lambda*), to ``tolerance`` · offset. [hull] eq. 40-44.

    The error lies between 0 and offset / 2 and its slope between 0 and 1 ([hull] eq. 22-23): secant steps find the
    fixed point of the plain iteration e ← error(e + offset) in fewer evaluations. The last one is at lambda*.
    """
    guess, slope = 0.02 * offset, -0.95
    gap = error(offset + guess) - guess
    for _ in range(MAX_UPDATES):
        step = min(max(guess - gap / slope, 0.0), 0.5 * offset) - guess
        if abs(step) <= tolerance * offset:
            break
        guess, gap_before = guess + step, gap
        gap = error(offset + guess) - guess
        slope = min(max((gap - gap_before) / step, -1.0), -0.01)
    return offset + guess


def learn_hull(encodings: Floats, Z: Floats, *, centre: Floats, level: float, n_features: int) -> Hull:
    """Return the machine of N rows of ``n_features`` columns. [hull] Def. 1.

    Z [N, r] holds the rows less their mean, in orthonormal coordinates; ``centre`` [r] is the mean in the same
    coordinates and ``level`` its squared length in all. Since Y - K (K + lambda I)⁻¹ Y = lambda (K + lambda I)⁻¹ Y, the
    factor at the last lambda gives the coefficients too; what belongs to Y is what belongs to Z plus w meanᵀ.
    """
    size = len(Z) * n_features
    offset = 2 * (_square(Z) + len(Z) * level) / size
    dtype = Z.dtype if offset >= LEAST_SINGLE_SMOOTHING else np.dtype(np.float64)
    least = 10 * len(Z) * float(np.finfo(dtype).eps)
    U = encodings.astype(dtype, copy=False)
    K = nearest_kernel(U, U)
    targets = np.column_stack([Z, np.ones(len(Z))]).astype(dtype)
    solution = targets

    def error(smoothing: float) -> float:
        nonlocal solution
        solution = regularised_solution(K, max(smoothing, least), targets)
        B, w = solution[:, :-1], solution[:, -1]
        squares = _square(B) + 2 * float((w @ B) @ centre) + level * _square(w)
        return smoothing**2 * squares / size

    smoothing = fixed_point_smoothing(error, offset, tolerance=1e-4 if dtype == np.float32 else 1e-10)
    radius = float(np.sqrt(np.einsum("ij,ij->i", Z, Z).max()))
    return Hull(encodings, np.ascontiguousarray(solution, dtype=Z.dtype), radius, max(smoothing, least))


def kernel_averages(hull: Hull, K: Floats) -> Floats:
    """Return sum_j k_j z_j / sum_j k_j [M, r]: a mean of training rows, which is never far from them.

    The rows are what the coefficients were solved from: Z = (K + lambda I) B.
    """
    B = hull.coefficients[:, :-1]
    Z = nearest_kernel(hull.encodings, hull.encodings) @ B + hull.smoothing * B
    averages: Floats = (K @ Z) / K.sum(axis=1, keepdims=True)
    return averages


def evaluate(hull: Hull, U: Floats) -> Floats:
    """Return the images, less the mean, [M, r] of rows with encodings U [M, n]. [hull] eq. 33.

    The sum of h can cross zero, where the quotient explodes: [hull] Theorem 2 is false as printed. Where the image
    would be more than 1000 times as far from the mean as every training row, it is the average of the training rows by
    the kernel instead.
    """
    K = nearest_kernel(U, hull.encodings)
    sums = K @ hull.coefficients
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        images = sums[:, :-1] / sums[:, -1:]
        usable = np.einsum("ij,ij->i", images, images) <= (FARTHEST * hull.radius) ** 2
    if not usable.all():
        images[~usable] = kernel_averages(hull, K[~usable])
    return images


def _square(A: Floats) -> float:
    """Return the sum of squares."""
    return float(np.vdot(A, A))
