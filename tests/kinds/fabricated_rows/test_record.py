"""Class sums and products in whole numbers: exact, in any order and division, and no longer than a row may be."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.kinds.fabricated_rows.test_make import MIXED, mixed_table

from tacit.data.public.schemas import image_schema
from tacit.data.rows.encoded_columns import EncodedColumns
from tacit.data.rows.stream import ArrayRows, Partial, added
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.fabricated_rows import KIND
from tacit.kinds.fabricated_rows.directions import Directions, directions_of
from tacit.kinds.fabricated_rows.record import (
    DIGITS,
    ROOT,
    ROOT_BITS,
    SUM_DIGITS,
    class_totals,
    matrices,
    released_moments,
    shortened,
    triangles,
    whole_products,
    whole_sums,
)
from tacit.models.bounded_rows import clip_rows
from tacit.numerics.exact_sums import require_countable
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget
from tacit.privacy.mechanisms import Laplace

PICTURES = image_schema((6, 6), ("0", "1"))


def quantum(norm: float, digits: int) -> float:
    return float(2.0 ** (math.floor(math.log2(norm)) - digits))


def table(schema: Schema, n: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    if schema is MIXED:
        return mixed_table(n)
    rng = np.random.default_rng(1)
    return rng.random((n, 36)), rng.integers(0, 2, n)


@pytest.mark.parametrize("schema", [MIXED, PICTURES], ids=["table", "pictures"])
@pytest.mark.parametrize("n", [1, 4096, 5000])
def test_sums_and_products_are_those_of_shortened_rows(schema: Schema, n: int) -> None:
    X, y = table(schema, n)
    directions = directions_of(schema)
    Z, rows = directions.coordinates(X), EncodedColumns.of_matrix(X, y)
    sums, counts = whole_sums(directions, 2, rows)
    means = np.random.default_rng(0).normal(0, 0.1, (2, directions.size))
    (products,) = whole_products(directions, means, rows)
    for code in (0, 1):
        mine = Z[y == code]
        unit = quantum(directions.row_norm, SUM_DIGITS)
        assert np.allclose(sums[code] * unit, clip_rows(mine, directions.row_norm).sum(axis=0), rtol=1e-12, atol=1e-12)
        assert counts[code] == len(mine)
        short = shortened(mine - means[code], directions.spread_norm)
        assert np.array_equal(products[code] * quantum(directions.spread_norm, DIGITS) ** 2, short.T @ short)


@pytest.mark.parametrize("schema", [MIXED, PICTURES], ids=["table", "pictures"])
def test_sums_are_the_same_in_any_order_and_division(schema: Schema) -> None:
    X, y = table(schema)
    directions, order = directions_of(schema), np.random.default_rng(2).permutation(len(y))
    means = np.zeros((2, directions.size))
    functions: list[Partial] = [partial(whole_sums, directions, 2), partial(whole_products, directions, means)]
    for function in functions:
        whole = function(EncodedColumns.of_matrix(X, y))
        shuffled = function(EncodedColumns.of_matrix(X[order], y[order]))
        parts = [function(EncodedColumns.of_matrix(X[rows], y[rows])) for rows in np.split(order, [1, 777])]
        together = added(added(parts[0], parts[1]), parts[2])
        for first, second, third in zip(whole, shuffled, together, strict=True):
            assert np.array_equal(first, second)
            assert np.array_equal(first, third)


def test_columns_without_covariances_sum_their_squares_alone() -> None:
    X, y = mixed_table(300)

    class Uncorrelated(Directions):
        correlated = property(lambda _: False)  # as with more columns than MOST_COLUMNS

    plain = directions_of(MIXED)
    fields = {name: getattr(plain, name) for name in plain.__dataclass_fields__}
    wide, means = Uncorrelated(**fields), np.zeros((2, plain.size))
    rows = EncodedColumns.of_matrix(X, y)
    (full,), (diagonal,) = whole_products(plain, means, rows), whole_products(wide, means, rows)
    assert np.array_equal(np.einsum("cii->ci", full), diagonal)
    released = triangles(diagonal).astype(float) * 2.0**-ROOT_BITS
    assert np.array_equal(matrices(released, plain.size), [np.diag(each) for each in diagonal])


def test_the_triangle_of_a_row_is_no_longer_than_its_squared_length() -> None:
    directions = directions_of(MIXED)
    for seed in range(20):
        Z = np.random.default_rng(seed).normal(size=(1, directions.size))
        cut = shortened(Z, directions.spread_norm) / quantum(directions.spread_norm, DIGITS)
        products = (cut.T @ cut).astype(np.int64)
        triangle = triangles(products[None])[0]
        # In whole numbers: sum of squares <= (|z|² 2^30)², without any rounding.
        assert sum(int(each) ** 2 for each in triangle) <= (int((cut**2).sum()) << ROOT_BITS) ** 2
        back = matrices(triangle[None].astype(float) * 2.0**-ROOT_BITS, directions.size)[0]
        np.testing.assert_allclose(back, products, rtol=1e-9)


def test_the_root_of_two_is_rounded_down() -> None:
    assert ROOT**2 <= 2 * 4**ROOT_BITS < (ROOT + 1) ** 2


def test_noise_aside_the_released_moments_are_those_of_the_rows() -> None:
    X, y = mixed_table(2000)
    directions = directions_of(MIXED)
    plan = KIND.plan(MIXED, unit="record", epsilon=90.0, delta=1e-3)
    account = Account.open(plan.steps, budget=plan.budget, random_state=0)
    rows = ArrayRows(X, y)
    moments = released_moments(account, class_totals(rows, 2, directions), rows, directions)
    for code in (0, 1):
        Z = directions.coordinates(X[y == code])
        np.testing.assert_allclose(moments.means[code], Z.mean(axis=0), atol=0.01)
        np.testing.assert_allclose(moments.covariances[code], np.cov(Z.T, bias=True), atol=0.01)
        assert moments.counts[code] == pytest.approx(len(Z), rel=0.01)


def test_a_plan_of_other_noise_is_refused() -> None:
    plan = KIND.plan(MIXED, unit="record", epsilon=1.0, delta=1e-3)
    steps = [replace(step, mechanism=Laplace.for_epsilon(0.1, sensitivity=1.0)) for step in plan.steps]
    account: Any = Account.open(steps, budget=Budget(1.0, 1e-3, unit="record"))
    with pytest.raises(InputError, match="Gaussian"):
        released_moments(account, (np.zeros((2, 6)), np.zeros(2)), ArrayRows(*mixed_table()), directions_of(MIXED))


def test_more_rows_than_the_sums_have_room_for_are_refused() -> None:
    with pytest.raises(InputError, match=r"at most 2\^34 rows"):
        require_countable(2**34 + 1, 2**34)
    require_countable(2**34, 2**34)
