import numpy as np
import pytest
from scipy.integrate import quad

from tacit.data.schemas.columns import Categorical, Numeric
from tacit.models.marginals.levels import levels_of
from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.placing import (
    _edge_decay,
    _tilted,
    density_slopes,
    fine_places,
    fine_shares,
    followers,
    uniform_ranks,
)
from tacit.models.marginals.raking import CoarseRows
from tacit.models.marginals.tables import ColumnTable

NUMBER = levels_of(Numeric("x", (0, 99), integer=True))
RANGES = np.array([[0, 10], [10, 11], [11, 50], [50, 100]])


def test_rows_are_spread_over_fine_cells_by_their_shares() -> None:
    table = ColumnTable(RANGES, np.array([[10.0, 30, 40, 20], [60.0, 20, 10, 10]]), np.array([0, 0, 1, 1]))
    places = fine_places(table, NUMBER, sigma=1e-6)
    ranks = (np.arange(1000) + 0.5) / 1000
    zeros, ones = np.zeros(1000, dtype=np.int64), np.ones(1000, dtype=np.int64)
    for classes, cells, share in ((zeros, zeros, 0.25), (ones, zeros, 0.75), (zeros, ones, None)):
        drawn = places(cells, classes, ranks)
        low, high = (0, 11) if cells[0] == 0 else (11, 100)
        assert drawn.min() >= low
        assert drawn.max() < high
        if share is not None:
            assert (drawn < 10).mean() == pytest.approx(share, abs=0.002)


def test_categories_of_a_pooled_cell_come_back_by_their_shares() -> None:
    column = levels_of(Categorical("c", tuple("abc")))
    table = ColumnTable(
        np.array([[0, 1], [1, 2], [2, 3]]), np.array([[10.0, 100, 30], [10.0, 100, 30]]), np.array([0, 1, 0])
    )
    places = fine_places(table, column, sigma=1.0)
    drawn = places(np.zeros(400, dtype=np.int64), np.zeros(400, dtype=np.int64), (np.arange(400) + 0.5) / 400)
    assert np.bincount(drawn.astype(int), minlength=3).tolist() == [100, 0, 300]


def test_class_shares_that_are_noise_are_those_of_all_classes() -> None:
    counts = np.array([[10.0, 30], [22.0, 18]])
    table = ColumnTable(RANGES[:2], counts, np.array([0, 0]))
    assert np.allclose(fine_shares(counts, table, sigma=100.0), [[0.4, 0.6], [0.4, 0.6]])
    assert np.allclose(fine_shares(counts, table, sigma=1e-9), [[0.25, 0.75], [0.55, 0.45]])


def test_a_class_without_rows_has_the_common_shares() -> None:
    counts = np.array([[0.0, 0.0], [30.0, 10.0]])
    shares = fine_shares(counts, ColumnTable(RANGES[:2], counts, np.array([0, 0])), sigma=1.0)
    assert np.allclose(shares[0], [0.75, 0.25])


def test_tilted_numbers_have_an_exponential_density() -> None:
    uniform = (np.arange(10_000) + 0.5) / 10_000
    drawn = _tilted(uniform, np.full(10_000, -2.0))
    mass = quad(lambda x: np.exp(-2 * x), 0, 0.5)[0] / quad(lambda x: np.exp(-2 * x), 0, 1)[0]
    assert (drawn < 0.5).mean() == pytest.approx(mass, abs=1e-3)
    assert np.array_equal(_tilted(uniform, np.zeros(10_000)), uniform)


def test_a_decay_has_the_mass_it_was_asked_for() -> None:
    g = _edge_decay(3.0, 20.0)
    assert quad(lambda x: np.exp(-g * x), 0, 20)[0] == pytest.approx(3.0)
    assert _edge_decay(25.0, 20.0) == 0


def test_densities_fall_towards_a_lighter_neighbour_and_ignore_spikes() -> None:
    ranges = np.array([[0, 20], [20, 21], [21, 40], [40, 60]])
    slopes = density_slopes(
        np.array([400.0, 900.0, 200.0, 40.0]), ranges, levels_of(Numeric("x", (0, 59), integer=True))
    )
    assert slopes[1] == 0
    assert slopes[2] < 0
    assert slopes[3] < 0


def test_ranks_are_uniform_within_class_and_cell() -> None:
    rng = np.random.RandomState(0)
    values, cells, classes = rng.normal(size=900), np.arange(900) % 3, np.arange(900) // 3 % 2
    ranks = uniform_ranks(values, cells, classes, rng)
    for cell in range(3):
        for code in range(2):
            mine = (cells == cell) & (classes == code)
            assert np.array_equal(np.argsort(values[mine]), np.argsort(ranks[mine]))
            assert np.abs(np.sort(ranks[mine]) - (np.arange(150) + 0.5) / 150).max() < 1 / 150


def test_a_number_that_equals_another_follows_it_inside_cells() -> None:
    cells = 8
    shares = np.hstack([np.eye(cells), np.eye(cells)]).astype(np.float32)
    mixture = Mixture(np.full((cells, 1), 1 / cells), shares)
    columns = [levels_of(Numeric(name, (0, 99), integer=True)) for name in "ab"]
    found = followers(mixture, np.array([0, cells, 2 * cells]), columns, [])
    assert len(found) == 1
    rng = np.random.RandomState(0)
    both = rng.randint(0, cells, 4000)
    rows = CoarseRows(np.column_stack([both, both]), np.zeros(4000, dtype=np.int64))
    ranks = rng.uniform(size=(4000, 2))
    assert abs(np.corrcoef(*ranks.T)[0, 1]) < 0.1
    found[0].place(rows, ranks, rng)
    assert np.corrcoef(*ranks.T)[0, 1] > 0.6


def test_independent_numbers_do_not_follow_each_other() -> None:
    shares = np.full((1, 16), 1 / 8, dtype=np.float32)
    columns = [levels_of(Numeric(name, (0, 99), integer=True)) for name in "ab"]
    assert followers(Mixture(np.ones((1, 1)), shares), np.array([0, 8, 16]), columns, []) == []
