import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Numeric
from tacit.models.marginals.coarse import CellScale, _without_tiny, coarse_groups
from tacit.models.marginals.levels import levels_of

SCALE = CellScale(n_rows=1000.0, cell_sigma=2.0, pair_sigma=2.5)
LONG = levels_of(Numeric("x", (0, 5000), integer=True, missing="flag"))


def test_coarse_cells_hold_about_their_target() -> None:
    assert SCALE.target == pytest.approx(150)  # sqrt(1000 / (9 * 2.5)) = 6.67 cells
    groups = coarse_groups(np.full((2, 101), 5.0), LONG, SCALE)
    sizes = np.bincount(groups[:-1]) * 10
    assert (sizes >= 150).sum() >= 6
    assert groups[-1] == groups.max()
    assert np.array_equal(np.unique(groups), np.arange(groups.max() + 1))


def test_numbers_are_joined_with_neighbours_only() -> None:
    groups = coarse_groups(np.random.default_rng(0).uniform(0, 12, (2, 60)), LONG, SCALE)
    assert (np.diff(groups) >= 0).all()


def test_a_missing_cell_is_never_joined() -> None:
    tables = np.full((2, 30), 20.0)
    tables[:, -1] = 0.0
    groups = coarse_groups(tables, LONG, SCALE)
    assert (groups == groups[-1]).sum() == 1


def test_a_heavy_cell_stands_alone() -> None:
    tables = np.full((2, 20), 5.0)
    tables[:, 7] = 300.0
    groups = coarse_groups(tables, LONG, SCALE)
    assert (groups == groups[7]).sum() == 1


def test_neighbours_whose_classes_differ_are_not_joined() -> None:
    alike, apart = np.full((2, 6), 10.0), np.full((2, 6), 10.0)
    apart[:, :2], apart[:, 2:] = np.array([[19.0], [1.0]]), np.array([[1.0], [19.0]])
    scale = CellScale(n_rows=120.0, cell_sigma=0.5, pair_sigma=30.0)  # two cells of 60 rows
    column = levels_of(Numeric("x", (0, 5000), integer=True))
    assert coarse_groups(alike, column, scale).tolist() == [0, 0, 0, 1, 1, 1]
    assert coarse_groups(apart, column, scale)[1] != coarse_groups(apart, column, scale)[2]


def test_rare_categories_are_pooled_and_frequent_ones_stand_alone() -> None:
    column = levels_of(Categorical("c", tuple("abcdef")))
    tables = np.array([[200.0, 2, 3, 150, 1, 2], [100.0, 2, 1, 250, 1, 2]])
    groups = coarse_groups(tables, column, SCALE)
    assert (groups == groups[0]).sum() == 1
    assert (groups == groups[3]).sum() == 1
    assert len({int(groups[place]) for place in (1, 2, 4, 5)}) == 1


def test_all_categories_may_be_rare() -> None:
    column = levels_of(Categorical("c", tuple("abcdef")))
    groups = coarse_groups(np.full((2, 6), 1.0), column, SCALE)
    assert groups.tolist() == [0] * 6


def test_tiny_groups_join_their_lightest_neighbour() -> None:
    totals = np.array([50.0, 1.0, 20.0, 60.0])
    joined = _without_tiny([[0], [1], [2], [3]], totals, 10.0, neighbours=True)
    assert joined == [[0], [1, 2], [3]]
