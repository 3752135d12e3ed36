import numpy as np
import pytest
from numpy.random import default_rng
from scipy.optimize import isotonic_regression

from tacit.numerics.growing import nearest_growing


@pytest.mark.parametrize("seed", range(20))
def test_digits_are_those_of_the_library(seed: int) -> None:
    rng = default_rng(seed)
    for size in (1, 2, 3, 10, 64, 200):
        normal, ties = rng.normal(size=size), rng.integers(0, 4, size).astype(np.float64)
        for values in (normal, normal.cumsum() + 0.1 * np.arange(size), ties):
            assert np.array_equal(nearest_growing(values), isotonic_regression(values).x)


def test_no_growing_sequence_lies_nearer() -> None:
    rng = default_rng(0)
    values = rng.normal(size=12)
    nearest = nearest_growing(values)
    assert (np.diff(nearest) >= 0).all()
    others = np.sort(nearest + rng.normal(scale=0.3, size=(2000, 12)), axis=1)
    assert ((nearest - values) ** 2).sum() < ((others - values) ** 2).sum(axis=1).min()


def test_what_grows_stays_and_nothing_is_nothing() -> None:
    assert nearest_growing([1.0, 1.0, 2.5]).tolist() == [1.0, 1.0, 2.5]
    assert nearest_growing([]).shape == (0,)
