"""Offsets that give classes their shares: against a solver of equations, and where there is hardly anything to move."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import root
from scipy.special import softmax

from tacit.arrays import FloatArray
from tacit.numerics.class_offsets import offsets_for_shares

SCORES = np.random.default_rng(0).normal(size=(200, 3)) * [0.5, 2.0, 1.0]


def solved(scores: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the offsets by a general solver; the last equation follows from the others, and their sum is 0."""

    def wrong(offsets: FloatArray) -> FloatArray:
        means = softmax(scores + offsets, axis=1).mean(axis=0)
        return np.append((means - shares)[:-1], offsets.sum())

    return np.asarray(root(wrong, np.zeros(len(shares)), tol=1e-12).x)


@pytest.mark.parametrize("shares", [[0.2, 0.3, 0.5], [0.01, 0.04, 0.95], [1 / 3, 1 / 3, 1 / 3]])
def test_they_solve_the_equations(shares: list[float]) -> None:
    offsets = offsets_for_shares(SCORES, np.array(shares))
    np.testing.assert_allclose(offsets, solved(SCORES, np.array(shares)), atol=1e-6)
    np.testing.assert_allclose(softmax(SCORES + offsets, axis=1).mean(axis=0), shares, atol=1e-7)


def test_scores_that_have_the_shares_stay() -> None:
    means = softmax(SCORES, axis=1).mean(axis=0)
    np.testing.assert_allclose(offsets_for_shares(SCORES, means), 0, atol=1e-7)


@pytest.mark.parametrize("scores", [[[3.0, -1.0, 0.0]], [[0.0, 0.0, 0.0]], [[50.0, 0.0, -50.0]]])
def test_one_row_gets_the_shares_themselves(scores: ArrayLike) -> None:
    rows = np.asarray(scores, dtype=float)
    shares = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(softmax(rows + offsets_for_shares(rows, shares), axis=1)[0], shares, atol=1e-7)
