import numpy as np
import pytest

from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.sampling import (
    CoarseModel,
    CoarseRows,
    drawn_cells,
    forbidden_rows,
    raked_weights,
    systematic,
    towards,
)
from tacit.models.marginals.tables import CoarseCounts
from tacit.models.marginals.zeros import PairZeros

OFFSETS = np.array([0, 3, 5])


def mixture() -> Mixture:
    shares = np.array([[0.5, 0.3, 0.2, 0.9, 0.1], [0.1, 0.1, 0.8, 0.2, 0.8]], dtype=np.float32)
    return Mixture(np.array([[0.4, 0.1], [0.2, 0.3]]), shares)


def test_systematic_numbers_miss_their_expectation_by_less_than_one() -> None:
    rng = np.random.RandomState(0)
    expected = rng.uniform(0, 3, 100)
    drawn = np.array([systematic(expected, rng) for _ in range(2000)])
    assert np.abs(drawn - expected).max() < 1
    assert np.abs(drawn.sum(axis=1) - expected.sum()).max() < 1
    assert np.abs(drawn.mean(axis=0) - expected).max() < 0.06


def test_stratified_cells_meet_the_shares_up_to_one_row() -> None:
    components = np.repeat([0, 1], [1000, 500])
    cells = drawn_cells(mixture(), OFFSETS, components, np.random.RandomState(0), stratified=True)
    for component, count in ((0, 1000), (1, 500)):
        mine = cells[components == component]
        assert np.abs(np.bincount(mine[:, 0], minlength=3) - count * mixture().shares[component, :3]).max() < 1.01
        assert np.abs(np.bincount(mine[:, 1], minlength=2) - count * mixture().shares[component, 3:]).max() < 1.01


def test_columns_of_a_component_are_independent() -> None:
    cells = drawn_cells(mixture(), OFFSETS, np.zeros(50_000, dtype=np.int64), np.random.RandomState(1), stratified=True)
    joint = np.bincount(cells[:, 0] * 2 + cells[:, 1], minlength=6).reshape(3, 2) / 50_000
    assert np.abs(joint - np.outer([0.5, 0.3, 0.2], [0.9, 0.1])).max() < 0.005


def test_no_drawn_row_has_a_forbidden_pair() -> None:
    forbidden = np.array([[True, False], [False, False], [False, True]])
    zeros = [PairZeros((0, 1), forbidden)]
    rows = CoarseModel(mixture(), OFFSETS, zeros, None).draw(3000, np.random.RandomState(0))
    assert not forbidden_rows(rows.cells, zeros).any()
    assert set(np.unique(rows.classes)) == {0, 1}


def test_raked_rows_have_the_released_margins() -> None:
    rng = np.random.default_rng(0)
    rows = CoarseRows(np.column_stack([rng.integers(0, 3, 5000), rng.integers(0, 2, 5000)]), rng.integers(0, 2, 5000))
    counts = np.array([[200.0, 500, 300, 700, 300], [100.0, 50, 350, 250, 250]])
    margins = CoarseCounts(counts, np.full(5, 1.0), np.array([1000.0, 500.0]))
    weights = raked_weights(rows, OFFSETS, margins)
    for j, (first, end) in enumerate(((0, 3), (3, 5))):
        have = np.zeros((2, end - first))
        np.add.at(have, (rows.classes, rows.cells[:, j]), weights)
        assert np.abs(have - counts[:, first:end]).max() < 12


def test_margins_that_are_noise_are_not_followed() -> None:
    rng = np.random.default_rng(0)
    rows = CoarseRows(np.column_stack([np.arange(6000) % 3, np.arange(6000) % 2]), np.arange(6000) // 6 % 2)
    counts = 1000 + rng.normal(0, 100, (2, 5)) * np.array([1, 1, 1, 1, 1])
    counts[:, 3:] += 500
    margins = CoarseCounts(counts, np.full(5, 300.0**2), np.array([3000.0, 3000.0]))
    weights = raked_weights(rows, OFFSETS, margins)
    assert weights.std() < 0.05 * weights.mean()


def test_a_target_is_approached_as_far_as_noise_does_not_explain_it() -> None:
    start, target = np.zeros(5), np.full(5, 10.0)
    assert np.allclose(towards(target, start, np.full(5, 1e-6)), target)
    assert np.allclose(towards(target, start, np.full(5, 1e6)), start)
    assert towards(target, start, np.full(5, 25.0))[0] == pytest.approx(10 * (1 - 4 / 20))
    assert np.array_equal(towards(start, start, np.ones(5)), start)
