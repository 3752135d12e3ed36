"""Variational learning of membership-mappings in closed form: Algorithm 1 as pure functions."""

import math
from collections.abc import Callable, Iterator
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray
from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats, feature_scales, gaussian_kernel
from tacit.numerics.landmarks import cluster_centres
from tacit.numerics.linalg import inverse_transposed, pivoted_cholesky
from tacit.records import record

DEGREES_OF_FREEDOM = 2.1
"""nu of the Student-t membership function. [membership] eq. 52."""
MIN_SMOOTHING = 0.1
"""kappa, the least smoothing that a number of landmarks may leave. [membership] Alg. 1, line 2."""
MOST_LANDMARKS = 1000
"""More landmarks than this are tried only on request. [membership] eq. 86."""
MAX_UPDATES = 100


@record
class MappingSolution:
    """A learned membership-mapping from n to p features: what Algorithm 1 returns."""

    landmarks: Floats
    """a [M, n]"""
    scales: Floats
    """sqrt(w) [n]"""
    coefficients: Floats
    """sigma² alpha [M, p]: the outputs are ``gaussian_kernel(X, landmarks, scales) @ coefficients``"""
    smoothing: float
    """tau(M, 1)"""
    variance: float
    """sigma², infinite where the smoothing is 0 and the outputs vary"""
    noise: float
    """1 / beta, the mean squared error on the training rows"""


