"""Rows drawn block by block are the same at every pass, and as a table, a matrix and a release."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.kinds.fabricated_rows.test_make import MIXED, mixed_table

from tacit.kinds.fabricated_rows.make import Invented, fabricate
from tacit.kinds.fabricated_rows.rows import GaussianRows, sidecar_release

PROMISE: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-4, "random_state": 0}


def made(rows: int, **settings: Any) -> Invented:
    return fabricate(*mixed_table(400), MIXED, **{"unit": "record", **PROMISE, "rows": rows, **settings})


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.kinds.fabricated_rows.rows.BLOCK", 64)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("settings", [{"unit": "record"}, {"unit": "entry"}, {"unit": "entry", "method": "hull"}])
@pytest.mark.parametrize("n", [1, 64, 200])
def test_blocks_make_up_the_table(settings: dict[str, Any], n: int) -> None:
    rows = made(n, **settings)
    tables, codes = zip(*rows.tables(), strict=True)
    assert [table.height for table in tables] == [64] * (n // 64) + [n % 64] * (n % 64 > 0)
    assert pl.concat(tables).equals(rows.table())
    assert np.array_equal(np.concatenate(codes), rows.y)
    assert rows.n_rows == len(rows.X) == n


@pytest.mark.usefixtures("small_blocks")
def test_every_pass_draws_the_same_rows() -> None:
    rows = made(150)
    assert isinstance(rows, GaussianRows)
    for (X, y), (again, codes) in zip(rows.blocks(), rows.blocks(), strict=True):
        assert np.array_equal(X, again)
        assert np.array_equal(y, codes)


@pytest.mark.usefixtures("small_blocks")
def test_a_rare_class_has_its_categories_at_their_rate_over_blocks() -> None:
    rng = np.random.default_rng(0)
    X, y = mixed_table(4000)
    y = (rng.random(4000) < 0.03).astype(int)  # about two rows in a block of 64
    rows = fabricate(X, y, MIXED, unit="record", epsilon=90.0, delta=1e-3, rows=30_000, random_state=0)
    rare = rows.X[rows.y == 1][:, 1:4].mean(axis=0)
    assert np.abs(rare - X[y == 1][:, 1:4].mean(axis=0)).max() < 0.08
    assert rare.argmax() == 0
    assert rare.max() < 0.75


def test_the_release_beside_a_table_states_counts_rows_and_digest() -> None:
    rows = made(50)
    beside, whole = sidecar_release(rows, np.bincount(rows.y), "ab" * 32), rows.release()
    assert beside.settings == {"method": "moments", "rows": 50, "table_sha256": "ab" * 32}
    assert set(beside.arrays) == {"counts"}
    assert np.array_equal(beside.arrays["counts"], whole.arrays["counts"])
    assert whole.arrays["X"].shape == (50, len(MIXED.encoded_names))
