"""Linear models with unknown noise: against an integral, an explicit density and refits."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, multivariate_t

from tacit.numerics.student import student_posterior


def problem(n: int = 12, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    F = draw.normal(size=(n, p))
    return F, F @ np.ones(p) + draw.normal(size=n)


def test_the_evidence_is_the_student_density() -> None:
    F, r = problem()
    found = student_posterior(F, r, variance=0.7, freedom=3.0)
    expected = multivariate_t.logpdf(r, shape=0.7 * (np.eye(12) + F @ F.T), df=3)
    assert found.log_evidence == pytest.approx(expected)


def test_the_evidence_is_the_integral_over_the_noise() -> None:
    F, r = problem(n=5)

    def integrand(x: float) -> float:
        """x is chi-squared of 3 degrees."""
        v = 3 * 0.7 / x
        density = multivariate_normal.pdf(r, cov=v * (np.eye(5) + F @ F.T))
        return float(density * np.sqrt(x) * np.exp(-x / 2) / np.sqrt(2 * np.pi))

    integral = quad(integrand, 0, 60)[0]
    found = student_posterior(F, r, variance=0.7, freedom=3.0)
    assert found.log_evidence == pytest.approx(np.log(integral), abs=1e-6)


def test_the_mode_is_the_ridge_solution_and_leverages_are_its_hat_values() -> None:
    F, r = problem()
    found = student_posterior(F, r, variance=1.0, freedom=2.0)
    H = F.T @ F + np.eye(3)
    assert found.mode == pytest.approx(np.linalg.solve(H, F.T @ r))
    assert found.leverages(F) == pytest.approx(np.diag(F @ np.linalg.inv(H) @ F.T))


def test_without_rows_the_prior_is_left() -> None:
    found = student_posterior(np.empty((0, 2)), np.empty(0), variance=0.5, freedom=4.0)
    assert found.log_evidence == pytest.approx(0)
    assert (found.scale, found.freedom) == pytest.approx((0.5, 4.0))
