"""Public bounds: rows scaled to the unit cube, and rows shortened so that their sums are exact."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.models.bounded_rows import clip_rows, to_unit_cube


def test_values_are_scaled_by_their_bounds_and_clipped() -> None:
    X = np.array([[0.0, 5.0], [10.0, 15.0], [-3.0, 99.0]])
    np.testing.assert_allclose(to_unit_cube(X, ([0, 5], [10, 15])), [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(to_unit_cube(X, (0, 20)), [[0.0, 0.25], [0.5, 0.75], [0.0, 1.0]])
    assert X[2, 1] == 99.0  # the caller's rows stay


@pytest.mark.parametrize("bounds", [(0, 0), (1, 0), (0, np.inf), ([0, 1], [1, 1])])
def test_bounds_without_a_width_are_refused(bounds: tuple[object, object]) -> None:
    with pytest.raises(InputError, match="low < high"):
        to_unit_cube(np.zeros((1, 2)), bounds)


@pytest.mark.parametrize("bounds", [(0,), "ab", ([0, 0, 0], [1, 1, 1]), None])
def test_bounds_that_are_no_pair_are_refused(bounds: object) -> None:
    with pytest.raises(InputError, match="a pair"):
        to_unit_cube(np.zeros((1, 2)), bounds)  # type: ignore[arg-type]


def test_no_row_is_longer_than_the_norm_and_short_rows_lose_less_than_a_quantum() -> None:
    X = np.random.default_rng(0).normal(size=(500, 7)) * np.geomspace(1e-3, 1e3, 500)[:, None]
    clipped = clip_rows(X, 0.3)
    assert np.linalg.norm(clipped, axis=1).max() <= 0.3
    short = np.linalg.norm(X, axis=1) < 0.29
    assert short.any()
    assert np.abs(clipped - X)[short].max() <= 2.0**-26
    assert np.array_equal(clip_rows(np.zeros((2, 3)), 1.0), np.zeros((2, 3)))


def test_sums_of_clipped_rows_are_the_same_in_any_order() -> None:
    generator = np.random.default_rng(1)
    X = clip_rows(generator.normal(size=(10_000, 3)), 1.0)
    total = X.sum(axis=0)
    for _ in range(5):
        assert np.array_equal(X[generator.permutation(len(X))].sum(axis=0), total)
    # Without one row the sum moves by exactly that row.
    assert np.array_equal(total - X[1:].sum(axis=0), X[0])
