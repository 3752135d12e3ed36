"""Features of levels: bins with spikes, centring, kernels, weights of categories."""

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS

from tacit.models.additive.features import (
    CATEGORY_POWER,
    CORRELATION_LENGTH,
    N_CATEGORIES,
    NUMBER_WEIGHT,
    RARE,
    ColumnFeatures,
    bins_of,
    column_features,
    frequent_bins,
    number_features,
    table_features,
)
from tacit.models.additive.levels import ColumnLevels, number_levels


def test_a_spike_is_a_bin_of_its_own() -> None:
    shares = np.array([0.05, 0.05, 0.5, 0.05, 0.05, 0.1, 0.1, 0.1])
    bins = bins_of(shares, 4)
    assert (bins == bins[2]).sum() == 1


def test_neighbours_are_merged_until_they_weigh_enough_and_stay_in_order() -> None:
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.full(200, 0.3))
    bins = bins_of(shares, 16)
    assert (np.diff(bins) >= 0).all()
    assert set(np.diff(bins)) <= {0, 1}
    weights = np.bincount(bins, shares)
    # Every bin is full, but one that a spike cut short and the last.
    short = np.flatnonzero(weights[:-1] < (1 - 1e-6) / 16)
    assert all(weights[place + 1] >= (1 - 1e-6) / 16 for place in short)


def test_levels_without_rows_share_a_bin() -> None:
    assert bins_of(np.array([0.5, 0.0, 0.0, 0.5]), 2).tolist() == [0, 1, 1, 1]


def test_rare_categories_of_a_long_list_share_the_last_bin() -> None:
    counts = np.arange(300.0)
    bins = frequent_bins(counts)
    assert bins.max() == N_CATEGORIES - 1
    assert (bins[: 300 - N_CATEGORIES + 1] == N_CATEGORIES - 1).all()
    assert len(set(bins[-N_CATEGORIES + 1 :].tolist())) == N_CATEGORIES - 1


@pytest.mark.parametrize("others", [0.0, 1e-3, 5.0])
@pytest.mark.parametrize("straight", [False, True])
def test_a_number_that_hardly_varies_leaves_the_others_their_part(others: float, straight: bool) -> None:
    # Of a rare flag noise may hide every row but those at 0.
    flag = number_levels("flag", 0, 1, integer=True)
    age = number_levels("age", 0, 100, integer=True)
    counts = [np.array([1000.0, others, 0.0]), np.append(np.full(age.size - 1, 10.0), 0.0)]
    table = table_features([flag, age], counts, straight=straight)
    of_age = table.variances[table.columns[1]].sum()
    assert of_age > 0.85
    assert np.abs(table.matrix.toarray()).max() < 10


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_a_straight_part_does_not_depend_on_the_unit_of_a_number(unit: float) -> None:
    counts = np.array([5.0, 20.0, 40.0, 20.0, 10.0, 5.0, 0.0])
    ends = np.arange(7.0)
    expected = number_features(counts, ends)
    scaled = number_features(counts, unit * ends)
    np.testing.assert_allclose(scaled.variances, expected.variances, rtol=1e-9)


