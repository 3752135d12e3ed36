import numpy as np
import pytest
from numpy.random import Generator, default_rng

from tacit.adoption.average.interpolation import MOST_IN_BUCKET, interpolation
from tacit.adoption.average.representation import N_KNOTS, represent
from tacit.arrays import FloatArray


def searched(knots: FloatArray, levels: FloatArray, columns: FloatArray) -> FloatArray:
    """Return what the library gives, column by column."""
    return np.array([np.interp(*each) for each in zip(columns, knots, levels, strict=True)]).reshape(columns.shape)


def columns_of(rng: Generator, n: int) -> FloatArray:
    """Return even, whole, rounded, skewed, tied and few values in [0, 1]."""
    even = rng.random(n)
    some = [
        even,
        rng.integers(0, 100, n) / 99,
        even.round(1),
        even**8,
        np.minimum(even, 0.4),
        rng.integers(0, 3, n) / 2,
    ]
    return np.array(some)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_the_library(dtype: type[np.floating]) -> None:
    rng = default_rng(0)
    shown = represent(columns_of(rng, 3000).T)
    columns = np.concatenate([columns_of(rng, 500), shown.knots, np.zeros((6, 1)), np.ones((6, 1))], axis=1)
    columns = np.concatenate([columns, np.nextafter(shown.knots, 0), np.nextafter(shown.knots, 1)], axis=1)
    columns = columns.clip(0, 1).astype(dtype)
    function = interpolation(shown.knots, shown.ranks)
    # Equal where the library multiplies and adds in two steps; processors that do it in one round once less.
    assert np.abs(function(columns) - searched(shown.knots, shown.ranks, columns)).max() <= 2.0**-52


def test_skewed_columns_are_searched_and_others_are_not() -> None:
    shown = represent(columns_of(default_rng(0), 3000).T)
    function = interpolation(shown.knots, shown.ranks)
    assert 0 < len(function.bucketed) < len(shown.knots)
    assert 1 <= function.steps <= MOST_IN_BUCKET
    assert 3 not in function.bucketed  # of the eighth power most knots lie near 0


def test_knots_beyond_the_unit_interval_and_values_beyond_the_knots_are_served() -> None:
    knots, levels = np.array([[-3.0, 0.0, 5.0], [0.1, 0.2, 0.3]]), np.array([[0.0, 0.25, 1.0], [0.5, 0.6, 0.9]])
    columns = np.array([[-4.0, -1.0, 4.0, 9.0], [-1.0, 0.05, 0.25, 7.0]])
    assert np.allclose(interpolation(knots, levels)(columns), searched(knots, levels, columns), rtol=0, atol=1e-15)


def test_no_columns_give_no_values() -> None:
    nothing = np.empty((0, N_KNOTS))
    assert interpolation(nothing, nothing)(np.empty((0, 7))).shape == (0, 7)
