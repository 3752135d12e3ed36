"""The noise in learned weights against many descents, and what shrinking leaves."""

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS

from tacit.models.additive.descent import MOMENTUM, MomentumSettings, Weights
from tacit.models.additive.features import LevelFeatureTable, table_features
from tacit.models.additive.noise_bands import (
    chance_separation,
    enlargements,
    level_deviations,
    noise_variances,
    reached_parts,
    shrink,
)

N_ROWS, SIGMA = 500.0, 3.0


def simulated(curvature: float, settings: MomentumSettings, n_runs: int = 4000, since: int = 0) -> float:
    """Return the variance of the averaged iterate of noisy descent on a parabola, over many runs."""
    random = np.random.default_rng(0)
    weight, velocity, mean = np.zeros(n_runs), np.zeros(n_runs), np.zeros(n_runs)
    last = range(len(settings.draws))[settings.averaged]
    for index, draws in enumerate(settings.draws):
        if index < since:
            continue
        noise = settings.clip * SIGMA / np.sqrt(draws) * random.normal(size=n_runs)
        velocity = MOMENTUM * velocity + N_ROWS * curvature * weight + noise
        weight = weight - settings.step / N_ROWS * velocity
        if index in last:
            mean += weight / len(last)
    return float(mean.var())


@pytest.mark.parametrize("draws", [(1,) * 40, (28, 28, 28, 29), (2, 2, 3, 3, 3, 3)])
@pytest.mark.parametrize("curvature", [0.0, 1e-3, 0.02])
def test_the_variance_is_that_of_many_descents(draws: tuple[int, ...], curvature: float) -> None:
    settings = MomentumSettings(draws, 0.3, 40.0)
    expected = simulated(curvature, settings)
    found = noise_variances(np.array([[curvature]]), settings, sigma=SIGMA, n_rows=N_ROWS)
    assert found.shape == (1, 1)
    assert found[0, 0] == pytest.approx(expected, rel=0.1)


def test_weights_that_join_later_hold_less_noise() -> None:
    settings = MomentumSettings((1,) * 40, 0.3, 40.0)
    whole, later = (
        noise_variances(np.array([[1e-3]]), settings, sigma=SIGMA, n_rows=N_ROWS, since=since)[0, 0]
        for since in (0, 16)
    )
    assert later < whole
    assert later == pytest.approx(simulated(1e-3, settings, since=16), rel=0.1)


@pytest.mark.parametrize("since", [0, 16])
@pytest.mark.parametrize("curvature", [1e-5, 1e-3, 0.02])
def test_the_part_of_an_optimum_that_is_reached_is_that_of_a_descent_without_noise(
    curvature: float, since: int
) -> None:
    settings = MomentumSettings((1,) * 40, 0.3, 40.0)
    weight, velocity, iterates = 0.0, 0.0, []
    for index in range(40):
        if index >= since:
            velocity = MOMENTUM * velocity + N_ROWS * curvature * (weight - 1)
            weight -= settings.step / N_ROWS * velocity
        iterates.append(weight)
    expected = np.clip(np.mean(iterates[settings.averaged]), 0, 1)
    reached = reached_parts(np.array([[curvature]]), settings, n_rows=N_ROWS, since=since)
    assert reached[0, 0] == pytest.approx(expected, abs=1e-9)


def test_weights_that_were_stopped_early_are_enlarged_by_the_root_of_what_they_lack() -> None:
    np.testing.assert_allclose(enlargements(np.array([1.0, 0.64, 1 / 3])), [1.0, 1.25, np.sqrt(3)])
    assert enlargements(np.zeros((2, 1))).tolist() == [[np.sqrt(3)]] * 2


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_chance_separates_the_rows_that_it_was_learned_from_as_far_as_simulated(noise: float) -> None:
    random, n_rows, n_features = np.random.default_rng(3), 2000, 30
    kept, reached = random.uniform(0, 1, (n_features, 1)), random.uniform(0.3, 1, (n_features, 1))
    shown = []
    for _ in range(200):
        X, labels = random.normal(size=(n_rows, n_features)), random.permutation(n_rows) % 2
        optimum = X[labels == 1].mean(axis=0) - X[labels == 0].mean(axis=0)
        sampling = np.sqrt(4 / n_rows)
        learned = reached[:, 0] * optimum + sampling * np.sqrt(noise) * random.normal(size=n_features)
        scores = X @ (kept[:, 0] * learned)
        gap = scores[labels == 1].mean() - scores[labels == 0].mean()
        shown.append(gap / scores.std() / sampling)
    expected = chance_separation(kept, reached, np.full((n_features, 1), noise))
    assert expected[0] == pytest.approx(np.mean(shown), rel=0.05)


def test_features_that_are_not_kept_separate_nothing_by_chance() -> None:
    assert chance_separation(np.zeros((4, 2)), np.ones((4, 2)), np.ones((4, 2))).tolist() == [0.0, 0.0]


def features() -> LevelFeatureTable:
    random = np.random.default_rng(5)
    return table_features(COLUMNS, [random.integers(1, 100, one.size).astype(float) for one in COLUMNS])


def test_weights_of_pure_noise_vanish_mostly_and_strong_ones_stay() -> None:
    random, columns = np.random.default_rng(1), features()
    size = columns.matrix.shape[1]
    variances = np.full((size, 1), 0.04)
    noise = random.normal(0, 0.2, (size, 1))
    shrunk, left = shrink(Weights(noise, np.zeros(1)), columns, variances)
    assert (shrunk.features**2).sum() < 0.35 * (noise**2).sum()
    strong, kept = shrink(Weights(noise + 10, np.zeros(1)), columns, variances)
    np.testing.assert_allclose(strong.features, noise + 10, rtol=1e-2)
    assert (left <= variances).all()
    assert kept.mean() > left.mean()


def test_shrinking_brings_weights_nearer_to_the_truth() -> None:
    random, columns = np.random.default_rng(2), features()
    truth = np.zeros((columns.matrix.shape[1], 1))
    truth[columns.columns[0], 0][:3] = 1.0
    variances = np.full_like(truth, 0.09)
    errors = []
    for _ in range(50):
        noisy = truth + 0.3 * random.normal(size=truth.shape)
        shrunk, _ = shrink(Weights(noisy, np.zeros(1)), columns, variances)
        errors.append([((noisy - truth) ** 2).sum(), ((shrunk.features - truth) ** 2).sum()])
    before, after = np.mean(errors, axis=0)
    assert after < 0.6 * before


def test_the_deviation_of_a_level_is_that_of_its_features_weights() -> None:
    columns = features()
    random = np.random.default_rng(3)
    variances = random.uniform(0.01, 0.2, (columns.matrix.shape[1], 2))
    draws = [columns.matrix @ (np.sqrt(variances) * random.normal(size=variances.shape)) for _ in range(3000)]
    np.testing.assert_allclose(np.std(draws, axis=0), level_deviations(columns, variances), rtol=0.08, atol=1e-9)
