import itertools

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.models.marginals.layout import Layout
from tacit.similarity import joint_cells
from tacit.similarity.joint_cells import (
    CellRule,
    cell_rule,
    impossible_rows,
    mean_variation,
    pair_variations,
    variation,
)

LAYOUT = Layout.of(SCHEMA)
FIRST, SECOND = (encode(people(1500, seed), SCHEMA) for seed in (0, 1))
RULE = cell_rule(LAYOUT.row_codes(FIRST.X), LAYOUT)
A, B = (RULE.cells(LAYOUT.row_codes(rows.X), rows.y) for rows in (FIRST, SECOND))


def oracle(first: np.ndarray, second: np.ndarray, columns: tuple[int, ...]) -> float:
    cells = {tuple(row) for row in np.vstack([first, second])[:, columns]}
    shares = [{cell: np.mean((table[:, columns] == cell).all(axis=1)) for cell in cells} for table in (first, second)]
    return float(sum(abs(shares[0][cell] - shares[1][cell]) for cell in cells) / 2)


@pytest.mark.parametrize("columns", [(0,), (1, 4), (0, 3, 6)])
def test_variation_equals_counting_every_cell(columns: tuple[int, ...]) -> None:
    assert variation(A, B, RULE.sizes, columns) == pytest.approx(oracle(A, B, columns))


def test_means_are_over_all_sets_of_columns() -> None:
    every = [variation(A, B, RULE.sizes, pair) for pair in itertools.combinations(range(7), 2)]
    assert mean_variation(A, B, RULE.sizes, 2) == pytest.approx(np.mean(every))
    matrix = pair_variations(A, B, RULE.sizes)
    assert matrix[np.triu_indices(7, 1)].mean() == pytest.approx(np.mean(every))
    assert matrix.diagonal().mean() == pytest.approx(mean_variation(A, B, RULE.sizes, 1))


def test_a_table_equals_itself_and_more_columns_are_further_apart() -> None:
    assert mean_variation(A, A, RULE.sizes, 3) == 0
    assert (
        mean_variation(A, B, RULE.sizes, 1) < mean_variation(A, B, RULE.sizes, 2) < mean_variation(A, B, RULE.sizes, 3)
    )


def test_a_spike_and_missing_cells_are_cells_of_their_own() -> None:
    gain, dose = LAYOUT.names.index("gain"), LAYOUT.names.index("dose")
    codes = LAYOUT.row_codes(FIRST.X)
    spike = A[codes[:, gain] == 0, gain]
    assert len(np.unique(spike)) == 1
    assert not np.isin(A[codes[:, gain] > 0, gain], spike).any()
    missing = codes[:, dose] == LAYOUT.columns[dose].count
    assert set(A[missing, dose]) == {RULE.sizes[dose] - 1}
    assert (A[~missing, dose] < RULE.sizes[dose] - 1).all()


def test_cells_hold_about_a_tenth_of_the_original_rows() -> None:
    counts = np.bincount(A[:, 0])
    assert len(counts) <= 11
    assert counts.max() < 0.2 * len(A)


def test_combinations_that_no_original_row_has_are_counted() -> None:
    share, pairs = impossible_rows(A, A, RULE)
    assert share == 0
    assert pairs == []
    wrong = A.copy()
    wrong[:150, 5] = (wrong[:150, 5] + 3) % 8  # points that contradict grades
    share, pairs = impossible_rows(A, wrong, RULE)
    assert share == pytest.approx(0.1, abs=0.03)
    assert ("grade", "points") in [pair.columns for pair in pairs]


def test_of_many_sets_of_columns_a_fixed_choice_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [variation(A, B, RULE.sizes, columns) for columns in itertools.combinations(range(7), 3)]
    monkeypatch.setattr(joint_cells, "MOST_SETS", 6)
    some = mean_variation(A, B, RULE.sizes, 3)
    assert some == mean_variation(A, B, RULE.sizes, 3)
    assert min(every) < some < max(every)
    assert some != pytest.approx(np.mean(every), abs=1e-12)


def test_tables_without_a_common_cell_are_as_far_apart_as_can_be() -> None:
    first, second = np.zeros((1, 2), np.int64), np.ones((3, 2), np.int64)
    sizes = np.array([2, 2])
    assert variation(first, second, sizes, (0,)) == variation(first, second, sizes, (0, 1)) == 1
    assert pair_variations(first, second, sizes).tolist() == [[1, 1], [1, 1]]


def test_fewer_columns_than_asked_for_are_no_distance() -> None:
    one = np.zeros((4, 1), np.int64)
    assert mean_variation(one, one, np.array([1]), 2) == 0
    rule = CellRule(("a",), (np.array([0]),))
    assert impossible_rows(one, one, rule) == (0, [])


def test_impossible_pairs_are_those_of_a_loop_over_all_cells() -> None:
    random = np.random.default_rng(0)
    original, other = random.integers(0, 3, (60, 3)), random.integers(0, 3, (40, 3))
    original[:, 1] = (original[:, 0] + random.integers(0, 2, 60)) % 3  # of nine combinations three never occur
    rule = CellRule(("a", "b", "c"), (np.arange(3),) * 3)
    hits = {pair: np.zeros(40, bool) for pair in itertools.combinations(range(3), 2)}
    for (i, j), (u, v) in itertools.product(hits, itertools.product(range(3), repeat=2)):
        expected = (original[:, i] == u).sum() * (original[:, j] == v).sum() / 60
        if expected >= joint_cells.LEAST_EXPECTED and not ((original[:, i] == u) & (original[:, j] == v)).any():
            hits[i, j] |= (other[:, i] == u) & (other[:, j] == v)
    share, pairs = impossible_rows(original, other, rule)
    assert share == np.any(list(hits.values()), axis=0).mean() > 0
    assert [(pair.columns, pair.share) for pair in pairs] == [(("a", "b"), hits[0, 1].mean())]


def test_a_column_that_is_always_missing_has_one_cell_for_that() -> None:
    codes, dose = LAYOUT.row_codes(FIRST.X).copy(), LAYOUT.names.index("dose")
    codes[:, dose] = LAYOUT.columns[dose].count
    rule = cell_rule(codes, LAYOUT)
    assert rule.cells(codes, FIRST.y)[:, dose].tolist() == [1] * len(codes)
    assert rule.sizes[dose] == 2
