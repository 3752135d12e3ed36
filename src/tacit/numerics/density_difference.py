"""The difference of two densities on the line from samples of both, by least squares."""

import numpy as np
from scipy.linalg import eigh

from tacit.arrays import BoolArray, FloatArray
from tacit.records import record

MOST_CENTRES = 100
# Widths of the kernels in units of the samples' spread, and ridges in units of the kernels' own squared norm.
WIDTHS = np.geomspace(0.1, 3.0, 8)
RIDGES = np.geomspace(1e-3, 10.0, 9)


@record
class DensityDifference:
    """An estimate sum_l theta_l exp(-(x - c_l)²/2w²) of p - q; made by `fit_density_difference`."""

    centres: FloatArray
    """[B]: the c_l."""
    width: float
    ridge: float
    """The w of the kernels, and the weight of |theta|² beside the squared error."""
    mean_difference: FloatArray
    """[B]: h_l: mean of kernel l over the first sample less its mean over the second."""

    @property
    def coefficients(self) -> FloatArray:
        """The theta = (H + ridge I)^-1 h that makes |p - q - model|² + ridge |theta|² least [lsdd]."""
        values, vectors = _spectrum(self.centres, self.width)
        weights: FloatArray = vectors @ ((vectors.T @ self.mean_difference) / (values + self.ridge))
        return weights

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the estimated p(x) - q(x)."""
        difference: FloatArray = self.kernels(x) @ self.coefficients
        return difference

    @property
    def squared_distance(self) -> float:
        """The estimate of the integral of (p - q)², in units of 1/x: see `squared_distances`."""
        return float(self.squared_distances(self.mean_difference[None])[0])

    def squared_distances(self, mean_differences: FloatArray) -> FloatArray:
        """Return 2 hᵀtheta - thetaᵀH theta for each row h of ``mean_differences`` [R, B], with this width and ridge.

        Of all combinations of hᵀtheta and thetaᵀH theta that estimate the integral of (p - q)² this one is the least
        biased [lsdd]. It is never negative: thetaᵀ(H + 2 ridge I) theta.
        """
        values, vectors = _spectrum(self.centres, self.width)
        theta = (mean_differences @ vectors) / (values + self.ridge)  # [R, B], in the eigenbasis of H
        distances: FloatArray = (theta**2) @ (values + 2 * self.ridge)
        return distances

    def kernels(self, x: FloatArray) -> FloatArray:
        """Return exp(-(x_i - c_l)²/2w²) [N, B]."""
        return _kernels(x, self.centres, self.width)


def fit_density_difference(first: FloatArray, second: FloatArray) -> DensityDifference:
    """Return the estimate of p - q from samples ``first`` of p and ``second`` of q, two values of each at least.

    Width and ridge are those of least squared error, estimated by leaving out one value at a time, which needs no
    random folds. Both are tried in units of the samples' spread: the estimate of s·x is the estimate of x, stretched.
    Two samples of one and the same value differ nowhere.
    """
    values = np.concatenate([first, second])
    centres, split = _centres(values), (np.arange(len(values)) < len(first))[None]
    spread = _spread(values)
    if spread == 0:
        return DensityDifference(centres, 1.0, 1.0, np.zeros(len(centres)))
    fits = [_best_ridge(values, split, centres, float(width)) for width in spread * WIDTHS]
    best = int(np.argmin([fit.errors[0] for fit in fits]))
    width, ridge = float(spread * WIDTHS[best]), float(fits[best].ridges[0])
    difference = _kernels(first, centres, width).mean(axis=0) - _kernels(second, centres, width).mean(axis=0)
    return DensityDifference(centres, width, ridge, difference)


def split_distances(values: FloatArray, splits: BoolArray) -> FloatArray:
    """Return the estimated integral of (p - q)² for each way [R, N] of splitting ``values`` [N] into two samples.

    A row of ``splits`` is true for the first sample. Each has the width and the ridge that fit it best, as
    `fit_density_difference` finds them.
    """
    centres, spread = _centres(values), _spread(values)
    if spread == 0:
        return np.zeros(len(splits))
    fits = [_best_ridge(values, splits, centres, float(width)) for width in spread * WIDTHS]
    best = np.argmin([fit.errors for fit in fits], axis=0)  # [R]
    distances: FloatArray = np.array([fit.distances for fit in fits])[best, np.arange(len(splits))]
    return distances


@record
class _WidthFit:
    """Squared error, ridge and distance of the best ridge for one width, for each split; all [R]."""

    errors: FloatArray
    ridges: FloatArray
    distances: FloatArray


def _best_ridge(values: FloatArray, splits: BoolArray, centres: FloatArray, width: float) -> _WidthFit:
    """Return the squared error of the best ridge for one width.

    The error of theta is thetaᵀH theta - 2 (E_p - E_q)[model], but for a constant. Each expectation is the mean over
    its sample of the model fitted without that value: h_-i = (n h_p - phi_i)/(n - 1) - h_q.
    """
    spectrum, vectors = _spectrum(centres, width)
    F = _kernels(values, centres, width) @ vectors  # [N, B]
    n, m = splits.sum(axis=1)[:, None], (~splits).sum(axis=1)[:, None]
    first, second = splits / n, ~splits / m
    p, q = first @ F, second @ F  # [R, B]
    own = (first / (n - 1) + second / (m - 1)) @ F**2
    crossed = p * (p * n / (n - 1) - q) - q * (p - q * m / (m - 1)) - own
    ridges = RIDGES * np.sqrt(np.pi) * width
    shrunk = 1 / (spectrum[:, None] + ridges)  # [B, ridges]
    errors = (p - q) ** 2 @ (spectrum[:, None] * shrunk**2) - 2 * crossed @ shrunk  # [R, ridges]
    distances = (p - q) ** 2 @ ((spectrum[:, None] + 2 * ridges) * shrunk**2)
    best = errors.argmin(axis=1)
    rows = np.arange(len(splits))
    return _WidthFit(errors[rows, best], ridges[best], distances[rows, best])


def _centres(values: FloatArray) -> FloatArray:
    shares = np.linspace(0, 1, min(MOST_CENTRES, len(values)))
    return np.unique(np.quantile(values, shares, method="nearest"))


def _spectrum(centres: FloatArray, width: float) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and eigenvectors of H [B, B], the integrals of products of kernels.

    H_kl = sqrt(pi) w exp(-(c_k - c_l)²/4w²).
    """
    H = np.sqrt(np.pi) * width * _kernels(centres, centres, np.sqrt(2.0) * width)
    values, vectors = eigh(H)
    return np.maximum(values, 0.0), vectors


def _kernels(x: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    distances = (x[:, None] - centres) / width
    kernels: FloatArray = np.exp(-0.5 * distances**2)
    return kernels


def _spread(values: FloatArray) -> float:
    """Return the standard deviation, or what the middle half of the values suggests if that is less but not 0."""
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    middle = float(three_quarters - quarter) / 1.349  # the normal law's quartiles lie 1.349 deviations apart
    deviation = float(values.std())
    return min(deviation, middle) if middle > 0 else deviation
