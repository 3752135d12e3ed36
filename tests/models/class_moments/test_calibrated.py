"""Calibrated log-odds from noisy class sums, and how far they stand out from the noise."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.class_moments.calibrated import (
    CalibratedDiscriminant,
    calibrated_discriminant,
    posterior_directions,
)
from tacit.models.class_moments.features import ScaledColumns
from tacit.models.class_moments.frames import frames_between

N_COLUMNS = 4


def schema(n_classes: int) -> Schema:
    columns = tuple(Numeric(f"x{place}", (0.0, 1.0)) for place in range(N_COLUMNS))
    return Schema((*columns, Label("y", tuple(str(code) for code in range(n_classes)))))


def rows(n: int, shares: list[float], gap: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal classes of standard deviation .1 whose means lie ``gap`` deviations apart along one column each."""
    draw = np.random.default_rng(seed)
    y = draw.choice(len(shares), size=n, p=shares)
    X = 0.5 + 0.1 * draw.normal(size=(n, N_COLUMNS))
    X[np.arange(n), y] += 0.1 * gap
    return X, y


def taught(
    X: np.ndarray, y: np.ndarray, ours: np.ndarray, n_classes: int, *, sigma: float, seed: int = 0
) -> CalibratedDiscriminant:
    draw = np.random.default_rng(seed)
    features = ScaledColumns(N_COLUMNS)
    phi = features(X).astype(np.float64)
    sums = np.array([phi[y == code].sum(axis=0) for code in range(n_classes)])
    counts = np.bincount(y, minlength=n_classes).astype(float)
    noisy = {
        "sums": sums + sigma * draw.normal(size=sums.shape),
        "counts": counts + sigma * draw.normal(size=n_classes),
    }
    frame = frames_between(schema(n_classes), schema(n_classes))[0]
    return calibrated_discriminant(noisy, ours, sigma=sigma, frame=frame, features=features)


def test_with_little_noise_the_log_odds_are_those_of_normal_classes() -> None:
    shares, gap = [0.7, 0.3], 1.0
    ours, _ = rows(20_000, shares, gap, 1)
    found = taught(*rows(20_000, shares, gap, 0), ours, 2, sigma=1e-3)
    scores = found.scores(ours)
    # Means differ by (-gap, gap) deviations in two columns: log-odds = gap (z1 - z0) + log(.3/.7).
    z = (ours - 0.5) / 0.1
    exact = gap * (z[:, 1] - z[:, 0]) + np.log(0.3 / 0.7)
    assert scores[:, 1] - scores[:, 0] == pytest.approx(exact, abs=0.35)
    assert found.separation == pytest.approx(np.sqrt(2) * gap, rel=0.1)
    assert found.separation_z > 100
    assert found.shares == pytest.approx(shares, abs=0.02)


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.95, 0.05], [0.2, 0.5, 0.3]])
def test_mean_probabilities_are_the_released_shares(shares: list[float]) -> None:
    ours, _ = rows(500, shares, 1.5, 1)
    found = taught(*rows(5000, shares, 1.5, 0), ours, len(shares), sigma=3.0)
    assert softmax(found.scores(ours), axis=1).mean(axis=0) == pytest.approx(found.shares, abs=1e-3)


def test_probabilities_come_true_although_sums_are_noisy() -> None:
    shares = [0.6, 0.4]
    slopes = []
    for seed in range(20):
        ours, truth = rows(2000, shares, 1.0, 100 + seed)
        found = taught(*rows(400, shares, 1.0, seed), ours, 2, sigma=4.0, seed=seed)
        margin = np.diff(found.scores(ours))[:, 0]
        p = expit(margin)
        # The score equation of a slope: 0 if log-odds are neither too large nor too small.
        slopes.append(((truth - p) * margin).mean())
    assert abs(np.mean(slopes)) < 0.06


