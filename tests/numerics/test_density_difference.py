"""The density difference against normal laws, whose distance is known, and against its definition by quadrature."""

import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.numerics.density_difference import (
    RIDGES,
    WIDTHS,
    DensityDifference,
    fit_density_difference,
    split_distances,
)


def normal_distance(shift: float) -> float:
    """Return the integral of (p - q)² of two normal laws of deviation 1: (1 - exp(-shift²/4))/sqrt(pi)."""
    return (1 - math.exp(-(shift**2) / 4)) / math.sqrt(math.pi)


def error_by_loops(first: FloatArray, second: FloatArray, centres: FloatArray, width: float, ridge: float) -> float:
    """Return the squared error by really leaving out one value after the other; H is integrated numerically."""
    x = np.linspace(centres.min() - 12 * width, centres.max() + 12 * width, 20_001)
    phi = np.exp(-((x[:, None] - centres) ** 2) / (2 * width**2))
    H = phi.T @ phi * (x[1] - x[0])

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-((values[:, None] - centres) ** 2) / (2 * width**2)).mean(axis=0))

    def solve(p: FloatArray, q: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.solve(H + ridge * np.eye(len(H)), mean(p) - mean(q)))

    theta = solve(first, second)
    left = [mean(first[i : i + 1]) @ solve(np.delete(first, i), second) for i in range(len(first))]
    right = [mean(second[j : j + 1]) @ solve(first, np.delete(second, j)) for j in range(len(second))]
    return float(theta @ H @ theta - 2 * (np.mean(left) - np.mean(right)))


def test_width_and_ridge_have_the_least_error_when_values_are_really_left_out() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.normal(0, 1, 12), generator.normal(1.5, 0.6, 9)
    found = fit_density_difference(first, second)
    # The spread is the smaller of the deviation and what the quartiles suggest.
    pooled = np.concatenate([first, second])
    quartiles = np.quantile(pooled, [0.25, 0.75])
    spread = min(pooled.std(), (quartiles[1] - quartiles[0]) / 1.349)
    errors = {
        (width, ridge): error_by_loops(first, second, found.centres, width, ridge * math.sqrt(math.pi) * width)
        for width in spread * WIDTHS
        for ridge in RIDGES
    }
    width, ridge = min(errors, key=lambda pair: errors[pair])
    assert found.width == pytest.approx(width)
    assert found.ridge == pytest.approx(ridge * math.sqrt(math.pi) * width)


def test_the_coefficients_and_the_distance_are_those_of_the_definition() -> None:
    generator = np.random.default_rng(0)
    first, second = generator.normal(0, 1, 40), generator.normal(1, 1, 50)
    found = fit_density_difference(first, second)
    x = np.linspace(-15, 15, 60_001)
    phi = found.kernels(x)
    H = phi.T @ phi * (x[1] - x[0])
    h = found.kernels(first).mean(axis=0) - found.kernels(second).mean(axis=0)
    theta = np.linalg.solve(H + found.ridge * np.eye(len(H)), h)
    np.testing.assert_allclose(found(x[::5000]), (phi @ theta)[::5000], atol=1e-9)
    assert found.squared_distance == pytest.approx(2 * h @ theta - theta @ H @ theta, rel=1e-6)
    # thetaᵀH theta is the integral of the squared estimate.
    assert float(theta @ H @ theta) == pytest.approx(float((found(x) ** 2).sum() * (x[1] - x[0])), rel=1e-6)


@pytest.mark.parametrize("shift", [1.0, 2.0, 4.0])
def test_normal_laws_have_their_known_distance(shift: float) -> None:
    generator = np.random.default_rng(1)
    found = fit_density_difference(generator.normal(0, 1, 1500), generator.normal(shift, 1, 1500))
    assert found.squared_distance == pytest.approx(normal_distance(shift), abs=0.03)  # three deviations


def test_the_estimated_difference_is_near_the_true_one() -> None:
    generator = np.random.default_rng(2)
    found = fit_density_difference(generator.normal(0, 1, 1500), generator.normal(2, 1, 1500))
    x = np.linspace(-3, 5, 81)
    true = (np.exp(-(x**2) / 2) - np.exp(-((x - 2) ** 2) / 2)) / math.sqrt(2 * math.pi)
    assert np.abs(found(x) - true).max() < 0.06


def test_a_stretch_of_the_values_divides_the_distance_and_a_shift_does_nothing() -> None:
    generator = np.random.default_rng(4)
    first, second = generator.normal(0, 1, 60), generator.normal(1, 1, 60)
    plain = fit_density_difference(first, second).squared_distance
    stretched = fit_density_difference(100 * first + 7, 100 * second + 7).squared_distance
    assert stretched == pytest.approx(plain / 100, rel=1e-6)
    assert fit_density_difference(second, first).squared_distance == pytest.approx(plain, rel=1e-9)


def test_splits_are_fitted_one_by_one() -> None:
    generator = np.random.default_rng(5)
    values = generator.normal(size=30)
    splits = generator.random((6, 30)) < 0.4
    one_by_one = [fit_density_difference(values[split], values[~split]).squared_distance for split in splits]
    np.testing.assert_allclose(split_distances(values, splits), one_by_one, rtol=1e-9)


def test_equal_samples_and_constants_have_no_distance() -> None:
    values = np.random.default_rng(6).normal(size=50)
    assert fit_density_difference(values, values).squared_distance == pytest.approx(0, abs=1e-12)
    constant = fit_density_difference(np.full(5, 2.0), np.full(7, 2.0))
    assert constant.squared_distance == 0
    assert split_distances(np.full(4, 2.0), np.eye(4, dtype=bool) | np.eye(4, k=1, dtype=bool)).tolist() == [0.0] * 4


def test_two_atoms_are_far_apart() -> None:
    found = fit_density_difference(np.zeros(30), np.ones(30))
    assert isinstance(found, DensityDifference)
    assert found.squared_distance > 1
