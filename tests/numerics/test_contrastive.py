import math

import numpy as np
import pytest

from tacit.arrays import BoolArray, FloatArray
from tacit.numerics.contrastive import (
    clipped_gradient_sum,
    contrastive_losses,
    gradient_factors,
    projected_distances,
    row_clipped_gradients,
)

W = np.array([[1.0, 0.5], [-0.2, 0.3]])
DIFFERENCES = np.array([[0.3, -0.4], [0.3, -0.4], [0.9, -0.8]])
DISSIMILAR = np.array([False, True, True])
MARGIN = 0.5


def slow_gradient(W: FloatArray, difference: FloatArray, dissimilar: bool, margin: float) -> FloatArray:
    distance = math.sqrt(sum(float(row @ difference) ** 2 for row in W))
    gradient = np.zeros_like(W)
    for r, row in enumerate(W):
        if not dissimilar:
            gradient[r] = (row @ difference) * difference
        elif 0 < distance < margin:
            gradient[r] = (distance - margin) / distance * (row @ difference) * difference
    return gradient


def some_pairs(seed: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, 4)), rng.normal(size=(30, 4)) * 0.4, rng.random(30) < 0.5


def test_distances_losses_and_row_norms_have_the_values_of_an_independent_computation() -> None:
    assert np.allclose(projected_distances(W, DIFFERENCES), [0.2059126028, 0.2059126028, 0.6529931087], atol=1e-10)
    assert np.allclose(contrastive_losses(W, DIFFERENCES, DISSIMILAR, MARGIN), [0.0212, 0.0432436986, 0.0], atol=1e-10)
    norms = [[0.07, 0.126], [0.0999750259, 0.1799550466], [0.0, 0.0]]
    for k, expected in enumerate(norms):
        one = row_clipped_gradients(W, DIFFERENCES[[k]], DISSIMILAR[[k]], margin=MARGIN, clip=10.0)
        assert np.allclose(np.abs(one[0]).sum(axis=1), expected, atol=1e-10)
        assert np.allclose(one[1], expected, atol=1e-10)


def test_the_gradient_is_that_of_the_loss() -> None:
    W, differences, far = some_pairs(0)
    gradient = clipped_gradient_sum(W, differences, far, margin=1.0, clip=np.inf, norm=2)
    for place in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[place] = 1e-6
        up, down = (contrastive_losses(W + s, differences, far, 1.0).sum() for s in (step, -step))
        assert gradient[place] == pytest.approx((up - down) / 2e-6, abs=1e-5)


@pytest.mark.parametrize("norm", [1, 2])
def test_a_clipped_sum_equals_a_loop_over_pairs(norm: int) -> None:
    W, differences, far = some_pairs(1)
    expected = np.zeros_like(W)
    for difference, apart in zip(differences, far, strict=True):
        gradient = slow_gradient(W, difference, bool(apart), 1.2)
        expected += gradient * min(1.0, 0.3 / max(float(np.linalg.norm(gradient.ravel(), norm)), 1e-300))
    assert np.allclose(clipped_gradient_sum(W, differences, far, margin=1.2, clip=0.3, norm=norm), expected)


def test_rows_are_clipped_one_by_one_as_printed() -> None:
    W, differences, far = some_pairs(2)
    expected, peaks = np.zeros_like(W), np.zeros(len(W))
    for difference, apart in zip(differences, far, strict=True):
        for r, row in enumerate(slow_gradient(W, difference, bool(apart), 1.2)):
            length = float(np.abs(row).sum())
            expected[r] += row / max(1.0, length / 0.2)
            peaks[r] = max(peaks[r], min(length, 0.2))
    total, found = row_clipped_gradients(W, differences, far, margin=1.2, clip=0.2)
    assert np.allclose(total, expected)
    assert np.allclose(found, peaks)


def test_a_pair_of_equal_rows_has_no_gradient() -> None:
    factors = gradient_factors(np.zeros(2), np.array([True, False]), 1.0)
    assert np.array_equal(factors, [0.0, 1.0])
    assert not clipped_gradient_sum(
        np.eye(2), np.zeros((2, 2)), np.array([True, False]), margin=1, clip=1, norm=2
    ).any()
