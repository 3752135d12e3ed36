import math
from typing import Any

import numpy as np
import pytest

from tacit.numerics.kernels import Floats, feature_scales, gaussian_kernel


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def slow_kernel(X: Floats, A: Floats, scales: Floats) -> Floats:
    """[membership] eq. 17, entry by entry."""
    K = np.empty((len(X), len(A)))
    for i, x in enumerate(X):
        for m, a in enumerate(A):
            K[i, m] = math.exp(
                -0.5 * sum(float(s) ** 2 * (float(u) - float(v)) ** 2 for s, u, v in zip(scales, x, a, strict=True))
            )
    return K


def test_the_kernel_equals_its_formula(rng: np.random.Generator) -> None:
    X, A, scales = rng.normal(size=(30, 4)), rng.normal(size=(7, 4)), rng.random(4)
    assert np.allclose(gaussian_kernel(X, A, scales), slow_kernel(X, A, scales), rtol=1e-12, atol=1e-15)


def test_the_kernel_of_float32_stays_float32_and_near_the_formula(rng: np.random.Generator) -> None:
    X, A, scales = (rng.normal(size=shape).astype(np.float32) for shape in ((30, 4), (7, 4), (4,)))
    K = gaussian_kernel(X, A, scales)
    assert K.dtype == np.float32
    assert np.allclose(K, slow_kernel(X, A, scales), atol=1e-5)


def test_an_origin_far_away_costs_no_digits(rng: np.random.Generator) -> None:
    X, A, scales = rng.normal(size=(30, 4)), rng.normal(size=(7, 4)), np.ones(4)
    moved = gaussian_kernel(X + 1e6, A + 1e6, scales)
    assert np.allclose(moved, slow_kernel(X + 1e6, A + 1e6, scales), rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_beyond_all_bounds_have_a_kernel_of_nearly_nothing(dtype: Any, rng: np.random.Generator) -> None:
    A = rng.normal(size=(7, 2)).astype(dtype)
    X = np.array([[np.finfo(dtype).max, 0], [-np.finfo(dtype).max / 2, 1]], dtype=dtype)
    K = gaussian_kernel(X, A, np.array([100, 1], dtype=dtype))
    assert (K >= 0).all()
    assert (K < 1e-25).all()


def test_no_value_is_denormal() -> None:
    far = np.linspace(0, 30, 2000, dtype=np.float32)[:, None]
    K = gaussian_kernel(far, np.zeros((1, 1), np.float32), np.ones(1, np.float32))
    assert K.min() >= np.finfo(np.float32).tiny


def test_scales_are_one_over_the_range() -> None:
    X = np.array([[0.0, 5.0, -1.0], [2.0, 1.0, -1.5]])
    assert np.allclose(feature_scales(X), [1 / 2, 1 / 4, 2.0])


@pytest.mark.parametrize("value", [0.0, 0.1, 1e8, -3e-200])
def test_a_constant_feature_has_scale_zero(value: float) -> None:
    X = np.column_stack([np.full(9, value), np.arange(9.0)])
    # Rounding in a mean or a projection leaves a spread of a few units in the last place: still constant.
    X[3, 0] = np.nextafter(value, math.inf) if value else value
    assert feature_scales(X).tolist() == [0.0, 1 / 8]


def test_a_tiny_range_is_a_range() -> None:
    assert feature_scales(np.array([[1e-9], [3e-9]])) == pytest.approx([0.5e9])
