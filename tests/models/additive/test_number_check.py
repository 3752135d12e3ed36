"""The check of finished regressions: moments, calibration, spread."""

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, random_codes, with_row

from tacit.models.additive.number_check import (
    LEAST_SPREAD,
    NORMAL_RATIO,
    PRIOR_SCALE,
    REACH,
    check_numbers,
    location_query,
    moments_query,
    prediction_reach,
    read_location,
    read_moments,
)
from tacit.models.additive.rows import Batches, RowLayout, batch_list, batches_of

SIZE = RowLayout(COLUMNS).size
CURVES = np.rint(np.random.default_rng(4).normal(0, 0.2, (SIZE, 1)) * 64) / 64


def scores(codes: np.ndarray) -> np.ndarray:
    return (batch_list(codes, np.zeros(len(codes)), COLUMNS)[0].indicator @ CURVES)[:, 0]


def asked(batches: Batches, reach: float = 2.0) -> np.ndarray:
    return moments_query(batches, CURVES, np.zeros(1), reach=reach, centre=5.0, spread=2.0).values


def query(codes: np.ndarray, target: np.ndarray, reach: float = 2.0) -> np.ndarray:
    return asked(batches_of(codes, target, COLUMNS), reach)


def test_moments_are_sums_over_rows() -> None:
    codes = random_codes(200)
    target = np.random.default_rng(0).normal(5, 2, 200)
    f, t = np.clip(scores(codes), -2, 2), np.clip((target - 5) / 2, -REACH, REACH)
    expected = [200, t.sum(), f.sum(), (t * t).sum(), (t * f).sum(), (f * f).sum()]
    np.testing.assert_allclose(read_moments(query(codes, target), 2.0), expected, atol=2e-3)


def test_no_row_moves_the_moments_by_more_than_one() -> None:
    codes, target = random_codes(30), np.linspace(0, 10, 30)
    before = query(codes, target, reach=0.05)
    moved = []
    for seed in range(30):
        for far in (-1e6, 1e6):
            neighbour = with_row(codes, target, random_codes(1, seed), far)
            moved.append(np.linalg.norm(asked(neighbour, reach=0.05) - before))
    assert 0.99 < max(moved) <= 1


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
    mean, spread = read_location(answer, 0.0, 10.0, 4.0, 80.0)
    assert mean == pytest.approx(target.mean(), abs=1e-4)
    assert spread == pytest.approx(NORMAL_RATIO * np.abs(target - 4).mean(), abs=1e-4)
    assert read_location(np.array([1e6, 1e6]), 0.0, 10.0, 4.0, 1.0) == (10.0, NORMAL_RATIO * 6)
    assert read_location(np.array([-1e6, -1e6]), 0.0, 10.0, 4.0, 1.0) == (0.0, LEAST_SPREAD * 10)


def moments_of(scale: float, noise: float, n_rows: int = 30_000) -> tuple[np.ndarray, float]:
    """Return moments of t = scale f + noise, and the share of its variance that f explains."""
    random = np.random.default_rng(1)
    f = random.normal(0, 0.5, n_rows)
    t = scale * f + 0.2 + random.normal(0, noise, n_rows)
    explained = 1 - noise**2 / t.var()
    return np.array([n_rows, t.sum(), f.sum(), (t * t).sum(), (t * f).sum(), (f * f).sum()]), explained


@pytest.mark.parametrize("scale", [0.6, 1.3])
def test_the_check_finds_scale_offset_and_what_is_explained(scale: float) -> None:
    moments, explained = moments_of(scale, 0.4)
    check = check_numbers(moments, 2.0, noise=1.0)
    assert check.scale == pytest.approx(scale, abs=0.03)
    assert check.offset == pytest.approx(0.2, abs=0.02)
    assert check.r_squared == pytest.approx(explained, abs=0.02)
    assert check.residual_variance == pytest.approx(0.16, abs=0.01)
    assert check.separation_z > 20


def test_much_noise_leaves_the_prior_scale_and_widens_the_spread() -> None:
    moments, _ = moments_of(0.6, 0.4, n_rows=60)
    check = check_numbers(moments, 2.0, noise=100.0)
    assert check.scale == pytest.approx(PRIOR_SCALE, abs=0.1)
    assert check.residual_variance > 0.4**2
    assert check.separation_z < 2


def test_an_offset_that_noise_explains_stays_near_zero() -> None:
    random = np.random.default_rng(4)
    moments, _ = moments_of(0.6, 0.4, n_rows=60)
    noisy = [check_numbers(moments + random.normal(0, 30, 6), 2.0, noise=30.0).offset for _ in range(50)]
    assert np.abs(noisy).max() < 0.2


def test_predictions_that_say_nothing_explain_nothing() -> None:
    moments, _ = moments_of(0.0, 1.0)
    check = check_numbers(moments, 2.0, noise=1.0)
    assert check.scale < 0.1
    assert check.r_squared < 0.01


def test_what_chance_explains_of_the_rows_that_were_learned_from_is_no_sign_of_quality() -> None:
    random = np.random.default_rng(2)
    z = []
    for _ in range(60):
        X, t = random.normal(size=(400, 9)), random.normal(size=400)
        f = X @ np.linalg.lstsq(X, t, rcond=None)[0]
        moments = np.array([400.0, t.sum(), f.sum(), (t * t).sum(), (t * f).sum(), (f * f).sum()])
        z.append([check_numbers(moments, 2.0, noise=0.1, chance=chance).separation_z for chance in (1.0, 3.0)])
    naive, corrected = np.mean(z, axis=0)
    # Nine free weights explain by chance what is three deviations of sampling.
    assert naive > 1.5
    assert abs(corrected) < 0.5


def test_a_covariance_is_a_covariance() -> None:
    for noise in (1.0, 1000.0):
        check = check_numbers(moments_of(1.0, 0.5, n_rows=500)[0], 2.0, noise=noise)
        assert np.linalg.eigvalsh(check.covariance).min() >= -1e-12


@pytest.mark.parametrize(("spread", "expected"), [(0.0, 0.1), (0.2, 1.0), (9.0, REACH)])
def test_the_reach_follows_the_predictions_within_limits(spread: float, expected: float) -> None:
    predictions = spread * np.array([[-1.0], [1.0]])
    assert prediction_reach(predictions) == pytest.approx(expected)
