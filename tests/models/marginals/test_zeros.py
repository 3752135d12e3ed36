import numpy as np
from tests.models.marginals.conftest import SCHEMA

from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.tables import PairTable
from tacit.models.marginals.zeros import _forbidden, dependent_support, exclusive_zeros, structural_zeros


def forbidden(counts: np.ndarray, sigma: float) -> np.ndarray:
    return _forbidden(PairTable((0, 1), counts[None]), counts.sum(axis=1), counts.sum(axis=0), sigma)


def test_an_empty_cell_where_many_rows_were_expected_is_a_zero() -> None:
    counts = np.array([[0.0, 400, 300], [500, 300, 250], [400, 300, 200]])
    assert np.argwhere(forbidden(counts, 5.0)).tolist() == [[0, 0]]


def test_an_empty_cell_where_few_were_expected_is_not() -> None:
    counts = np.array([[0.0, 10, 3000], [20, 30, 2500], [10, 30, 2000]])
    assert not forbidden(counts, 5.0).any()


def test_noise_as_large_as_the_counts_forbids_nothing() -> None:
    counts = np.array([[0.0, 400], [500, 300]])
    assert not forbidden(counts, 150.0).any()


def test_a_column_that_follows_another_forbids_all_other_cells() -> None:
    rng = np.random.default_rng(0)
    counts = np.diag(rng.integers(1000, 4000, 8)).astype(float)
    noisy = PairTable((0, 1), (counts + rng.normal(0, 3, counts.shape))[None])
    found = _forbidden(noisy, counts.sum(axis=1), counts.sum(axis=0), 3.0)
    assert not found[np.eye(8, dtype=bool)].any()
    # One cell in 160 lies above 2.5 deviations by chance.
    assert found.sum() >= 54


def test_independent_columns_have_no_support() -> None:
    counts = np.outer(np.arange(1.0, 9), np.arange(1.0, 9)) * 5
    assert dependent_support(counts, counts.sum(axis=1), counts.sum(axis=0), 3.0) is None


def test_no_row_or_column_of_cells_is_forbidden_as_a_whole() -> None:
    counts = np.array([[0.0, 0, 0], [500, 300, 250], [400, 300, 200]])
    margins = np.array([500.0, 1050, 900]), counts.sum(axis=0)
    found = _forbidden(PairTable((0, 1), counts[None]), *margins, 2.0)
    assert not found.all(axis=1).any()
    assert not found.all(axis=0).any()


def test_grades_and_their_points_contradict_each_other_nowhere(measurement: Measurement) -> None:
    names = [column.name for column in SCHEMA.features]
    pairs = {zeros.columns: zeros.forbidden for zeros in structural_zeros(measurement, measurement.coarse())}
    found = pairs[names.index("grade"), names.index("points")]
    # Each coarse grade is allowed with its own points alone.
    assert (~found).sum(axis=1).max() <= 2


def test_a_cell_whose_rows_all_lie_in_one_other_excludes_the_rest() -> None:
    """Each of the excluded cells alone would not show: independence expects fewer rows there than noise hides."""
    counts = np.full((4, 12), 150.0)
    counts[0] = 0.0
    counts[0, 3] = 1500.0
    first, second = counts.sum(axis=1), counts.sum(axis=0)
    zeros = exclusive_zeros(counts, first, second, 40.0)
    assert np.array_equal(zeros[0], np.arange(12) != 3)
    assert not zeros[1:].any()


def test_rows_outside_that_are_more_than_noise_exclude_nothing() -> None:
    counts = np.full((4, 12), 150.0)
    counts[0] = 30.0
    counts[0, 3] = 1500.0
    assert not exclusive_zeros(counts, counts.sum(axis=1), counts.sum(axis=0), 40.0).any()