@record
class LandmarkBasis:
    """Landmarks and the matrix that makes their kernel columns orthonormal under the prior."""

    landmarks: Floats
    scales: Floats
    whitener: FloatArray
    """L⁻ᵀ with L Lᵀ = K_aa [M, M]; inverted once, since products are several times faster than solving"""

    def blocks(self, X: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of rows with their part of A = K_xa L⁻ᵀ [N, M]."""
        W = self.whitener.astype(X.dtype)
        for rows in row_blocks(len(X), len(self.landmarks) + X.shape[1]):
            yield rows, gaussian_kernel(X[rows], self.landmarks, self.scales) @ W


@record
class Spectrum:
    """Training outputs along the eigenvectors of AᵀA = Q Λ Qᵀ, null directions left out."""

    values: FloatArray
    """λ [r], above 0"""
    vectors: FloatArray
    """Q [M, r]"""
    projections: FloatArray
    """B = Qᵀ Aᵀ Y [r, p]"""
    explained: FloatArray
    """‖B_m‖² / λ_m [r]: what each eigenvector can explain"""
    residual: float
    """‖Y - A Q Λ⁻¹ B‖²: what no coefficients can explain"""
    size: int
    """N p"""


def landmark_limit(max_landmarks: float | None, n_rows: int) -> int:
    """Return the largest number of landmarks to try for ``n_rows`` rows.

    A whole number is meant as it stands, a fraction as a share of the rows, None as [membership] eq. 86:
    min(⌈N/2⌉, 1000). Never more than there are rows.
    """
    if max_landmarks is None:
        return min(math.ceil(n_rows / 2), MOST_LANDMARKS)
    if isinstance(max_landmarks, Integral):
        return min(checks.whole("max_landmarks", max_landmarks), n_rows)
    return math.ceil(checks.fraction("max_landmarks", max_landmarks, one=True) * n_rows)


def landmark_counts(most: int) -> list[int]:
    """Return the numbers of landmarks to try, from ``most`` down to 1: each min(⌈9M/10⌉, M - 1) of the one before.

    [membership] Alg. 1, line 5; as printed, ⌈0.9 M⌉ = M for M ≤ 9 and the loop would never end.
    """
    counts = [most]
    while counts[-1] > 1:
        counts.append(min(math.ceil(9 * counts[-1] / 10), counts[-1] - 1))
    return counts


def make_basis(landmarks: Floats, scales: Floats) -> LandmarkBasis:
    """Return the basis of the landmarks, without those that rounding cannot tell from a mixture of the others."""
    doubles = landmarks.astype(np.float64)
    K_aa = gaussian_kernel(doubles, doubles, scales.astype(np.float64))
    L, kept = pivoted_cholesky(K_aa, tolerance=len(landmarks) * float(np.finfo(landmarks.dtype).eps))
    return LandmarkBasis(landmarks[kept], scales, inverse_transposed(L))


def smoothing(basis: LandmarkBasis, X: Floats) -> float:
    """Return tau(M, 1) = (Tr K_xx - Tr K_aa⁻¹ K_xaᵀ K_xa) / (nu + M - 2). [membership] eq. 54.

    Row i adds 1 - ‖A_i‖², its variance given the landmarks, which is never below 0.
    """
    left_over = 0.0
    for _, A in basis.blocks(X):
        left_over += float(np.maximum(0, 1 - np.einsum("im,im->i", A, A)).sum(dtype=np.float64))
    return left_over / (DEGREES_OF_FREEDOM + len(basis.landmarks) - 2)


def first_passing(passes: Callable[[int], bool], last: int, *, guess: int) -> int:
    """Return a place in 0..last that passes while the one before it does not; ``last`` counts as passing.

    Doubling steps from the guess until the place is bracketed, then halving: a good guess costs two or three questions.
    """
    failed, passed = -1, last
    place, step = min(guess, last - 1), 1
    while passed - failed > 1:
        if passes(place):
            passed, place = place, place - step
        else:
            failed, place = place, place + step
        step *= 2
        if not failed < place < passed:
            place = (failed + passed) // 2
    return passed


def smoothing_of_rows(X: Floats, scales: Floats, rows: NDArray[np.intp]) -> FloatArray:
    """Return tau(M, 1) [len(rows)] for M = 1, 2, ... if the first M of ``rows`` themselves were the landmarks.

    The factor of the first M rows is the leading block of the factor of all, so one factorisation answers for every M.
    """
    landmarks = X[rows]
    doubles = landmarks.astype(np.float64)
    K_aa = gaussian_kernel(doubles, doubles, scales.astype(np.float64))
    K_aa[np.diag_indices(len(rows))] += 1e-5  # equal rows would have no factor
    basis = LandmarkBasis(landmarks, scales, inverse_transposed(np.linalg.cholesky(K_aa)))
    explained = np.zeros(len(rows))
    for _, A in basis.blocks(X):
        explained += np.einsum("im,im->m", A, A)
    counts = np.arange(1, len(rows) + 1)
    taus: FloatArray = (len(X) - np.cumsum(explained)) / (DEGREES_OF_FREEDOM + counts - 2)
    return taus


def choose_basis(
    X: Floats, *, max_landmarks: int, order: NDArray[np.intp], min_smoothing: float = MIN_SMOOTHING
) -> tuple[LandmarkBasis, float]:
    """Return the basis of the most landmarks that leave tau ≥ kappa, and its tau. [membership] Alg. 1, lines 3-8.

    tau falls as M grows, so the numbers are not tried one by one from the top: the number returned leaves
    enough and the next larger one does not. A single landmark is accepted whatever its tau.
    """
    scales = feature_scales(X)
    counts = landmark_counts(max_landmarks)
    attempts: dict[int, tuple[LandmarkBasis, float]] = {}

    def attempt(place: int) -> tuple[LandmarkBasis, float]:
        if place not in attempts:
            basis = make_basis(cluster_centres(X, counts[place], order=order), scales)
            attempts[place] = basis, smoothing(basis, X)
        return attempts[place]

    # Random rows leave almost the same tau as cluster centres, and cost no clustering.
    enough = smoothing_of_rows(X, scales, order[: counts[0]]) >= min_smoothing
    guess = next((place for place, count in enumerate(counts) if enough[count - 1]), len(counts) - 1)
    return attempt(first_passing(lambda place: attempt(place)[1] >= min_smoothing, len(counts) - 1, guess=guess))


def output_spectrum(basis: LandmarkBasis, X: Floats, Y: Floats) -> Spectrum:
    """Return the outputs Y [N, p] along the eigenvectors of AᵀA, in two passes over the rows."""
    n_landmarks = len(basis.landmarks)
    gram, moments = np.zeros((n_landmarks, n_landmarks)), np.zeros((n_landmarks, Y.shape[1]))
    for rows, A in basis.blocks(X):
        gram += A.T @ A
        moments += A.T @ Y[rows]
    values, vectors = np.linalg.eigh(gram)  # unlike scipy, lets other threads work
    # Below this an eigenvalue of A is rounding, and what lies along it as well.
    real = values > n_landmarks * np.finfo(X.dtype).eps * values[-1]
    values, vectors = values[real], vectors[:, real]
    projections = vectors.T @ moments
    best = (vectors @ (projections / values[:, None])).astype(X.dtype)
    residual = 0.0
    for rows, A in basis.blocks(X):
        R = Y[rows] - A @ best
        residual += float(np.vdot(R, R))
    explained = np.einsum("mj,mj->m", projections, projections) / values
    return Spectrum(values, vectors, projections, explained, residual, Y.size)


def mean_variance(Y: Floats) -> float:
    """Return the sample variance of a column of Y [N, p], averaged over the columns; 0 for a single row."""
    return float(Y.var(axis=0, ddof=1, dtype=np.float64).mean()) if len(Y) > 1 else 0.0


def kernel_variance(tau: float, variance: float) -> float:
    """Return sigma²: 1 if the smoothing tau reaches the outputs' variance, else what lifts it there.

    [membership] Alg. 1, lines 9-13; tau = 0 under varying outputs is the limit of no smoothing, sigma² = infinity.
    """
    if tau >= variance:
        return 1.0
    return variance / tau if tau > 0 else math.inf


def updated_noise(noise: float, spectrum: Spectrum, *, tau: float, variance: float) -> float:
    """Return the mean squared error of the mapping learned with ``noise`` = 1/beta. [membership] eq. 58, in O(M).

    Along eigenvector m the mapping keeps λ/(λ+c) of the data, c = tau + 1/(beta sigma²), so the squared error is the
    residual plus sum_m (c/(λ_m+c))² ‖B_m‖²/λ_m: a sum of squares, which no cancellation can spoil.
    """
    c = tau + noise / variance
    missed = (c / (spectrum.values + c)) ** 2
    return (spectrum.residual + float(missed @ spectrum.explained)) / spectrum.size


def fixed_point_noise(spectrum: Spectrum, *, tau: float, variance: float) -> float:
    """Return the fixed point of ``updated_noise`` reached from beta = 1. [membership] Alg. 1, lines 15-19."""
    noise = 1.0
    for _ in range(MAX_UPDATES):
        before, noise = noise, updated_noise(noise, spectrum, tau=tau, variance=variance)
        if abs(noise - before) <= 1e-13 * noise:
            break
    return noise


def learn_on_basis(basis: LandmarkBasis, tau: float, X: Floats, Y: Floats) -> MappingSolution:
    """Return the mapping of rows X [N, n] to Y [N, p] on the basis. [membership] Alg. 1, lines 9-21.

    sigma² alpha = L⁻ᵀ Q (B / (λ + c)), which is eq. 49 times sigma².
    """
    variance = kernel_variance(tau, mean_variance(Y))
    spectrum = output_spectrum(basis, X, Y)
    noise = fixed_point_noise(spectrum, tau=tau, variance=variance)
    c = tau + noise / variance
    coefficients = basis.whitener @ (spectrum.vectors @ (spectrum.projections / (spectrum.values + c)[:, None]))
    return MappingSolution(basis.landmarks, basis.scales, coefficients.astype(X.dtype), tau, variance, noise)


def evaluate(mapping: MappingSolution, X: Floats) -> Floats:
    """Return the outputs [N, p] at the rows of X [N, n]. [membership] eq. 60."""
    outputs = np.empty((len(X), mapping.coefficients.shape[1]), dtype=X.dtype)
    for rows in row_blocks(len(X), len(mapping.landmarks) + X.shape[1]):
        K = gaussian_kernel(X[rows], mapping.landmarks, mapping.scales)
        np.matmul(K, mapping.coefficients, out=outputs[rows])
    return outputs
