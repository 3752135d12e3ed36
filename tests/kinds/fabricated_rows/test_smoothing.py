import numpy as np
import pytest

from tacit.kinds.fabricated_rows import smoothing
from tacit.models.affine_hull.layers import learn_deep


def block(n: int = 60, p: int = 4, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(0).random((n, p)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_smoothing_is_kernel_ridge_regression_of_the_rows_on_themselves(dtype: type) -> None:
    Y = block(dtype=dtype)
    hull = learn_deep(Y, n_components=2, n_layers=1, rank=None)
    C = Y - Y.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(C.T))
    Z = C @ vectors[:, ::-1][:, :2] / np.sqrt(values[::-1][:2])
    K = np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2) / (2 * 2))
    oracle = K @ np.linalg.solve(K + hull.layers[0].smoothing * np.eye(len(Y)), Y)
    np.testing.assert_allclose(smoothing.smoothed(Y, hull), oracle, atol=1e-8 if dtype == np.float64 else 1e-4)


def test_more_steps_leave_a_smaller_modelling_error() -> None:
    """[hull] Theorem 6: the error goes to zero as the steps grow."""
    Y = block(40, 6)
    errors = [smoothing.modelling_error(smoothing.through_hulls(Y, steps=steps)) for steps in (1, 2, 3, 10, 30, 100)]
    assert sorted(errors, reverse=True) == errors
    assert errors[-1] < errors[0] / 30


def test_one_step_is_the_image_in_the_hull_of_the_rows() -> None:
    Y = block()
    hull = learn_deep(Y, n_components=4, n_layers=1, rank=None)
    np.testing.assert_allclose(smoothing.through_hulls(Y, steps=1), smoothing.images(Y, hull)[0])


def test_the_printed_rule_stops_at_the_error_it_is_given() -> None:
    Y = block()
    own = smoothing.modelling_error(Y)
    np.testing.assert_allclose(smoothing.until_error(Y, own), smoothing.through_hulls(Y, steps=1))
    made = smoothing.until_error(Y, own / 2)
    assert not np.allclose(made, smoothing.through_hulls(Y, steps=1))


def test_random_blocks_hold_each_row_once_and_one_class_each() -> None:
    codes = np.arange(103) % 3
    blocks = smoothing.random_blocks(codes, np.random.RandomState(0), 10)
    assert sorted(np.concatenate(blocks)) == list(range(103))
    assert all(len(each) <= 10 and len(set(codes[each])) == 1 for each in blocks)


def test_one_row_or_equal_rows_are_their_own_image_and_shrink_when_smoothed() -> None:
    for Y in (block(1), np.ones((5, 3))):
        np.testing.assert_allclose(smoothing.through_hulls(Y, steps=1), Y, atol=1e-6)
        made = smoothing.through_hulls(Y, steps=2)
        ratio = made / Y
        np.testing.assert_allclose(ratio, ratio[0, 0])
        assert 0 < ratio[0, 0] < 1
