"""Residuals and how they are shortened."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from tacit.models.additive.losses import class_residuals, limited, probabilities, squared_residuals


def test_probabilities_of_two_classes_are_logistic_to_the_table() -> None:
    scores = np.linspace(-40, 40, 4001)[:, None]
    np.testing.assert_allclose(probabilities(scores), expit(np.clip(scores, -30, 30)), atol=2.5e-4)


@pytest.mark.parametrize("n_classes", [3, 7])
def test_probabilities_of_several_classes_are_a_softmax_to_the_table(n_classes: int) -> None:
    scores = np.random.default_rng(0).normal(0, 4, (500, n_classes))
    np.testing.assert_allclose(probabilities(scores), softmax(scores, axis=1), atol=1e-3)
    np.testing.assert_allclose(probabilities(scores).sum(axis=1), 1)


def test_residuals_are_the_slope_of_the_loss() -> None:
    random = np.random.default_rng(1)
    scores, target = random.normal(0, 2, (200, 3)), random.integers(0, 3, 200)
    step = 1e-4

    def loss(at: np.ndarray) -> np.ndarray:
        return -np.log(softmax(at, axis=1)[np.arange(200), target])

    for k in range(3):
        moved = scores + step * np.eye(3)[k]
        slopes = (loss(moved) - loss(scores)) / step
        np.testing.assert_allclose(class_residuals(scores, target)[:, k], slopes, atol=2e-3)


def test_two_classes_are_one_score() -> None:
    scores = np.array([[0.0], [2.0]])
    np.testing.assert_allclose(class_residuals(scores, np.array([1, 0]))[:, 0], [-0.5, expit(2.0)], atol=1e-3)


def test_a_number_is_compared_in_spreads() -> None:
    residuals = squared_residuals(centre=10.0, spread=4.0)
    np.testing.assert_allclose(residuals(np.array([[0.5]]), np.array([14.0])), [[-0.5]])


@pytest.mark.parametrize("n_scores", [1, 4])
def test_no_residual_is_longer_than_its_limit(n_scores: int) -> None:
    random = np.random.default_rng(2)
    residuals, limits = random.normal(0, 3e6, (3000, n_scores)), random.uniform(1e3, 2e6, 3000)
    short = limited(residuals, limits)
    assert (np.linalg.norm(short, axis=1) <= limits).all()
    within = np.linalg.norm(residuals, axis=1) < limits
    np.testing.assert_allclose(short[within], residuals[within], atol=1)
    turned = (short * residuals).sum(axis=1) / np.linalg.norm(short, axis=1) / np.linalg.norm(residuals, axis=1)
    assert turned.min() > 0.999, "shortened, not turned"


def test_shortened_residuals_add_up_exactly_in_any_order() -> None:
    random = np.random.default_rng(3)
    short = limited(random.normal(0, 1e6, (20_000, 2)), np.full(20_000, 3e5))
    assert (short.sum(axis=0) == short[random.permutation(20_000)].sum(axis=0)).all()
    assert (short == np.rint(short)).all()
