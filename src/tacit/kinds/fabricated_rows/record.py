"""Fabrication per record: noisy sums and counts of the classes, then noisy products of what is left of each row."""

import math

import numpy as np

from tacit.arrays import Codes, FloatArray, Rows
from tacit.kinds.fabricated_rows.directions import Directions
from tacit.kinds.fabricated_rows.gaussians import NoisyMoments
from tacit.models.bounded_rows import clip_rows
from tacit.models.class_moments.features import class_sums, count_weight
from tacit.privacy.account import Account, Step
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.mechanisms import Gaussian

# The part of the budget, as a share of squared signal over noise, that goes to the sums and counts.
MEAN_SHARE = 0.15
# Coordinates are cut to so many binary digits, so that their products and the sums of those are exact.
DIGITS = 13
# Room for the one rounding that is left, of sums of up to 2^26 products times sqrt(2), in up to 2^13 coordinates.
ROUNDING = 2.0**-20


def record_steps(directions: Directions, budget: Budget) -> list[Step]:
    """Return the two queries: Gaussian noise on sums and counts, then on the products of coordinates.

    Adding one row moves one class sum by at most r and one count by 1, weighted w: sqrt(r² + w²) together. It moves
    the products of one class by z zᵀ, whose Frobenius norm |z|² is at most s², s the length to which z is shortened.
    The second sensitivity is enlarged for rounding; the first query is exact.
    """
    first = math.nextafter(math.hypot(directions.row_norm, count_weight(directions.row_norm)), math.inf)
    second = directions.spread_norm**2 * (1 + ROUNDING)
    n_products = _n_products(directions)

    def mechanisms(level: float) -> tuple[Gaussian, Gaussian]:
        return (
            Gaussian(level * first / math.sqrt(MEAN_SHARE), first, directions.size + 1),
            Gaussian(level * second / math.sqrt(1 - MEAN_SHARE), second, n_products),
        )

    def events(level: float) -> Event:
        return SequentialEvent(tuple(each.event for each in mechanisms(level)))

    sums, products = mechanisms(calibrate(events, budget))
    return [
        Step(
            sums,
            "class sums of public coordinates of the rows, and class counts",
            f"adding one row moves one class sum by at most {directions.row_norm:.6g}, to which its coordinates are "
            f"shortened, and one count by 1, weighted {count_weight(directions.row_norm):g}",
        ),
        Step(
            products,
            "class sums of products of two coordinates, less the released class mean",
            f"adding one row moves one class's products by at most {directions.spread_norm:.6g}², the square of the "
            "length to which the coordinates are shortened",
        ),
    ]


def released_moments(account: Account, X: Rows, codes: Codes, n_classes: int, directions: Directions) -> NoisyMoments:
    """Return noisy class moments; the second query is centred by the answer to the first."""
    first, second = (step.mechanism for step in account.steps)
    Z = directions.coordinates(X)
    sums, counts = class_sums(clip_rows(Z, directions.row_norm), codes, n_classes)
    weight = count_weight(directions.row_norm)
    noisy = account.release(first, np.column_stack([sums, weight * counts]))
    sizes = np.maximum(noisy[:, -1] / weight, 1.0)
    means = noisy[:, :-1] / sizes[:, None]
    # No row is longer than its bound, so neither is a mean; noise on a small class can only be cut.
    means *= np.minimum(1.0, directions.row_norm / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-300))
    products = np.array([_products(Z[codes == code] - means[code], directions) for code in range(n_classes)])
    covariances = _matrices(account.release(second, products), directions) / sizes[:, None, None]
    sigma_1, sigma_2 = (float(getattr(each, "sigma", 0.0)) for each in (first, second))
    return NoisyMoments(
        means,
        covariances,
        sizes,
        directions.size * (sigma_1 / sizes) ** 2,
        _n_products(directions) * (sigma_2 / sizes) ** 2,
    )


def shortened(Z: FloatArray, norm: float) -> FloatArray:
    """Return ``Z`` with rows no longer than ``norm``, cut to 13 binary digits: sums of 2^26 products are then exact."""
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    inside = Z * np.minimum(1.0, norm * (1 - 2.0**-40) / np.maximum(lengths, np.finfo(float).tiny))
    quantum = 2.0 ** (math.floor(math.log2(norm)) - DIGITS)
    cut: FloatArray = np.trunc(inside / quantum) * quantum
    return cut


def _n_products(directions: Directions) -> int:
    d = directions.size
    return d * (d + 1) // 2 if directions.correlated else d


def _products(Z: FloatArray, directions: Directions) -> FloatArray:
    """Return the upper triangle of the sum of z zᵀ, off-diagonal entries times sqrt(2); or its diagonal alone."""
    rows = shortened(Z, directions.spread_norm)
    if not directions.correlated:
        diagonal: FloatArray = (rows**2).sum(axis=0)
        return diagonal
    upper = np.triu_indices(directions.size)
    # The factor keeps the length: |upper triangle| = |z zᵀ| in Frobenius norm, up to the rounding of sqrt(2).
    factors = np.where(upper[0] == upper[1], 1.0, math.nextafter(math.sqrt(2), 0))
    triangle: FloatArray = (rows.T @ rows)[upper] * factors
    return triangle


def _matrices(products: FloatArray, directions: Directions) -> FloatArray:
    """Return symmetric matrices [C, d, d] from what `_products` made."""
    matrices = np.zeros((len(products), directions.size, directions.size))
    if not directions.correlated:
        matrices[:, np.arange(directions.size), np.arange(directions.size)] = products
        return matrices
    rows, columns = np.triu_indices(directions.size)
    values = products / np.where(rows == columns, 1.0, math.sqrt(2))
    matrices[:, rows, columns] = values
    matrices[:, columns, rows] = values
    return matrices