def shared_products(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    centred = values - shares @ values
    products: np.ndarray = centred @ centred.T
    return products


def test_inner_products_of_categories_are_their_weights() -> None:
    counts = np.array([600.0, 300.0, 100.0])
    features = column_features(ColumnLevels("c", np.zeros(0), tuple("abc")), counts)
    shares = counts / 1000
    weights = (shares * (1 - shares) + RARE) ** (-CATEGORY_POWER)
    np.testing.assert_allclose(
        shared_products(features.values, shares), shared_products(np.diag(weights), shares), rtol=1e-3, atol=1e-4
    )


def test_inner_products_of_a_number_fall_with_the_rows_between() -> None:
    counts = np.append(np.full(20, 50.0), 0.0)
    features = number_features(counts)
    shares, places = np.full(20, 0.05), (np.arange(20) + 0.5) / 20
    kernel = np.exp(-np.abs(places[:, None] - places) / CORRELATION_LENGTH)
    kernel *= NUMBER_WEIGHT / (1 - shares @ kernel @ shares)
    expected = shared_products(np.linalg.cholesky(kernel), shares)
    products = shared_products(features.values[:-1], shares)
    assert np.abs(products - expected).max() < 0.05 * expected.max(), "but for the directions that were left out"


@pytest.mark.parametrize("column", COLUMNS, ids=[column.name for column in COLUMNS])
def test_features_are_centred_and_uncorrelated_under_the_shares(column: ColumnLevels) -> None:
    counts = np.random.default_rng(1).integers(0, 200, column.size).astype(float)
    features = column_features(column, counts)
    shares = counts / counts.sum()
    np.testing.assert_allclose(shares @ features.values, 0, atol=1e-6)
    covariance = features.values.T @ (shares[:, None] * features.values)
    np.testing.assert_allclose(np.diag(covariance), features.variances, rtol=1e-3)
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 1e-2 * covariance.max()
    np.testing.assert_allclose(features.shares, shares)


def test_a_missing_number_stands_apart_from_all_others() -> None:
    features = number_features(np.array([100.0, 100.0, 100.0, 100.0, 100.0]))
    products = features.values @ features.values.T
    assert products[-1, -1] > 0
    assert (products[-1, :-1] < 0).all()


def test_rows_have_a_mean_squared_norm_of_one() -> None:
    random = np.random.default_rng(2)
    counts = [random.integers(1, 100, one.size).astype(float) for one in COLUMNS]
    features = table_features(COLUMNS, counts)
    squares = np.asarray(features.matrix.multiply(features.matrix).sum(axis=1)).ravel()
    total, start = 0.0, 0
    for one, shares in zip(COLUMNS, features.shares, strict=True):
        total += shares @ squares[start : start + one.size]
        start += one.size
    assert total == pytest.approx(1, rel=1e-6)
    assert features.columns[-1].stop == features.matrix.shape[1] == len(features.variances)


@pytest.mark.parametrize("counts", [np.zeros(33), np.append(1e5, np.zeros(32))])
def test_constant_and_empty_columns_have_finite_features(counts: np.ndarray) -> None:
    levels = COLUMNS[0]
    features = table_features([levels], [np.resize(counts, levels.size)])
    assert np.isfinite(features.matrix.data).all()


def test_public_rows_lie_equally_at_all_levels_of_a_column() -> None:
    levels = (number_levels("x", 0, 1), ColumnLevels("k", np.zeros(0), tuple("abcd")))
    counts = [np.zeros(levels[0].size), np.array([-30.0, 60.0, 0.0, 0.0])]
    mixed = table_features(levels, counts, public_rows=40.0)
    assert mixed.shares[0] == pytest.approx(np.full(levels[0].size, 1 / levels[0].size))
    # Counts that noise made negative are none.
    assert mixed.shares[1] == pytest.approx([0.1, 0.7, 0.1, 0.1])
    assert table_features(levels, counts).shares[1] == pytest.approx([0.0, 1.0, 0.0, 0.0])


def test_many_public_rows_make_features_that_counts_do_not_change() -> None:
    levels = (number_levels("x", 0, 1), ColumnLevels("k", np.zeros(0), tuple("abcd")))
    random = np.random.default_rng(0)
    first, second = (
        table_features(levels, [random.normal(0, 50, one.size) for one in levels], public_rows=1e12) for _ in range(2)
    )
    products = [(each.matrix @ each.matrix.T).toarray() for each in (first, second)]
    assert products[0] == pytest.approx(products[1], abs=1e-6)


def test_a_straight_part_tells_values_apart_that_few_rows_have() -> None:
    """Ninety-eight of a hundred rows lie below 10, the others far above: a line through all is learned at once."""
    ends = np.concatenate([np.linspace(0, 10, 99), [100.0, 200.0]])
    counts = np.append(np.full(100, 100.0), 0.0)
    centres = 0.5 * (ends[:-1] + ends[1:])
    line = np.append((centres - centres.mean()) / centres.std(), 0.0)

    def missed(features: ColumnFeatures) -> float:
        """Return the part of the line's variance that one step along the gradient leaves, at its best length."""
        learned = features.values @ (features.values.T @ (features.shares * line))
        length = (features.shares * line) @ learned / ((features.shares * learned) @ learned)
        return float(features.shares @ (line - length * learned) ** 2)

    assert missed(number_features(counts, ends)) < 0.1 < 0.5 < missed(number_features(counts))


def test_a_straight_part_keeps_the_expected_size_of_features() -> None:
    counts = np.append(np.random.default_rng(0).integers(1, 50, 60).astype(float), 0.0)
    for ends in (None, np.linspace(0, 1, 61), np.geomspace(1, 1e6, 61)):
        features = number_features(counts, ends)
        assert features.variances.sum() == pytest.approx(NUMBER_WEIGHT, rel=0.05)
        assert features.shares @ features.values == pytest.approx(np.zeros(features.values.shape[1]), abs=1e-9)


@pytest.mark.parametrize("counts", [np.zeros(6), np.array([0.0, 9.0, 0.0, 0.0, 0.0, 0.0])])
def test_a_straight_part_of_a_constant_column_is_nothing(counts: np.ndarray) -> None:
    features = number_features(counts, np.linspace(0, 1, 6))
    assert np.isfinite(features.values).all()
