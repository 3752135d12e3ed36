"""Hypotheses about a numeric target."""

import numpy as np
import pytest
from scipy.stats import t

from tacit.adoption.average.hypotheses import Hypothesis, Usage
from tacit.adoption.average.kernel_features import features_of
from tacit.adoption.average.member_inputs import Inputs, Setting
from tacit.adoption.average.target_member import (
    NOISE_FREEDOM,
    NOISE_VARIANCE,
    TargetFitter,
    TargetMember,
    near_targets,
)
from tacit.adoption.average.weighted_members import WeightedMembers

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


def test_of_two_averages_that_with_the_smaller_squared_error_of_left_out_values_gets_the_weight() -> None:
    rows, targets = problem(200)
    fit = TargetFitter(rows, targets, SETTING)
    good, poor = (WeightedMembers(np.ones(1), (fit(hypothesis(kernel)),)) for kernel in ("linear", None))
    assert fit.stacked(poor, good, rows=(1.0, 1.0)) > 0.9
    assert fit.stacked(good, poor, rows=(1.0, 1.0)) < 0.1
    assert fit.stacked(good, good, rows=(3.0, 1.0)) == pytest.approx(0.25, abs=1e-3)


def test_many_values_find_the_noise() -> None:
    rows, targets = problem(400)
    member = fitted(rows, targets)
    assert np.sqrt(member.scale) == pytest.approx(0.3, rel=0.2)


def test_far_values_come_near_and_the_mean_stays() -> None:
    near = near_targets(np.array([0.0, -1.0, 2.0, 15.0]), farthest=3.0)
    assert near.mean() == pytest.approx(4.0)
    assert near - near[0] == pytest.approx([0.0, -1.0, 2.0, 3.0])


def test_near_values_stay_to_the_last_bit_and_none_is_no_harm() -> None:
    assert near_targets(np.array([0.1, -2.9, 3.0]), farthest=3.0).tolist() == [0.1, -2.9, 3.0]
    assert near_targets(np.empty(0)).tolist() == []


def test_far_values_that_a_release_foretells_stay_to_the_last_bit() -> None:
    targets, scores = np.array([0.0, 9.0, -8.0]), np.array([0.5, 7.0, -6.5])
    assert near_targets(targets, [scores], farthest=3.0).tolist() == targets.tolist()
    assert near_targets(targets, [scores, -scores], farthest=3.0).tolist() == targets.tolist()
    assert near_targets(targets, [-scores], farthest=3.0).tolist() != targets.tolist()


def test_far_values_that_a_release_foretells_do_not_lower_its_weight() -> None:
    draw = np.random.default_rng(1)
    scores = draw.standard_t(2, size=200)
    targets = scores + 0.3 * draw.normal(size=200)
    centre, unit = targets.mean(), targets.std()
    rows = Inputs((((scores - centre) / unit)[:, None],), draw.normal(size=(200, 3)), {})
    member = fitted(rows, (targets - centre) / unit, None)
    assert member.weights[1] == pytest.approx(1.0, abs=0.02)


def test_without_a_release_in_use_a_fit_does_not_change_with_what_releases_say() -> None:
    rows, targets = problem()
    targets = np.concatenate([targets[:-1], [12.0]])
    alone = Hypothesis(Usage((0,)), 1.5, "linear", 0.5, trees=False, log_prior=0.0)
    other = Inputs((10 * rows.scores[0],), rows.Z, rows.features)
    fits = [TargetFitter(each, targets, SETTING)(alone) for each in (rows, other)]
    assert fits[0].weights.tolist() == fits[1].weights.tolist()
    assert fits[0].log_evidence == fits[1].log_evidence
