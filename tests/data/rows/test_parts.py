"""Parts of a table follow what its rows hold."""

from collections import Counter

import numpy as np
import pytest

from tacit.data.rows.parts import row_parts
from tacit.errors import InputError

RNG = np.random.default_rng(3)
X = RNG.integers(0, 3, (200, 2)).astype(float)  # nine different rows: most of them many times
CODES = RNG.integers(0, 2, 200)


def contents(X: np.ndarray, codes: np.ndarray, n_parts: int = 3) -> Counter[tuple[float, ...]]:
    return Counter(map(tuple, np.column_stack([X, codes, row_parts(X, codes, n_parts)])))


def test_the_order_of_the_table_does_not_matter() -> None:
    order = RNG.permutation(200)
    assert contents(X[order], CODES[order]) == contents(X, CODES)


def test_a_row_more_or_less_moves_no_other() -> None:
    for place in (0, 77, 199):
        less = contents(np.delete(X, place, axis=0), np.delete(CODES, place))
        assert (contents(X, CODES) - less).total() == 1
        assert (less - contents(X, CODES)).total() == 0


def test_a_replaced_row_moves_no_other() -> None:
    for place in (0, 77, 199):
        other, codes = X.copy(), CODES.copy()
        other[place], codes[place] = [7.0, -1.0], 1 - codes[place]
        assert (contents(other, codes) - contents(X, CODES)).total() == 1


def test_parts_are_of_nearly_equal_size_and_equal_rows_lie_in_all_of_them() -> None:
    rows = RNG.normal(size=(3000, 4))
    sizes = np.bincount(row_parts(rows, np.zeros(3000, dtype=int), 3), minlength=3)
    assert (np.abs(sizes - 1000) < 130).all()  # five standard deviations
    assert set(row_parts(np.ones((50, 2)), np.zeros(50, dtype=int), 2).tolist()) == {0, 1}


def test_the_two_zeros_are_one_number_and_labels_count() -> None:
    zeros = np.zeros((64, 1))
    none = np.zeros(64, dtype=int)
    assert np.array_equal(row_parts(zeros, none, 2), row_parts(-zeros, none, 2))
    assert not np.array_equal(row_parts(zeros, none, 2), row_parts(zeros, none + 1, 2))


def test_rows_and_codes_must_match() -> None:
    with pytest.raises(InputError, match="codes must hold one class"):
        row_parts(X, CODES[:-1], 2)
    assert row_parts(np.empty((0, 2)), np.empty(0, dtype=int), 2).shape == (0,)
