"""Laplace approximations: against integrals, finite differences and each other."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import expit, log_softmax

from tacit.numerics.laplace import left_out_logistic, left_out_softmax, logistic_posterior, softmax_posterior


def problem(n: int = 30, p: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    F = draw.normal(size=(n, p))
    offsets = draw.normal(size=n)
    positive = (draw.random(n) < expit(offsets + F @ np.ones(p))).astype(float)
    return F, offsets, positive


def test_the_logistic_evidence_is_close_to_the_integral() -> None:
    F, offsets, positive = problem()

    def density(a: float, b: float) -> float:
        margin = (2 * positive - 1) * (offsets + F @ [a, b])
        return float(np.exp(-np.logaddexp(0, -margin).sum() - (a * a + b * b) / 2) / (2 * np.pi))

    integral = dblquad(density, -6, 6, -6, 6, epsabs=1e-16)[0]
    assert logistic_posterior(F, offsets, positive).log_evidence == pytest.approx(np.log(integral), abs=0.05)


def test_without_features_the_evidence_is_the_likelihood_itself() -> None:
    _, offsets, positive = problem()
    found = logistic_posterior(np.zeros((30, 0)), offsets, positive)
    assert found.log_evidence == pytest.approx(-np.logaddexp(0, -(2 * positive - 1) * offsets).sum())


def test_at_the_logistic_mode_the_gradient_is_zero_even_for_separable_labels() -> None:
    F = 30 * np.linspace(-1, 1, 40)[:, None]
    positive = (F[:, 0] > 0).astype(float)
    u = logistic_posterior(F, np.zeros(40), positive).mode
    assert np.abs(F.T @ (positive - expit(F @ u)) - u).max() < 1e-4


def test_the_spread_is_the_standard_deviation_under_the_inverse_curvature() -> None:
    F, offsets, positive = problem(p=3)
    found = logistic_posterior(F, offsets, positive)
    p = expit(offsets + F @ found.mode)
    H = np.eye(3) + sum(w * np.outer(f, f) for w, f in zip(p * (1 - p), F, strict=True))
    assert found.spread(F[:4]) == pytest.approx([np.sqrt(f @ np.linalg.inv(H) @ f) for f in F[:4]])


def test_two_classes_of_a_softmax_are_a_logistic_model() -> None:
    """Two class weights of variance 1/2 have a difference of variance 1."""
    F, offsets, positive = problem()
    halves = np.stack([-offsets / 2, offsets / 2], axis=1)
    found = softmax_posterior(F / np.sqrt(2), np.zeros((30, 2, 0)), halves, positive.astype(int))
    binary = logistic_posterior(F, offsets, positive)
    V = found.mode.reshape(2, 2)
    assert (V[:, 1] - V[:, 0]) / np.sqrt(2) == pytest.approx(binary.mode, abs=1e-4)
    assert found.log_evidence == pytest.approx(binary.log_evidence, abs=1e-4)


@pytest.mark.parametrize("scales", [None, np.array([[1.0, 0.2, 3.0], [0.5, 2.0, 1.5]])])
def test_the_softmax_curvature_is_the_second_difference_of_the_log_posterior(scales: np.ndarray | None) -> None:
    draw = np.random.default_rng(1)
    F, G, offsets = draw.normal(size=(12, 2)), draw.normal(size=(12, 3, 2)), draw.normal(size=(12, 3))
    codes = np.arange(12) % 3
    found = softmax_posterior(F, G, offsets, codes, scales)

    def value(theta: np.ndarray) -> float:
        V = theta[:6].reshape(2, 3) * (1.0 if scales is None else scales)
        logs = log_softmax(offsets + F @ V + G @ theta[6:], axis=1)
        return float(-logs[np.arange(12), codes].sum() + theta @ theta / 2)

    step = 1e-4 * np.eye(8)
    slopes = [value(found.mode + each) - value(found.mode - each) for each in step]
    assert slopes == pytest.approx(np.zeros(8), abs=1e-7), "the mode"
    for i in range(8):
        for j in range(8):
            second = value(found.mode + step[i] + step[j]) - value(found.mode + step[i] - step[j])
            second -= value(found.mode - step[i] + step[j]) - value(found.mode - step[i] - step[j])
            assert (found.root @ found.root.T)[i, j] == pytest.approx(second / 4e-8, abs=1e-4)


def test_a_left_out_label_is_predicted_as_by_a_fit_without_it() -> None:
    F, offsets, positive = problem(n=40, p=3)
    found = logistic_posterior(F, offsets, positive)
    shown = left_out_logistic(offsets + F @ found.mode, found.spread(F) ** 2, positive)
    for left in range(40):
        rest = np.arange(40) != left
        margin = offsets[left] + F[left] @ logistic_posterior(F[rest], offsets[rest], positive[rest]).mode
        assert shown[left] == pytest.approx(-np.logaddexp(0, -(2 * positive[left] - 1) * margin), abs=0.03)


def test_left_out_labels_of_two_classes_are_those_of_the_logistic_model() -> None:
    draw = np.random.default_rng(2)
    scores, codes = draw.normal(size=(10, 2)), draw.integers(2, size=10)
    roots = draw.normal(size=(10, 2, 2)) / 2
    covariances = roots @ roots.transpose(0, 2, 1)
    variances = covariances[:, 0, 0] + covariances[:, 1, 1] - 2 * covariances[:, 0, 1]
    expected = left_out_logistic(scores[:, 1] - scores[:, 0], variances, codes.astype(float))
    assert left_out_softmax(scores, covariances, codes) == pytest.approx(expected)
