"""The regularisation of linear classifiers where nobody says it."""

import numpy as np
import pytest

from tacit.models.linear.regularization import (
    BEND,
    VARIANCE,
    default_regularization,
    least_error_regularization,
)


def test_the_default_is_at_most_one() -> None:
    assert default_regularization(10, 0.1, 50) == 1.0
    assert default_regularization(0, 0.1, 50) == 1.0


def test_of_bounded_columns_it_falls_with_the_square_of_rows_times_epsilon() -> None:
    assert default_regularization(7500, 0.1, 20, bounded=True) == pytest.approx(2 * 20 / 750)  # where both are equal
    assert default_regularization(75_000, 0.1, 20, bounded=True) == pytest.approx(1500 * 20 / 7500**2)
    # Fewer rows than that are treated alike with and without bounds.
    assert default_regularization(5000, 0.1, 20, bounded=True) == default_regularization(5000, 0.1, 20)


@pytest.mark.parametrize("bounded", [False, True])
def test_the_default_never_grows_with_rows_or_epsilon(bounded: bool) -> None:
    amounts = np.geomspace(1, 1e7, 60)
    by_rows = [default_regularization(int(amount), 1.0, 30, bounded=bounded) for amount in amounts]
    by_epsilon = [default_regularization(1000, amount / 1000, 30, bounded=bounded) for amount in amounts]
    assert (np.diff(by_rows) <= 0).all()
    assert (np.diff(by_epsilon) <= 0).all()


def test_the_ridge_of_least_error_has_the_least_error_of_noisy_sums() -> None:
    """Of w + noise shrunk by n h/(n h + Lambda), at the noise and the variance that the formula speaks of."""
    n, epsilon, d = 3000, 0.5, 12
    strengths = np.geomspace(1e-4, 1e2, 2001)
    noise, bend = 4 * d / epsilon**2, n * BEND
    shrunk = bend / (bend + n * strengths)
    errors = (1 - shrunk) ** 2 * VARIANCE + shrunk**2 * noise / bend**2
    assert strengths[errors.argmin()] == pytest.approx(least_error_regularization(n, epsilon, d), rel=0.01)


def test_a_prior_that_leaves_a_quarter_open_holds_four_times_as_strongly() -> None:
    plain = least_error_regularization(400, 1.0, 7)
    assert least_error_regularization(400, 1.0, 7, left=0.25) == pytest.approx(4 * plain)
