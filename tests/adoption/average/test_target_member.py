"""Hypotheses about a numeric target."""

import numpy as np
import pytest
from scipy.stats import t

from tacit.adoption.average.hypotheses import Hypothesis, Usage
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.target_member import NOISE_FREEDOM, NOISE_VARIANCE, TargetFitter, TargetMember

SETTING = Setting(1, np.ones(1), np.array([[0.3]]))


def problem(n: int = 30) -> tuple[Inputs, np.ndarray]:
    draw = np.random.default_rng(0)
    Z = draw.normal(size=(n, 3))
    targets = Z[:, 0] + 0.3 * draw.normal(size=n)
    scores = (Z[:, :1] + 0.5 * draw.normal(size=(n, 1)),)
    return Inputs(scores, Z, features_of(Z, 3.0)), targets


def hypothesis(kernel: str | None = "linear") -> Hypothesis:
    return Hypothesis(Usage((1,)), 0.2, kernel, 0.5 if kernel else 0.0, trees=False, log_prior=0.0)


def fitted(rows: Inputs, targets: np.ndarray, kernel: str | None = "linear") -> TargetMember:
    return TargetFitter(rows, targets, SETTING)(hypothesis(kernel))


def test_without_values_the_mean_is_what_the_release_says() -> None:
    rows, _ = problem()
    member = fitted(rows.rows(slice(0, 0)), np.empty(0), None)
    mean, second = member.moments(rows)
    assert mean == pytest.approx(rows.scores[0][:, 0])
    assert (second - mean**2).min() >= NOISE_VARIANCE * NOISE_FREEDOM


@pytest.mark.parametrize("kernel", ["linear", "radial", None])
def test_left_out_values_are_predicted_as_by_a_fit_without_them(kernel: str | None) -> None:
    rows, targets = problem()
    member = fitted(rows, targets, kernel)
    shown, _ = member.left_out_moments(rows, targets)
    for left in range(5):
        rest = np.arange(30) != left
        others = Inputs((rows.scores[0][rest],), rows.Z[rest], rows.features)
        mean, _ = fitted(others, targets[rest], kernel).moments(rows)
        assert shown[left] == pytest.approx(mean[left], abs=1e-8)


def test_left_out_densities_are_those_of_student() -> None:
    rows, targets = problem()
    member = fitted(rows, targets)
    mean, second = member.left_out_moments(rows, targets)
    expected = t.logpdf(targets, member.freedom, mean, np.sqrt(second - mean**2))
    assert member.left_out(rows, targets) == pytest.approx(expected)


def test_many_values_find_the_noise() -> None:
    rows, targets = problem(400)
    member = fitted(rows, targets)
    assert np.sqrt(member.scale) == pytest.approx(0.3, rel=0.2)
