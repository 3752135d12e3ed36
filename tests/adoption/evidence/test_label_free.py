"""Agreement of two halves of a release, without labels."""

import itertools

import numpy as np
import pytest

from tacit.adoption.evidence.label_free import agreement, permutation_z


def halves(noise: float, n_classes: int = 3, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    truth = np.eye(n_classes)[draw.integers(n_classes, size=n)]
    return truth + noise * draw.normal(size=truth.shape), truth + noise * draw.normal(size=truth.shape)


def test_halves_with_a_signal_agree_beyond_chance_and_pure_noise_does_not() -> None:
    assert not agreement(*halves(0.5)).at_chance
    assert agreement(*halves(1e6)).at_chance
    assert agreement(*halves(0.3)).kappa > agreement(*halves(1.0)).kappa


def test_halves_that_name_one_class_for_every_row_agree_on_nothing() -> None:
    draw = np.random.default_rng(0)
    first, second = draw.normal(size=(2, 300, 2)) + np.array([0.0, 50.0])
    assert agreement(first, second).at_chance


def test_constant_scores_and_no_rows_are_at_chance() -> None:
    assert agreement(np.ones((5, 2)), np.ones((5, 2))).at_chance
    assert agreement(np.empty((0, 2)), np.empty((0, 2))).at_chance


def test_permutations_have_the_stated_mean_and_variance() -> None:
    random = np.random.RandomState(0)
    first, second = random.normal(size=(60, 4)), random.normal(size=(60, 4))
    codes = [(each - each.mean(axis=0)).argmax(axis=1) for each in (first, second)]
    agreed = [np.mean(codes[0] == np.array(order)[codes[1]]) for order in itertools.permutations(range(4))]
    expected = (np.mean(codes[0] == codes[1]) - np.mean(agreed)) / np.std(agreed)
    assert permutation_z(first, second) == pytest.approx(expected)


def test_equal_scores_reach_the_largest_z_and_one_class_none() -> None:
    scores = np.eye(6)[np.arange(60) % 6]
    assert permutation_z(scores, scores) == pytest.approx(5)
    assert permutation_z(np.zeros((0, 3)), np.zeros((0, 3))) == 0
    assert permutation_z(scores, np.roll(scores, 1, axis=1)) < 0


def test_noise_on_rows_in_clusters_agrees_by_less_than_three_deviations() -> None:
    """Clusters of equal rows make noise agree by a kappa that counted rows would call knowledge."""
    random = np.random.RandomState(0)
    z, kappas = [], []
    for _ in range(200):
        clusters = random.randint(8, size=500)
        pair = [random.normal(size=(8, 10))[clusters] for _ in range(2)]
        z.append(permutation_z(*pair))
        kappas.append(agreement(*pair).kappa)
    assert np.mean(np.array(z) > 3) < 0.02
    assert np.mean(np.array(kappas) > 0.1) > 0.05
