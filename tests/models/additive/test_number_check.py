"""The check of finished regressions: sums by cells, calibration, spread."""

from functools import partial

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, random_codes, with_row

from tacit.models.additive.number_check import (
    NORMAL_RATIO,
    PRIOR_SCALE,
    QUANTUM,
    WEIGHTS,
    CellSums,
    PredictionCells,
    cells_query,
    check_numbers,
    location_query,
    prediction_cells,
    read_cells,
    read_location,
)
from tacit.models.additive.rows import Batches, RowLayout, batch_list, batches_of

SIZE = RowLayout(COLUMNS).size
CURVES = np.rint(np.random.default_rng(4).normal(0, 0.2, (SIZE, 1)) * 64) / 64


def scores(codes: np.ndarray) -> np.ndarray:
    return (batch_list(codes, np.zeros(len(codes)), COLUMNS)[0].indicator @ CURVES)[:, 0]


CELLS = prediction_cells(np.random.default_rng(5).normal(0, 0.5, (4000, 1)))


def asked(batches: Batches, reach: float = 4.0) -> np.ndarray:
    return cells_query(batches, CURVES, np.zeros(1), CELLS, reach=reach, centre=5.0, spread=2.0).values


def query(codes: np.ndarray, target: np.ndarray) -> np.ndarray:
    return asked(batches_of(codes, target, COLUMNS))


def test_cells_hold_about_as_many_predictions_each() -> None:
    predictions = np.random.default_rng(6).exponential(1.0, (4000, 1))
    cells = prediction_cells(predictions)
    own = np.searchsorted(cells.edges, predictions[:, 0])
    assert np.bincount(own).tolist() == [1000] * 4
    for cell in range(4):
        inside = predictions[own == cell, 0]
        assert cells.means[cell] == pytest.approx(inside.mean())
        assert cells.variances[cell] == pytest.approx(inside.var())
    assert (np.abs(cells.means - cells.middles) < cells.halves).all()


def test_predictions_that_are_all_the_same_have_cells_too() -> None:
    cells = prediction_cells(np.full((50, 1), 0.3))
    assert cells.edges.tolist() == [0.3]
    assert (cells.halves > 0).all()


def test_sums_of_cells_are_sums_over_rows() -> None:
    codes = random_codes(200)
    target = np.random.default_rng(0).normal(5, 2, 200)
    f, t = scores(codes), np.clip((target - 5) / 2, -4, 4)
    read = read_cells(query(codes, target), CELLS, reach=4.0, noise=0.0)
    own = np.searchsorted(CELLS.edges, f)
    for cell in range(4):
        inside = own == cell
        assert read.counts[cell] == pytest.approx(inside.sum(), abs=1e-3)
        assert read.targets[cell] == pytest.approx(t[inside].sum(), abs=1e-3)
        assert read.predictions[cell] == pytest.approx(f[inside].mean(), abs=1e-3)
    assert read.squares == pytest.approx((t * t).sum(), abs=1e-2)


def test_means_of_cells_that_are_all_noise_are_those_of_public_rows() -> None:
    answer = np.random.default_rng(1).normal(0, 1e4, 13)
    np.testing.assert_allclose(read_cells(answer, CELLS, reach=4.0, noise=1e4).predictions, CELLS.means, atol=1e-2)


def test_no_row_moves_the_sums_of_cells_by_more_than_one() -> None:
    codes, target = random_codes(30), np.linspace(0, 10, 30)
    before = asked(batches_of(codes, target, COLUMNS))
    moved = []
    for seed in range(30):
        for far in (-1e6, 1e6):
            neighbour = with_row(codes, target, random_codes(1, seed), far)
            moved.append(np.linalg.norm(asked(neighbour) - before))
    assert 0.9 < max(moved) <= 1


def test_a_row_beyond_all_ends_moves_the_sums_by_hardly_less_than_one() -> None:
    narrow = prediction_cells(np.array([[9.0], [9.001]]))
    codes = random_codes(1)
    query = partial(cells_query, curves=CURVES, intercept=np.zeros(1), cells=narrow, reach=4.0, centre=0.0, spread=1.0)
    assert 0.999 < np.linalg.norm(query(batches_of(codes, np.array([-1e9]), COLUMNS)).values) <= 1


def test_no_target_moves_mean_and_distance_by_more_than_one() -> None:
    codes, target = random_codes(80), np.linspace(2, 9, 80)
    for centre in (0.0, 3.0, 5.0, 10.0):
        before = location_query(batches_of(codes, target, COLUMNS), 0.0, 10.0, centre).values
        rows = [with_row(codes, target, codes[:1], far) for far in (-1e9, 0, 5, 10, 1e9)]
        moved = [np.linalg.norm(location_query(row, 0.0, 10.0, centre).values - before) for row in rows]
        assert 0.99 < max(moved) <= 1


def test_mean_and_spread_are_read_back_within_the_bounds() -> None:
    codes, target = random_codes(80), np.linspace(2, 9, 80)
    answer = location_query(batches_of(codes, target, COLUMNS), 0.0, 10.0, 4.0).values
    read = read_location(answer, 0.0, 10.0, 4.0, n_rows=80.0, noise=1.0)
    assert read.mean == pytest.approx(target.mean(), abs=1e-4)
    assert read.spread == pytest.approx(NORMAL_RATIO * np.abs(target - 4).mean(), abs=1e-4)
    far = read_location(np.array([1e6, 1e6]), 0.0, 10.0, 4.0, n_rows=1.0, noise=1.0)
    assert (far.mean, far.spread) == (10.0, NORMAL_RATIO * 6)
    low = read_location(np.array([-1e6, -1e6]), 0.0, 10.0, 4.0, n_rows=1.0, noise=1.0)
    assert (low.mean, low.spread) == (0.0, 0.0)


