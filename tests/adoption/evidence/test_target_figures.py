"""Figures of held-out numeric predictions."""

import numpy as np
import pytest

from tacit.adoption.evidence.target_figures import (
    COVERAGE,
    LEAST_VALUES,
    covered,
    r_squared,
    squared_error_difference,
    stretch,
    target_figures,
)


def predictions(n: int = 200, times: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    targets = draw.normal(size=n)
    mean = targets + 0.5 * draw.standard_t(4, size=(times, n))
    predicted = np.stack([mean, np.full((times, n), 0.1)])
    constant = np.stack([np.full((times, n), targets.mean()), np.ones((times, n))])
    return predicted, constant, targets, draw.integers(5, size=(times, n))


def test_r_squared_is_the_usual_one() -> None:
    predicted, constant, targets, _ = predictions(times=1)
    expected = 1 - ((targets - predicted[0, 0]) ** 2).sum() / ((targets - targets.mean()) ** 2).sum()
    figure = r_squared(predicted, constant, targets)
    assert figure.value == pytest.approx(expected)
    assert figure.low < figure.value < figure.high
    assert r_squared(constant, constant, targets).value == pytest.approx(0)


def test_intervals_are_stretched_until_they_cover_what_they_should() -> None:
    predicted, _, targets, folds = predictions(n=2000, times=1)
    reach = stretch(predicted, targets)
    inside = np.abs(targets - predicted[0]) <= reach * np.sqrt(predicted[1])
    assert inside.mean() == pytest.approx(COVERAGE, abs=0.002)
    assert covered(predicted, targets, folds).mean() == pytest.approx(COVERAGE, abs=0.02)


def test_few_values_leave_students_quantile() -> None:
    predicted, _, targets, _ = predictions(n=LEAST_VALUES - 1)
    assert stretch(predicted, targets) == pytest.approx(1.73, abs=0.01)
    assert stretch(np.ones((2, 1, 0)), np.empty(0)) > 2


def test_errors_are_in_the_unit_of_the_target() -> None:
    predicted, constant, targets, folds = predictions()
    small, large = (target_figures("a", predicted, constant, targets, folds, unit=unit) for unit in (1.0, 10.0))
    assert large.absolute_error.value == pytest.approx(10 * small.absolute_error.value)
    assert large.r_squared == small.r_squared


def test_a_better_prediction_has_a_negative_difference() -> None:
    predicted, constant, targets, _ = predictions()
    assert squared_error_difference(predicted, constant, targets).high < 0
