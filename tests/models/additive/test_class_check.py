"""The check of finished classifiers: histogram, calibration, separation."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from tests.models.additive.tables import COLUMNS, random_codes, random_targets, with_row

from tacit.models.additive.class_check import (
    EDGES,
    EDGES_FEW,
    EDGES_SOME,
    PRIOR_SCALE,
    ClassCheck,
    calibrate_scores,
    cell_edges,
    cell_middles,
    cell_shares,
    check_classes,
    chosen_edges,
    histogram_query,
    log_odds,
    noise_deviation,
    read_histogram,
    sharpest_values,
)
from tacit.models.additive.losses import probabilities
from tacit.models.additive.plan import CHECK_CELLS
from tacit.models.additive.rows import RowLayout, batch_list, batches_of

SIZE = RowLayout(COLUMNS).size


def curves(n_scores: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    return np.rint(random.normal(0, 0.5, (SIZE, n_scores)) * 64) / 64, np.zeros(n_scores)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_row_is_counted_once_for_each_problem_and_moves_the_query_by_one(n_classes: int) -> None:
    n_scores = 1 if n_classes == 2 else n_classes
    values, intercept = curves(n_scores)
    codes, target = random_codes(40), random_targets(40, n_classes)
    edges = cell_edges(np.random.default_rng(0).normal(0, 1, (500, n_scores)))
    before = histogram_query(batches_of(codes, target, COLUMNS), values, intercept, edges).values
    assert before.shape == (n_scores, 2, CHECK_CELLS)
    assert read_histogram(before).sum() == pytest.approx(40 * n_scores)
    moved = []
    for seed in range(30):
        neighbour = with_row(codes, target, random_codes(1, seed), seed % n_classes)
        moved.append(np.linalg.norm(histogram_query(neighbour, values, intercept, edges).values - before))
    assert 0.999 < min(moved) <= max(moved) <= 1


def test_cells_hold_what_lies_between_their_edges() -> None:
    values, intercept = curves(1)
    codes, target = random_codes(300), random_targets(300, 2)
    batches = batches_of(codes, target, COLUMNS)
    scores = (batch_list(codes, target, COLUMNS)[0].indicator @ values)[:, 0]
    odds = log_odds(probabilities(scores[:, None]))[:, 0]
    edges = cell_edges(scores[:, None])
    counts = read_histogram(histogram_query(batches, values, intercept, edges).values)[0]
    for label in (0, 1):
        for cell in range(CHECK_CELLS):
            low = -np.inf if cell == 0 else edges[0, cell - 1]
            high = np.inf if cell == CHECK_CELLS - 1 else edges[0, cell]
            inside = (odds > low - 1e-9) & (odds <= high + 1e-9) & (target == label)
            assert counts[label, cell] == pytest.approx(inside.sum(), abs=1e-6)


def checked(counts: np.ndarray, scores: np.ndarray, *, noise: float, upper: np.ndarray = EDGES) -> ClassCheck:
    """Return what counts say in cells that were placed by the very scores."""
    edges = cell_edges(scores[:, None], upper)
    expected = cell_shares(scores[:, None], edges)
    return check_classes(counts, edges, noise=noise, shares=np.ones(2) / 2, expected=expected)


def noisy_scores(scale: float, offset: float, n_rows: int = 60_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, labels by calibrated odds ``scale`` s + ``offset``, and their histogram."""
    random = np.random.default_rng(7)
    scores = random.normal(0, 1.5, n_rows)
    labels = random.random(n_rows) < expit(scale * scores + offset)
    edges = cell_edges(scores[:, None])
    cells = np.searchsorted(edges[0], scores)
    counts = np.stack([np.bincount(cells[labels == label], minlength=CHECK_CELLS) for label in (False, True)])
    return scores, labels, counts[None].astype(float)


@pytest.mark.parametrize(("scale", "offset"), [(0.5, 0.3), (1.2, -1.0)])
def test_calibration_finds_scale_and_offset(scale: float, offset: float) -> None:
    scores, _, counts = noisy_scores(scale, offset)
    found_scale, found_offset, covariance = calibrate_scores(counts, cell_middles(cell_edges(scores[:, None])), 1.0)
    assert found_scale == pytest.approx(scale, abs=0.08)
    assert found_offset[0] == pytest.approx(offset, abs=0.08)
    assert np.sqrt(np.diag(covariance)).max() < 0.05


def test_pure_noise_leaves_the_prior_scale_nearly_alone() -> None:
    random = np.random.default_rng(0)
    middles = np.linspace(-3, 3, CHECK_CELLS)[None]
    scales = [calibrate_scores(random.normal(0, 30, (1, 2, CHECK_CELLS)), middles, 30.0)[0] for _ in range(20)]
    assert abs(np.mean(scales) - PRIOR_SCALE) < 0.35


def test_the_figures_agree_with_those_of_the_rows() -> None:
    scores, labels, counts = noisy_scores(1.0, 0.0)
    check = checked(counts, scores, noise=1.0)
    assert check.auc == pytest.approx(roc_auc_score(labels, scores), abs=0.01)
    gap = scores[labels].mean() - scores[~labels].mean()
    within = np.sqrt((scores[labels].var() + scores[~labels].var()) / 2)
    assert check.separation == pytest.approx(gap / within, rel=0.1)
    assert check.separation_z > 100


def test_random_labels_do_not_stand_out_of_the_noise() -> None:
    random = np.random.default_rng(1)
    z, scores = [], random.normal(0, 1, 4000)
    for _ in range(40):
        counts = np.full((1, 2, CHECK_CELLS), 5.0) + random.normal(0, 20, (1, 2, CHECK_CELLS))
        z.append(checked(counts, scores, noise=20.0).separation_z)
    assert np.median(np.abs(z)) < 2
    assert min(z) < 0 < max(z), "it has a sign"


