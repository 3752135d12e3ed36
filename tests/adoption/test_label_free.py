"""Agreement of two halves of a release, without labels."""

import numpy as np

from tacit.adoption.label_free import agreement


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
