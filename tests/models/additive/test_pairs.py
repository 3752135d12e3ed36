"""Pairs of columns: cells, features of joint cells, rows that have them, tables and files."""

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, random_codes, random_targets

from tacit.errors import InputError
from tacit.models.additive.features import table_features
from tacit.models.additive.levels import number_levels
from tacit.models.additive.pairs import (
    N_CELLS,
    PAIR_VARIANCE,
    RANK,
    CoarseColumn,
    LevelPair,
    PairCurve,
    coarse_column,
    level_pair,
    pair_features,
    pair_from_dict,
    pair_shares,
    pairs_to_list,
    with_joint_cells,
    with_pairs,
)
from tacit.models.additive.rows import RowLayout, batch_list

LAYOUT = RowLayout(COLUMNS)


def counts() -> list[np.ndarray]:
    random = np.random.default_rng(4)
    return [random.integers(1, 100, one.size).astype(float) for one in COLUMNS]


def coarse() -> list[CoarseColumn]:
    return [coarse_column(levels, mass) for levels, mass in zip(COLUMNS, counts(), strict=True)]


@pytest.mark.parametrize("place", range(4))
def test_a_coarse_column_has_few_cells_and_centred_features_of_unit_norm(place: int) -> None:
    column = coarse()[place]
    assert len(column.cells) == COLUMNS[place].size
    assert column.cells.max() + 1 == len(column.shares) <= N_CELLS + 1
    assert column.values.shape[1] <= RANK
    np.testing.assert_allclose(column.shares.sum(), 1)
    np.testing.assert_allclose(column.shares @ column.values, 0, atol=1e-9)
    np.testing.assert_allclose((column.shares @ column.values**2).sum(), 1)


def test_a_spike_stands_alone_and_frequent_missing_values_do() -> None:
    age = number_levels("age", 0, 30, integer=True)
    mass = np.ones(age.size)
    mass[10], mass[-1] = 60.0, 20.0
    cells = coarse_column(age, mass).cells
    assert np.count_nonzero(cells == cells[10]) == 1
    assert np.count_nonzero(cells == cells[-1]) == 1
    rare = coarse_column(age, np.append(mass[:-1], 0.5)).cells
    assert rare[-1] == rare[10], "few missing values go where most rows are"


def test_a_column_of_one_level_has_no_features() -> None:
    constant = coarse_column(COLUMNS[2], np.array([50.0, 0.0]))
    assert constant.values.shape[1] == 0


def test_features_of_joint_cells_are_products_and_centred_for_independent_columns() -> None:
    columns = coarse()
    features, shares = pair_features(columns[0], columns[3]), pair_shares(columns, level_pair(columns, 0, 3))
    expected = [np.outer(a, b).ravel() for a in columns[0].values for b in columns[3].values]
    np.testing.assert_allclose(features, expected)
    np.testing.assert_allclose(shares @ features, 0, atol=1e-9)
    np.testing.assert_allclose((shares @ features**2).sum(), 1)


def test_rows_get_one_joint_cell_for_each_pair() -> None:
    columns, codes = coarse(), random_codes(70)
    pairs = [level_pair(columns, 0, 1), level_pair(columns, 2, 3)]
    (alone,) = batch_list(codes, random_targets(70, 2), COLUMNS)
    batch = with_joint_cells(LAYOUT, pairs, alone)
    dense = batch.indicator.toarray()
    assert dense.shape[1] == LAYOUT.size + sum(pair.size for pair in pairs)
    np.testing.assert_array_equal(dense.sum(axis=1), len(COLUMNS) + 2)
    for row, code in zip(dense, codes.astype(int), strict=True):
        start = LAYOUT.size
        for pair in pairs:
            first, second = (cells[code[at]] for cells, at in zip(pair.cells, pair.columns, strict=True))
            assert row[start + first * pair.shape[1] + second] == 1
            start += pair.size


def test_features_of_pairs_stand_behind_those_of_columns() -> None:
    columns, alone = coarse(), table_features(COLUMNS, counts())
    pairs = [level_pair(columns, 0, 1), level_pair(columns, 1, 3)]
    both = with_pairs(alone, columns, pairs)
    size = alone.matrix.shape[1]
    np.testing.assert_array_equal(both.matrix.toarray()[: LAYOUT.size, :size], alone.matrix.toarray())
    assert both.matrix[: LAYOUT.size, size:].nnz == 0
    assert len(both.columns) == len(COLUMNS) + 2
    for column in both.columns[-2:]:
        assert both.variances[column].sum() == pytest.approx(PAIR_VARIANCE)


def table() -> PairCurve:
    columns = coarse()
    pair, random = level_pair(columns, 0, 3), np.random.default_rng(1)
    values, deviations = random.normal(size=(2, pair.size, 2))
    return PairCurve(pair, values, np.abs(deviations), pair_shares(columns, pair))


def test_a_pair_adds_what_its_cell_says_and_nothing_where_a_level_is_unknown() -> None:
    pairs, codes = table(), random_codes(30).astype(int)
    codes[:5, 0], codes[5:9, 3] = -1, -1
    values, variances = pairs.scores(codes)
    assert (values[:9] == 0).all()
    assert (variances[:9] == 0).all()
    for row, code in zip(values[9:], codes[9:], strict=True):
        first, second = (cells[code[at]] for cells, at in zip(pairs.pair.cells, (0, 3), strict=True))
        np.testing.assert_array_equal(row, pairs.values.reshape(*pairs.pair.shape, 2)[first, second])
    assert pairs.energy == pytest.approx(sum(pairs.shares @ pairs.values[:, k] ** 2 for k in range(2)))


def test_a_pair_is_read_as_it_was_written() -> None:
    written = pairs_to_list([table()])
    again = pair_from_dict(written[0], COLUMNS)
    assert again.columns == (0, 3)
    np.testing.assert_array_equal(again.cells[0], table().pair.cells[0])
    assert pairs_to_list([PairCurve(again, *(np.zeros(1),) * 3)]) == written


@pytest.mark.parametrize("change", [{"columns": [0, 9]}, {"columns": [-1, 3]}, {"cells": [[0, 1], [0]]}])
def test_a_malformed_pair_is_refused(change: dict[str, object]) -> None:
    (content,) = pairs_to_list([table()])
    with pytest.raises(InputError, match="a pair must"):
        pair_from_dict(content | change, COLUMNS)


def test_cells_of_unknown_levels_are_marked() -> None:
    pair = LevelPair((0, 1), (np.array([0, 1]), np.array([0, 0, 1])))
    assert pair.size == 4
    assert pair.joint_cells(np.array([[1, 2], [0, 1], [-1, 0], [1, -1]])).tolist() == [3, 0, -1, -1]
