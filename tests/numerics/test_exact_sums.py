"""Sums of whole quanta: exact in any order, bounded by public facts."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.numerics.exact_sums import (
    FEW_CLASSES,
    LARGEST_ENTRY,
    MOST_ROWS,
    class_summation,
    quanta,
    require_countable,
    unit_entry,
)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 105, 784, 2000, 99_999])
def test_no_row_of_largest_entries_is_longer_than_one(width: int) -> None:
    largest, quantum = unit_entry(width)
    assert width * (largest * Fraction(quantum)) ** 2 <= 1
    assert width * ((largest + 1) * Fraction(quantum)) ** 2 > 1
    assert LARGEST_ENTRY // 3 < largest <= LARGEST_ENTRY
    assert math.log2(quantum).is_integer()


def test_the_largest_table_of_the_largest_entries_has_room_in_64_bits() -> None:
    assert LARGEST_ENTRY * MOST_ROWS < 2**63
    require_countable(MOST_ROWS)
    with pytest.raises(InputError, match="at most 2\\^40 rows"):
        require_countable(MOST_ROWS + 1)


def test_quanta_are_the_nearest_whole_numbers_within_their_bound() -> None:
    largest, _ = unit_entry(7)
    x = np.array([0.0, 0.25, 0.5, 1.0, 1 / 3])
    assert np.abs(quanta(x, largest) - 2 * largest * x).max() <= 0.5
    assert quanta(np.array([0.0, 1.0]), largest).tolist() == [0, 2 * largest]
    assert quanta(x.astype(np.float32), largest)[:4].tolist() == quanta(x, largest)[:4].tolist()
    assert quanta(np.array([True, False]), largest).tolist() == [2 * largest, 0]


@pytest.mark.parametrize("n_classes", [1, 2, FEW_CLASSES, FEW_CLASSES + 1, 9])
def test_class_sums_equal_a_loop_in_any_order(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    values, codes = quanta(rng.random(1000), LARGEST_ENTRY), rng.integers(0, max(n_classes - 1, 1), 1000)
    pairs = list(zip(values, codes, strict=True))
    loop = [sum(int(value) for value, code in pairs if code == which) for which in range(n_classes)]
    assert class_summation(codes, n_classes)(values).tolist() == loop
    order = rng.permutation(1000)
    assert class_summation(codes[order], n_classes)(values[order]).tolist() == loop


def test_class_sums_of_the_largest_entries_are_exact() -> None:
    n = 1 << 16
    codes, values = np.arange(n) % 2, np.full(n, 2.0 * LARGEST_ENTRY - 1)
    assert class_summation(codes, 2)(values).tolist() == [n // 2 * (2 * LARGEST_ENTRY - 1)] * 2
