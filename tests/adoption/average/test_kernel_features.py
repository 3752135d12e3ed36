"""Features whose inner products are kernels."""

import numpy as np
import pytest

from tacit.adoption.average.kernel_features import KERNELS, LINEAR, MOST_ANCHORS, MOST_FEATURES, WIDTHS, kernel_features


def rows(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def slow_kernel(kernel: str, A: np.ndarray, B: np.ndarray, size: float) -> np.ndarray:
    if kernel == LINEAR:
        return np.array([[a @ b / size for b in B] for a in A])
    width = WIDTHS[kernel]
    return np.array([[np.exp(-((a - b) @ (a - b)) / (2 * width**2 * size)) for b in B] for a in A])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", [(20, 6), (10, 30)])
def test_inner_products_of_features_are_the_kernel(kernel: str, shape: tuple[int, int]) -> None:
    Z = rows(*shape)
    features = kernel_features(kernel, Z, 4.0)
    expected = slow_kernel(kernel, Z, Z, 4.0)
    assert features(Z) @ features(Z).T == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("kernel", KERNELS)
def test_features_of_new_rows_give_their_kernel_with_the_labelled_ones(kernel: str) -> None:
    Z, new = rows(20, 6), rows(5, 6, seed=1)
    features = kernel_features(kernel, Z, 4.0)
    assert features(new) @ features(Z).T == pytest.approx(slow_kernel(kernel, new, Z, 4.0), abs=0.02)


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_the_features_leave_out_is_the_rest_of_the_prior_variance(kernel: str) -> None:
    Z, new = rows(10, 30), rows(5, 30, seed=1)
    features = kernel_features(kernel, Z, 20.0)
    phi = features(new)
    whole = np.diag(slow_kernel(kernel, new, new, 20.0))
    assert features.lost(new, phi) == pytest.approx(whole - (phi**2).sum(axis=1))
    assert features.lost(Z, features(Z)).max() < 0.02


def test_many_rows_give_no_more_than_so_many_anchors_and_features() -> None:
    features = kernel_features("radial", rows(600, 8), 8.0)
    assert features.anchors.shape[0] == MOST_ANCHORS
    assert features.projection.shape[1] <= MOST_FEATURES
