from typing import Any

import numpy as np
import pytest

from tacit.numerics.kernels import gaussian_kernel
from tacit.numerics.linalg import inverse_transposed, pivoted_cholesky, principal_directions


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_factor_multiplies_to_the_rows_kept(rng: np.random.Generator) -> None:
    A = rng.normal(size=(12, 3))
    K = gaussian_kernel(A, A, np.ones(3))
    L, kept = pivoted_cholesky(K, tolerance=1e-14)
    assert sorted(kept) == list(range(12))
    assert np.allclose(L @ L.T, K[np.ix_(kept, kept)], atol=1e-13)
    assert np.array_equal(L, np.tril(L))


def test_rows_that_others_span_are_left_out_and_nothing_is_lost(rng: np.random.Generator) -> None:
    A = rng.normal(size=(6, 2))
    A = np.vstack([A, A[:4], A[0] + 1e-12])
    K = gaussian_kernel(A, A, np.ones(2))
    L, kept = pivoted_cholesky(K, tolerance=len(A) * np.finfo(float).eps)
    assert len(kept) == 6
    assert np.allclose(np.unique(A[kept].round(9), axis=0), np.unique(A.round(9), axis=0))
    projected = K[:, kept] @ np.linalg.solve(L @ L.T, K[kept])
    assert np.allclose(projected, K, atol=1e-9)


def test_the_inverse_of_a_factor_is_transposed(rng: np.random.Generator) -> None:
    L = np.tril(rng.normal(size=(7, 7))) + 3 * np.eye(7)
    assert np.allclose(inverse_transposed(L), np.linalg.inv(L).T)


@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (5, 5)])
def test_directions_are_the_leading_eigenvectors_of_the_covariance(
    shape: tuple[int, int], rng: np.random.Generator
) -> None:
    Y = rng.normal(size=shape) * np.linspace(1, 3, shape[1]) + 7
    _, vectors = np.linalg.eigh(np.cov(Y.T))
    P = principal_directions(Y, 3)
    assert np.allclose(P @ P.T, np.eye(3), atol=1e-12)
    for place, direction in enumerate(P):
        assert abs(direction @ vectors[:, -1 - place]) == pytest.approx(1, abs=1e-9)
        assert direction[np.abs(direction).argmax()] > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_there_are_no_more_directions_than_the_rows_span(dtype: Any, rng: np.random.Generator) -> None:
    Y = (rng.normal(size=(50, 2)) @ rng.normal(size=(2, 9)) + 1).astype(np.float64)
    assert len(principal_directions(Y, 5)) == 2
    assert len(principal_directions(rng.normal(size=(4, 9)).astype(dtype), 9)) == 3
    assert principal_directions(Y.astype(dtype), 1).dtype == dtype


@pytest.mark.parametrize("n_rows", [1, 5])
def test_rows_that_do_not_vary_still_have_one_direction(n_rows: int) -> None:
    P = principal_directions(np.full((n_rows, 3), 2.5), 2)
    assert P.shape == (1, 3)
    assert np.linalg.norm(P) == pytest.approx(1)


def test_columns_that_do_not_vary_are_in_no_direction(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(30, 6))
    Y[:, [1, 4]] = 0.5
    P = principal_directions(Y, 6)
    assert P.shape == (4, 6)
    assert not P[:, [1, 4]].any()


def test_columns_on_very_different_scales_are_all_seen(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(60, 3)) * [1e5, 1.0, 1e-1]
    assert np.allclose(np.abs(principal_directions(Y.astype(np.float32), 3)), np.eye(3), atol=5e-2)