def test_pure_noise_does_not_stand_out() -> None:
    ours, _ = rows(500, [0.5, 0.5], 0.0, 1)
    z = [taught(*rows(300, [0.5, 0.5], 0.0, seed), ours, 2, sigma=5.0, seed=seed).separation_z for seed in range(200)]
    assert abs(np.mean(z)) < 0.25
    assert 0.6 < np.std(z) < 1.5
    assert np.mean(np.array(z) > 3) < 0.03


def test_halves_carry_independent_noise() -> None:
    ours, _ = rows(300, [0.5, 0.5], 0.0, 1)
    products = []
    for seed in range(300):
        found = taught(*rows(300, [0.5, 0.5], 0.0, seed), ours, 2, sigma=5.0, seed=seed)
        first, second = (np.diff(each(ours))[:, 0] for each in found.halves)
        products.append(np.corrcoef(first, second)[0, 1])
    # Over draws of the noise the halves are as often alike as opposed.
    assert abs(np.mean(products)) < 0.1


def test_the_size_is_rows_times_mu() -> None:
    X, y = rows(1000, [0.5, 0.5], 1.0, 0)
    assert taught(X, y, X, 2, sigma=2.0).size == pytest.approx(1000 * np.hypot(1, 0.5) / 2, rel=0.02)


def test_without_noise_directions_are_those_of_the_discriminant() -> None:
    draw = np.random.default_rng(0)
    S = np.diag([1.0, 0.5, 0.2]) + 0.1
    D = draw.normal(size=(2, 3)) * 0.1
    D -= D.mean(axis=0)
    shares = np.array([0.5, 0.5])
    W, slope = posterior_directions(D, 1e-12 * np.array([[1.0, -1.0], [-1.0, 1.0]]), S, shares)
    assert pytest.approx(np.linalg.solve(S, D.T), rel=1e-3) == W
    # Within classes the covariance is S less what lies between their means.
    within = np.linalg.solve(S - sum(share * np.outer(d, d) for share, d in zip(shares, D, strict=True)), D.T)
    assert pytest.approx(within, rel=1e-3) == slope * W


def test_noise_shrinks_directions_most_where_rows_hardly_vary() -> None:
    S, D = np.diag([1.0, 0.01]), np.array([[0.3, 0.03], [-0.3, -0.03]])
    noise = 0.1**2 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    W, _ = posterior_directions(D, noise, S, np.array([0.5, 0.5]))
    plain = np.linalg.solve(S, D.T)
    assert 0 < W[1, 0] / plain[1, 0] < 0.5 * W[0, 0] / plain[0, 0] < 0.5


def test_pure_noise_gives_hardly_any_log_odds() -> None:
    draw = np.random.default_rng(0)
    S, noise = np.diag(np.geomspace(1, 0.01, 20)), np.array([[1.0, -1.0], [-1.0, 1.0]]) / 4
    spreads = []
    for _ in range(20):
        contrast = 0.5 * draw.normal(size=20)
        W, slope = posterior_directions(np.stack([contrast, -contrast]), noise, S, np.array([0.5, 0.5]))
        spreads.append(slope**2 * W[:, 0] @ S @ W[:, 0])
    plain = float(np.mean([0.25 * np.trace(np.linalg.inv(S))]))
    assert np.median(spreads) < 0.05 * plain


def test_class_differences_beyond_the_receivers_variance_do_not_drown_the_others() -> None:
    # The owner's classes differ in twenty columns that the receiver hardly records, by more than its rows vary there.
    variances, contrast = np.array([1.0, *[0.02] * 20]), np.full(21, 0.3)
    noise = 1e-4 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    W, slope = posterior_directions(np.stack([contrast, -contrast]), noise, np.diag(variances), np.array([0.5, 0.5]))
    spreads = slope * np.abs(W[:, 0]) * np.sqrt(variances)
    assert np.hypot.reduce(spreads[1:]) < 2 * spreads[0]
