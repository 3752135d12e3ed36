from typing import Any

import numpy as np
import pytest

from tacit.numerics.kernels import Floats
from tacit.numerics.linalg import principal_directions
from tacit.numerics.subspace import leading_directions


def table(N: int, p: int, dtype: Any = np.float64, seed: int = 0) -> Floats:
    """Centred rows whose variances fall like those of pictures: a few large, many small."""
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=(N, p)) / np.arange(1, p + 1)) @ np.linalg.qr(rng.normal(size=(p, p)))[0]
    return np.asarray(rows - rows.mean(axis=0), dtype=dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_leading_directions_are_the_principal_ones(dtype: Any) -> None:
    C = table(400, 150, dtype)
    V = leading_directions(C, 30)
    assert V.dtype == dtype
    assert np.allclose(V @ V.T, np.eye(30), atol=1e-5)
    assert np.abs((principal_directions(C, 6) * V[:6]).sum(axis=1)).min() > 0.999


def test_along_them_the_rows_are_uncorrelated_and_nearly_as_spread_as_can_be() -> None:
    C = table(400, 150)
    Z, best = C @ leading_directions(C, 30).T, C @ principal_directions(C, 30).T
    cross = Z.T @ Z
    assert np.allclose(cross, np.diag(np.diag(cross)), atol=1e-8 * cross[0, 0])
    assert (np.diff(np.diag(cross)) <= 0).all()
    assert (Z**2).sum() > 0.998 * (best**2).sum()


@pytest.mark.parametrize("shape", [(40, 150), (400, 40), (1, 5), (2, 200)])
def test_small_tables_are_factorised_exactly(shape: tuple[int, int]) -> None:
    C = table(*shape)
    assert np.array_equal(leading_directions(C, 20), principal_directions(C, 20))


def test_columns_that_do_not_vary_are_in_no_direction() -> None:
    C = table(400, 150)
    C[:, 10:20] = 0
    assert not leading_directions(C, 20)[:, 10:20].any()


def test_no_direction_is_missed_where_the_first_rows_are_equal() -> None:
    C = table(400, 150)
    C[:200] = C[0]
    C -= C.mean(axis=0)
    Z, best = C @ leading_directions(C, 30).T, C @ principal_directions(C, 30).T
    assert (Z**2).sum() > 0.99 * (best**2).sum()


def test_rows_of_low_rank_have_as_many_directions() -> None:
    rng = np.random.default_rng(0)
    C = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 100))
    assert leading_directions(C - C.mean(axis=0), 20).shape == (3, 100)