def test_the_noise_in_mean_and_spread_is_what_is_stated() -> None:
    codes, target = random_codes(80), np.linspace(2, 9, 80)
    answer = location_query(batches_of(codes, target, COLUMNS), 0.0, 10.0, 4.0).values
    noise = np.random.default_rng(0).normal(0, 2.0, (4000, 2))
    read = [read_location(answer + each, 0.0, 10.0, 4.0, n_rows=80.0, noise=2.0) for each in noise]
    assert np.std([each.mean for each in read]) == pytest.approx(read[0].mean_noise, rel=0.05)
    assert np.std([each.spread for each in read]) == pytest.approx(read[0].spread_noise, rel=0.05)


def sums_of(f: np.ndarray, t: np.ndarray, noise: float) -> tuple[CellSums, PredictionCells]:
    """Return sums over cells of predictions f of a target t, and the cells; ``noise`` is stated, not added."""
    cells = prediction_cells(f[:, None])
    own, n_cells = np.searchsorted(cells.edges, f), len(cells.middles)
    counts = np.bincount(own, minlength=n_cells)
    places = np.bincount(own, (f - cells.middles[own]) / cells.halves[own], n_cells)
    parts = [counts, np.bincount(own, t, n_cells) / 4, places]
    weighed = [weight * part for weight, part in zip(QUANTUM * WEIGHTS, parts, strict=False)]
    answer = np.array([*np.concatenate(weighed), QUANTUM * WEIGHTS[3] * (t @ t) / 16])
    answer = answer + np.random.default_rng(3).normal(0, noise, len(answer)) * (noise > 10)
    return read_cells(answer, cells, reach=4.0, noise=noise), cells


def rows_of(scale: float, noise: float, n_rows: int = 30_000) -> tuple[np.ndarray, np.ndarray, float]:
    """Return f, t = scale f + noise, and the share of the variance of t that f explains."""
    random = np.random.default_rng(1)
    f = random.normal(0, 0.5, n_rows)
    t = scale * f + 0.2 + random.normal(0, noise, n_rows)
    return f, t, 1 - noise**2 / t.var()


@pytest.mark.parametrize("scale", [0.6, 1.3])
def test_the_check_finds_scale_offset_and_what_is_explained(scale: float) -> None:
    f, t, explained = rows_of(scale, 0.4)
    check = check_numbers(*sums_of(f, t, 1.0))
    assert check.scale == pytest.approx(scale, abs=0.03)
    assert check.offset == pytest.approx(0.2, abs=0.02)
    assert check.r_squared == pytest.approx(explained, abs=0.02)
    assert check.residual_variance == pytest.approx(0.16, abs=0.01)
    assert check.separation_z > 20


def test_much_noise_leaves_the_prior_scale_and_widens_the_spread() -> None:
    f, t, _ = rows_of(0.6, 0.4, n_rows=60)
    check = check_numbers(*sums_of(f, t, 100.0))
    assert check.scale == pytest.approx(PRIOR_SCALE, abs=0.15)
    assert check.residual_variance > 0.4**2
    assert check.separation_z < 2


def test_an_offset_that_noise_explains_stays_near_zero() -> None:
    f, t, _ = rows_of(0.6, 0.4, n_rows=60)
    assert abs(check_numbers(*sums_of(f, t, 30.0)).offset) < 0.2


def test_the_calibration_is_the_line_of_least_squares_where_there_is_no_noise() -> None:
    f, t, _ = rows_of(0.9, 0.4)
    sums, cells = sums_of(f, t, 1e-6)
    slope, offset = np.polyfit(sums.predictions, sums.targets / sums.counts, 1, w=np.sqrt(sums.counts))
    check = check_numbers(sums, cells)
    assert check.scale == pytest.approx(slope, abs=2e-3)
    assert check.offset == pytest.approx(offset, abs=2e-3)


def test_predictions_that_say_nothing_explain_nothing() -> None:
    f, t, _ = rows_of(0.0, 1.0)
    check = check_numbers(*sums_of(f, t, 1.0))
    assert check.scale < 0.1
    assert check.r_squared < 0.01


def test_what_chance_explains_of_the_rows_that_were_learned_from_is_no_sign_of_quality() -> None:
    random = np.random.default_rng(2)
    z = []
    for _ in range(60):
        X, t = random.normal(size=(400, 9)), random.normal(size=400)
        f = X @ np.linalg.lstsq(X, t, rcond=None)[0]
        sums = sums_of(f, t, 0.1)
        z.append([check_numbers(*sums, chance=chance).separation_z for chance in (1.0, 3.0)])
    naive, corrected = np.mean(z, axis=0)
    # Nine free weights explain by chance what is three deviations of sampling.
    assert naive > 1.5
    assert abs(corrected) < 0.5


def test_a_covariance_is_a_covariance() -> None:
    f, t, _ = rows_of(1.0, 0.5, n_rows=500)
    for noise in (1.0, 1000.0):
        assert np.linalg.eigvalsh(check_numbers(*sums_of(f, t, noise)).covariance).min() > 0
