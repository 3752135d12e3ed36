import numpy as np
import pytest

from tacit.models.marginals.tables import (
    ColumnTable,
    PairTable,
    coarse_counts,
    to_simplex,
    with_common_totals,
    with_trees,
)
from tacit.models.marginals.trees import Cells


def column(counts: np.ndarray, groups: list[int]) -> ColumnTable:
    k = counts.shape[1]
    return ColumnTable(np.column_stack([np.arange(k), np.arange(1, k + 1)]), counts, np.array(groups))


def test_the_nearest_point_of_a_simplex_beats_all_others() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values, total = rng.normal(0, 3, 4), rng.uniform(0.1, 5)
        nearest = to_simplex(values, total)
        assert nearest.min() >= 0
        assert nearest.sum() == pytest.approx(total)
        others = rng.dirichlet(np.ones(4), 500) * total
        assert ((nearest - values) ** 2).sum() <= ((others - values) ** 2).sum(axis=1).min() + 1e-9


def test_a_simplex_of_sum_zero_is_the_origin() -> None:
    assert to_simplex(np.array([1.0, -2.0]), 0.0).tolist() == [0.0, 0.0]


def test_totals_are_averaged_with_the_trees_by_their_variances() -> None:
    cells = Cells(np.array([[0, 1], [1, 2]]), np.array([10.0, 30.0]), np.array([1.0, 1.0]))
    counts = np.array([[4.0, 20.0], [8.0, 16.0]])
    # Two classes of variance 0.5 each: the sum has variance 1, as the tree's count has.
    moved = with_trees(counts, cells, sigma=np.sqrt(0.5))
    assert np.allclose(moved.sum(axis=0), [11.0, 33.0])
    assert np.allclose(moved[0] - moved[1], counts[0] - counts[1])


def test_all_columns_get_the_same_class_counts() -> None:
    tables = with_common_totals([np.array([[10.0, 20.0], [5.0, 5.0]]), np.array([[10.0, 10.0, 4.0], [4.0, 4.0, 5.0]])])
    assert np.allclose(tables[0].sum(axis=1), tables[1].sum(axis=1))
    # Weights 1/2 and 1/3: (30/2 + 24/3) / (1/2 + 1/3).
    assert tables[0].sum(axis=1)[0] == pytest.approx(23 / (5 / 6))


def test_counts_of_coarse_cells_are_the_weighted_mean_of_every_table_that_holds_them() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(50, 100, (2, 3, 2)).astype(float)
    first, second = truth.sum(axis=2), truth.sum(axis=1)
    columns = [column(first, [0, 1, 2]), column(second, [0, 1])]
    exact = coarse_counts(columns, [PairTable((0, 1), truth)], cell_sigma=1.0, pair_sigma=2.0)
    assert np.allclose(exact.counts, np.hstack([first, second]))
    assert np.allclose(exact.variances[:3], 1 / (1 + 1 / (4 * 2)))
    assert np.allclose(exact.variances[3:], 1 / (1 + 1 / (4 * 3)))
    assert np.allclose(exact.class_counts, truth.sum(axis=(1, 2)))


def test_combining_tables_lowers_the_error() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(200, 400, (2, 4, 4)).astype(float)
    margins = [truth.sum(axis=2), truth.sum(axis=1)]
    alone, together = [], []
    for _ in range(60):
        columns = [column(margin + rng.normal(0, 10, margin.shape), [0, 1, 2, 3]) for margin in margins]
        pairs = [PairTable((0, 1), truth + rng.normal(0, 5, truth.shape))]
        found = coarse_counts(columns, pairs, cell_sigma=10.0, pair_sigma=5.0)
        together.append(((found.counts[:, :4] - margins[0]) ** 2).mean())
        alone.append(((columns[0].counts - margins[0]) ** 2).mean())
    assert np.mean(together) < 0.75 * np.mean(alone)


def test_counts_of_a_column_are_never_negative_after_projection() -> None:
    table = column(np.array([[-5.0, 10.0, 20.0], [3.0, -1.0, 1.0]]), [0, 0, 1])
    assert table.projected().min() >= 0
    assert np.allclose(table.projected().sum(axis=1), [25.0, 3.0])
    assert table.coarse(table.counts).tolist() == [[5.0, 20.0], [2.0, 1.0]]
