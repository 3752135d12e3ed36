"""Rows column by column give the matrix, whole, in slices and in blocks of one size."""

import numpy as np
import pytest

from tacit.data.rows.encoded_columns import ColumnPart, EncodedColumns


def rows(n: int = 10) -> EncodedColumns:
    rng = np.random.default_rng(n)
    number = ColumnPart(((0, rng.random(n)), (1, rng.random(n) < 0.5)))
    category = ColumnPart((), rng.integers(0, 3, n), 2, 3)
    persons = np.array([f"p{place}" for place in range(n)])
    return EncodedColumns((number, category), 5, rng.integers(-1, 2, n), persons, rng.random(n))


def by_cells(table: EncodedColumns) -> np.ndarray:
    X = np.zeros((len(table), table.width))
    for row in range(len(table)):
        for part in table.parts:
            for position, values in part.numbers:
                X[row, position] = values[row]
            if part.ones is not None:
                X[row, part.start + part.ones[row]] = 1.0
    return X


def test_the_matrix_has_numbers_and_ones_in_their_columns() -> None:
    table = rows()
    assert np.array_equal(table.matrix(), by_cells(table))


@pytest.mark.parametrize(("size", "first"), [(1, None), (4, None), (4, 3), (4, 4), (100, None), (100, 1)])
def test_slices_are_the_rows_in_order(size: int, first: int | None) -> None:
    table = rows()
    slices = list(table.slices(size, first))
    assert len(slices[0]) == min(first or size, 10)
    assert all(len(each) == size for each in slices[1:-1])
    assert np.array_equal(np.concatenate([each.matrix() for each in slices]), table.matrix())
    for name in ("y", "persons", "targets"):
        assert np.array_equal(np.concatenate([getattr(each, name) for each in slices]), getattr(table, name))


def test_a_table_without_rows_has_no_slices() -> None:
    assert not list(rows(0).slices(4))


def test_blocks_are_of_one_size_and_end_in_rows_of_zeros() -> None:
    table = rows()
    blocks = list(table.blocks(4))
    assert [len(block) for block in blocks] == [4, 4, 4]
    assert np.array_equal(np.concatenate(blocks)[:10], table.matrix())
    assert not blocks[-1][2:].any()


def test_kept_rows_are_those_of_the_mask() -> None:
    table, kept = rows(), np.arange(10) % 3 == 0
    assert np.array_equal(table.where(kept).matrix(), table.matrix()[kept])
    assert table.where(np.ones(10, bool)) is table
