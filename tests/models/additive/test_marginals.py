"""Noisy numbers of rows: the query, its sensitivity by brute force, and what is read from the answer."""

import itertools

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, classes, random_batches, random_codes, random_targets, with_row

from tacit.errors import InputError
from tacit.models.additive.levels import number_levels
from tacit.models.additive.marginals import (
    count_levels,
    marginal_query,
    query_size,
    read_marginals,
    root_of_sums,
    squared_norms,
)
from tacit.models.additive.rows import Batches, RowLayout, batches_of
from tacit.numerics.exact_sums import MOST_ROWS

TARGET = classes(3)
LAYOUT = RowLayout((*COLUMNS, TARGET))


def query(batches: Batches) -> np.ndarray:
    counts, n_rows = count_levels(batches, RowLayout(COLUMNS).size, TARGET)
    return marginal_query(counts, LAYOUT, n_rows).values


@pytest.mark.parametrize("size", [1, 2, 7, 60])
def test_the_root_squared_gives_running_sums(size: int) -> None:
    root, norm = root_of_sums(size)
    np.testing.assert_allclose(root @ root, np.tril(np.ones((size, size))), atol=1e-12)
    assert norm == pytest.approx(np.linalg.norm(root, axis=0).max())


def test_no_row_moves_the_query_by_more_than_one() -> None:
    codes, targets = random_codes(20), random_targets(20, 3)
    before = query(batches_of(codes, targets, COLUMNS))
    extremes = [sorted({0, one.size // 2, one.size - 2, one.size - 1}) for one in COLUMNS]
    moved = [
        np.linalg.norm(query(with_row(codes, targets, np.array([row], np.uint8), label)) - before)
        for row in itertools.product(*extremes)
        for label in range(3)
    ]
    assert max(moved) <= 1
    assert max(moved) > 0.999, "the bound is reached: less noise would not do"


def test_the_squared_norm_is_that_of_the_longest_row() -> None:
    # Two numbers, a category of several levels and the target add 1 each, the count 1, two levels a quarter.
    assert squared_norms(LAYOUT.levels) == 1 + 2 + 1 + 1 + 0.25


def test_without_noise_the_numbers_are_exact() -> None:
    batches = random_batches(400, 3)
    counts, n_rows = count_levels(batches, RowLayout(COLUMNS).size, TARGET)
    asked = marginal_query(counts, LAYOUT, n_rows).values
    assert len(asked) == query_size(LAYOUT.levels)
    read = read_marginals(asked, LAYOUT)
    np.testing.assert_allclose(np.concatenate([*read.columns, read.target]), counts, atol=1e-6)
    assert read.n_rows == pytest.approx(400)


def test_counts_are_what_a_loop_counts() -> None:
    codes, targets = random_codes(60), random_targets(60, 3)
    counts, n_rows = count_levels(batches_of(codes, targets, COLUMNS), RowLayout(COLUMNS).size, TARGET)
    parts = list(LAYOUT.parts())
    for column in range(4):
        for level in range(COLUMNS[column].size):
            assert counts[parts[column]][level] == sum(codes[:, column] == level)
    assert n_rows == 60
    assert counts[parts[-1]].tolist() == [sum(targets == k) for k in range(3)]


def test_a_numeric_target_is_counted_in_its_levels() -> None:
    target = number_levels("price", 0.0, 10.0)
    numbers = np.linspace(0, 10, 33)
    batches = batches_of(random_codes(33), numbers, COLUMNS)
    counts, _ = count_levels(batches, RowLayout(COLUMNS).size, target)
    expected = np.bincount(target.codes(numbers), minlength=target.size)
    np.testing.assert_array_equal(counts[RowLayout(COLUMNS).size :], expected)


def test_neither_order_nor_batches_change_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, targets = random_codes(500), random_targets(500, 3)
    first = query(batches_of(codes, targets, COLUMNS))
    monkeypatch.setattr("tacit.models.additive.rows.BATCH_ROWS", 37)
    order = np.random.default_rng(3).permutation(500)
    np.testing.assert_array_equal(query(batches_of(codes[order], targets[order], COLUMNS)), first)


def test_noise_never_makes_numbers_of_rows_negative() -> None:
    answer = query(random_batches(30, 3)) + np.random.default_rng(0).normal(0, 40, query_size(LAYOUT.levels))
    read = read_marginals(answer, LAYOUT)
    assert read.n_rows >= 1
    assert min(part.min() for part in (*read.columns, read.target)) >= 0


def test_running_sums_of_many_levels_are_off_by_a_few_deviations_only() -> None:
    # The reason for the square root: with noise on each count, the sum of 200 would be off by 14 of them.
    column = number_levels("x", 0, 199, integer=True)
    layout = RowLayout((column, classes(2)))
    answer = np.random.default_rng(1).normal(0, 1.0, (300, query_size(layout.levels)))
    root, norm = root_of_sums(column.size - 1)
    halves = (answer[:, : column.size - 1] @ root.T)[:, 100] * norm
    assert halves.std() < 7


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(InputError, match="at most"):
        marginal_query(np.zeros(LAYOUT.size, dtype=np.int64), LAYOUT, MOST_ROWS + 1)


def test_sums_over_more_rows_than_64_bits_hold_are_exact() -> None:
    """A row counted 2^39 times adds 2^39 times as much, to the last digit."""
    counts, _ = count_levels(random_batches(1, 3), RowLayout(COLUMNS).size, TARGET)
    one, many = marginal_query(counts, LAYOUT, 1), marginal_query(counts << 39, LAYOUT, 1 << 39)
    assert [each << 39 for each in one.integers.tolist()] == many.integers.tolist()
    assert max(map(abs, many.integers.tolist())) > 2**63
