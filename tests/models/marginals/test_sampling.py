import numpy as np

from tacit.models.marginals.mixture import Mixture
from tacit.models.marginals.raking import ReleasedCounts, TableCells
from tacit.models.marginals.sampling import CoarseModel, drawn_cells, forbidden_rows, systematic
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
    rows = CoarseModel(mixture(), OFFSETS, zeros).draw(3000, np.random.RandomState(0))
    assert not forbidden_rows(rows.cells, zeros).any()
    assert set(np.unique(rows.classes)) == {0, 1}


def test_factors_change_the_shares_of_drawn_rows() -> None:
    # Four times the rows with both first cells, in either class.
    ratios = np.ones((2, 3, 2))
    ratios[:, 0, 0] = 4.0
    model = CoarseModel(mixture(), OFFSETS, [], None, [TableCells((0, 1), ratios)])
    rows = model.draw(20_000, np.random.RandomState(0))
    before = 0.5 * 0.5 * 0.9 + 0.5 * 0.1 * 0.2
    share = (rows.cells == 0).all(axis=1).mean()
    assert abs(share - 4 * before / (1 + 3 * before)) < 0.02


def test_drawn_rows_have_the_released_margins_after_factors() -> None:
    counts = np.array([[200.0, 200, 100, 250, 250], [100.0, 100, 300, 250, 250]])
    released = ReleasedCounts(CoarseCounts(counts, np.ones(5), np.array([500.0, 500.0])), OFFSETS)
    factors = [TableCells((0,), np.array([[1.0, 2, 1], [1.0, 1, 1]]))]
    rows = CoarseModel(mixture(), OFFSETS, [], released, factors).draw(10_000, np.random.RandomState(0))
    for j, (first, end) in enumerate(((0, 3), (3, 5))):
        have = rows.counts((j,), (2, end - first), np.ones(10_000))
        assert np.abs(have - 10 * counts[:, first:end]).max() < 120
