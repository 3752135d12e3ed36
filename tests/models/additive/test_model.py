"""Finished models: scores of rows, unknown levels, probabilities and their uncertainty."""

import numpy as np
import pytest
from scipy.special import expit
from tests.models.additive.tables import COLUMNS, random_codes

from tacit.models.additive.class_check import ClassCheck
from tacit.models.additive.model import AdditiveClassifier, AdditiveCurves, AdditiveRegression
from tacit.models.additive.number_check import NumberCheck
from tacit.models.additive.rows import RowLayout

SIZE = RowLayout(COLUMNS).size
FACTS = {"n_rows": 1000.0, "n_steps": 20, "mu": 0.25, "clip": 0.3}


def curves(n_scores: int) -> AdditiveCurves:
    random = np.random.default_rng(0)
    return AdditiveCurves(
        COLUMNS,
        random.normal(size=(SIZE, n_scores)),
        random.uniform(0, 0.3, (SIZE, n_scores)),
        random.normal(size=n_scores),
        np.full(SIZE, 0.1),
    )


def classifier(n_classes: int) -> AdditiveClassifier:
    n_scores = 1 if n_classes == 2 else n_classes
    covariance = 0.01 * np.eye(n_scores + 1)
    check = ClassCheck(0.7, np.full(n_scores, 0.2), covariance, np.full(n_classes, 1 / n_classes), 0.8, 1.2, 9.0)
    return AdditiveClassifier(curves(n_scores), check, tuple(map(str, range(n_classes))), FACTS)


def test_a_score_is_the_sum_of_what_the_levels_add() -> None:
    model, codes = curves(2), random_codes(40)
    scores, variances = model.scores(codes)
    starts = [part.start for part in model.layout.parts()]
    for row in range(40):
        places = [start + int(level) for start, level in zip(starts, codes[row], strict=True)]
        np.testing.assert_allclose(scores[row], model.intercept + model.values[places].sum(axis=0))
        np.testing.assert_allclose(variances[row], (model.deviations[places] ** 2).sum(axis=0))


def test_an_unknown_level_adds_nothing() -> None:
    model = curves(1)
    codes = np.full((1, 4), -1)
    scores, variances = model.scores(codes)
    assert scores[0, 0] == model.intercept[0]
    assert variances[0, 0] == 0


def test_no_rows_have_no_scores() -> None:
    scores, variances = curves(3).scores(random_codes(0))
    assert scores.shape == variances.shape == (0, 3)


def test_two_classes_are_calibrated_by_scale_and_offset() -> None:
    model, codes = classifier(2), random_codes(30)
    raw = model.curves.scores(codes)[0][:, 0]
    np.testing.assert_allclose(model.probabilities(codes)[:, 1], expit(0.7 * raw + 0.2))
    logs = model.log_probabilities(codes)
    np.testing.assert_allclose(logs[:, 1] - logs[:, 0], 0.7 * raw + 0.2)
    np.testing.assert_allclose(model.scores(codes).log_odds[:, 1], 0.7 * raw + 0.2)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_log_odds_are_those_of_the_probabilities(n_classes: int) -> None:
    model, codes = classifier(n_classes), random_codes(30)
    chances = model.probabilities(codes)
    np.testing.assert_allclose(model.scores(codes).log_odds, np.log(chances) - np.log1p(-chances), atol=1e-6)
    np.testing.assert_allclose(np.exp(model.log_probabilities(codes)), chances)


def test_deviations_hold_the_noise_of_curves_and_of_the_calibration() -> None:
    model, codes = classifier(2), random_codes(30)
    raw, variances = (part[:, 0] for part in model.curves.scores(codes))
    expected = 0.49 * variances + 0.01 + 0.01 * raw**2
    np.testing.assert_allclose(model.scores(codes).deviations[:, 1] ** 2, expected)


def test_the_size_is_rows_times_mu() -> None:
    assert classifier(3).size == 250.0


def test_predictions_are_in_the_targets_units_and_bounds() -> None:
    check = NumberCheck(0.5, 0.1, np.zeros((2, 2)), 0.3, 0.4, 8.0)
    model = AdditiveRegression(curves(1), check, 100.0, 10.0, (0.0, 105.0), FACTS)
    codes = random_codes(50)
    raw, variances = (part[:, 0] for part in model.curves.scores(codes))
    predictions = model.predict(codes)
    np.testing.assert_allclose(predictions.mean, np.clip(100 + 10 * (0.5 * raw + 0.1), 0, 105))
    np.testing.assert_allclose(predictions.variance, 100 * (0.3 + 0.25 * variances))
    assert model.size == 250.0


def test_energies_weigh_curves_by_the_rows() -> None:
    model = curves(1)
    part = list(model.layout.parts())[1]
    assert model.energies()[1] == pytest.approx(float(0.1 * (model.values[part] ** 2).sum()))
