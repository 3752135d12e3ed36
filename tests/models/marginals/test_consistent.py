"""Counts that can be true together."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from tacit.models.marginals.consistent import consistent_column, consistent_pair, with_class_counts
from tacit.models.marginals.tables import ColumnTable


def test_a_pair_is_the_nearest_table_with_its_sums() -> None:
    rng = np.random.default_rng(0)
    true = rng.poisson(3.0, (2, 4, 3)).astype(float)
    noisy = true + rng.normal(0, 4, true.shape)
    margins = true.sum(axis=2), true.sum(axis=1)
    found = consistent_pair(noisy, margins, np.zeros(true.shape, dtype=bool))
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=2), margins[0], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), margins[1], atol=1e-6)
    # The oracle weighs the sums so much that they hold.
    sums = np.vstack([np.kron(np.eye(4), np.ones(3)), np.kron(np.ones(4), np.eye(3))])
    for code in range(2):
        matrix = np.vstack([np.eye(12), 1e4 * sums])
        right = np.concatenate([noisy[code].ravel(), 1e4 * margins[0][code], 1e4 * margins[1][code]])
        nearest = lsq_linear(matrix, right, bounds=(0, np.inf), method="bvls", max_iter=1000).x
        np.testing.assert_allclose(found[code].ravel(), nearest, atol=0.05)


def test_ruled_out_cells_stay_empty_and_sums_hold() -> None:
    noisy = np.array([[[50.0, 12.0], [30.0, 40.0]]])
    ruled_out = np.array([[[False, True], [False, False]]])
    margins = np.array([[52.0, 68.0]]), np.array([[78.0, 42.0]])
    found = consistent_pair(noisy, margins, ruled_out)
    np.testing.assert_allclose(found, [[[52.0, 0.0], [26.0, 42.0]]], atol=1e-6)


def test_sums_that_cannot_hold_still_give_a_table() -> None:
    ruled_out = np.array([[[True, True], [False, False]]])
    found = consistent_pair(np.ones((1, 2, 2)), (np.array([[5.0, 5.0]]), np.array([[5.0, 5.0]])), ruled_out)
    assert found.sum() == pytest.approx(10)
    assert found.min() >= 0
    assert found[ruled_out].sum() == 0


def test_fine_cells_add_up_to_coarse_ones() -> None:
    table = ColumnTable(
        np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.array([[4.0, -3.0, 2.0, 9.0]]), np.array([0, 0, 1, 1])
    )
    found = consistent_column(table, np.array([[5.0, 8.0]]), np.zeros((1, 4), dtype=bool))
    np.testing.assert_allclose(found, [[5.0, 0.0, 0.5, 7.5]])
    # What is ruled out goes to the others of its coarse cell, or of its class if none is left.
    found = consistent_column(table, np.array([[5.0, 8.0]]), np.array([[False, False, True, False]]))
    np.testing.assert_allclose(found, [[5.0, 0.0, 0.0, 8.0]])
    found = consistent_column(table, np.array([[5.0, 8.0]]), np.array([[True, True, False, False]]))
    np.testing.assert_allclose(found.sum(), 13.0)


def test_a_class_without_any_count_stays_so() -> None:
    found = with_class_counts(np.array([[0.0, 0.0], [1.0, 3.0]]), np.array([7.0, 8.0]))
    assert found.tolist() == [[0.0, 0.0], [2.0, 6.0]]