def test_few_rows_are_counted_in_four_cells_and_stand_out_of_the_same_noise_sooner() -> None:
    random = np.random.default_rng(3)
    scores = random.normal(0, 1.5, 300)
    labels = random.random(300) < expit(scores)
    z = []
    for upper in (EDGES, EDGES_FEW):
        edges = cell_edges(scores[:, None], upper)
        cells = np.searchsorted(edges[0], scores)
        counts = np.stack(
            [np.bincount(cells[labels == label], minlength=edges.shape[1] + 1) for label in (False, True)]
        )
        noisy = counts[None] + random.normal(0, 10, (200, *counts.shape))
        z.append(np.mean([checked(each[None], scores, noise=10.0, upper=upper).separation_z for each in noisy]))
    assert cell_edges(scores[:, None], EDGES_FEW).shape == (1, 3)
    assert z[1] > 1.3 * z[0] > 0


@pytest.mark.parametrize(("n_rows", "rare", "n_cells"), [(40_000, 0.5, 16), (40_000, 0.04, 8), (1500, 0.2, 4)])
def test_scores_are_checked_in_as_many_cells_as_noise_allows(n_rows: int, rare: float, n_cells: int) -> None:
    scores = np.random.default_rng(3).normal(0, 1.5, (4000, 1))
    shares = np.array([1 - rare, rare])
    edges = chosen_edges(scores, noise=50.0, n_rows=n_rows, shares=shares)
    assert edges.shape == (1, n_cells - 1)
    assert np.array_equal(edges, cell_edges(scores, {16: EDGES, 8: EDGES_SOME, 4: EDGES_FEW}[n_cells]))


@pytest.mark.parametrize("upper", [EDGES, EDGES_SOME])
def test_the_deviation_that_chooses_the_cells_is_that_of_the_check(upper: np.ndarray) -> None:
    """Of scores that hardly tell the classes apart, so that the sampling of rows is the same; noise is all there is."""
    random = np.random.default_rng(4)
    scores, noise, totals = random.normal(0, 1.5, 4000), 40.0, np.array([3.2e6, 8e5])
    edges = cell_edges(scores[:, None], upper)
    middles, expected = cell_middles(edges), cell_shares(scores[:, None], edges)
    counts = totals[:, None] * expected
    gaps = [
        checked(counts[None] + random.normal(0, noise, (1, *counts.shape)), scores, noise=noise, upper=upper).separation
        for _ in range(400)
    ]
    deviation = noise_deviation(middles[0], expected[0], noise=noise, totals=totals)
    assert np.std(gaps) == pytest.approx(deviation, rel=0.15)


def test_scores_that_fit_their_own_rows_by_chance_do_not_stand_out() -> None:
    random, z = np.random.default_rng(5), []
    for _ in range(60):
        X, labels = random.normal(size=(300, 3)), random.random(300) < 0.5
        scores = X @ (X[labels].mean(axis=0) - X[~labels].mean(axis=0))  # learned from the labels of these very rows
        edges = cell_edges(scores[:, None], EDGES_FEW)
        cells = np.searchsorted(edges[0], scores)
        counts = np.stack([np.bincount(cells[labels == label], minlength=4) for label in (False, True)])
        noisy = counts + random.normal(0, 1, counts.shape)
        z.append(checked(noisy[None], scores, noise=1.0, upper=EDGES_FEW).separation_z)
    assert np.mean(z) < 1


def test_a_score_never_turns_its_meaning_round() -> None:
    scores, _, counts = noisy_scores(-1.0, 0.0)
    check = checked(counts, scores, noise=1.0)
    assert check.scale > 0


def test_middles_lie_between_the_edges() -> None:
    edges = np.array([[-1.0, 0.0, 3.0]])
    assert cell_middles(edges).tolist() == [[-1.5, -0.5, 1.5, 4.5]]


def test_shares_of_cells_are_those_of_rows_between_their_edges_and_never_none() -> None:
    scores = np.array([[-2.0], [-0.5], [-0.5], [2.0]])
    edges = np.array([[-1.0, 0.0, 3.0]])
    shares = cell_shares(scores, edges)
    assert shares == pytest.approx(0.95 * np.array([[0.25, 0.5, 0.25, 0.0]]) + 0.05 / 4)
    assert shares.sum() == pytest.approx(1)


def test_without_noise_cells_count_by_their_middles() -> None:
    middles, expected = np.array([-2.0, -0.5, 0.5, 2.0]), np.array([0.1, 0.4, 0.4, 0.1])
    assert sharpest_values(middles, expected, 0.0, np.array([50.0, 70.0])) == pytest.approx(middles)


def test_no_other_values_of_cells_tell_classes_apart_in_less_noise() -> None:
    middles, expected = np.linspace(-4, 4, 16), np.exp(-(np.linspace(-4, 4, 16) ** 2) / 2)
    expected /= expected.sum()
    totals, noise = np.array([300.0, 900.0]), 15.0
    difference = expected * middles
    covariance = np.diag(noise**2 * (totals**-2).sum() + expected * (1 / totals).sum())

    def deviations(values: np.ndarray) -> float:
        return float(values @ difference / np.sqrt(values @ covariance @ values))

    values = sharpest_values(middles, expected, noise, totals)
    best = deviations(values)
    assert best > 2 * deviations(middles)
    random = np.random.default_rng(0)
    assert all(deviations(values + random.normal(0, 0.2, 16)) < best for _ in range(200))
