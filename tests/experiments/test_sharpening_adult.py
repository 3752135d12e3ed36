"""The table of Adult from few labels: every method is measured alike, on rows that it did not learn from."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from tacit.experiments.tables.sharpening_adult import ACCURACY, CALIBRATED, FOLDS, RAW, _predicted, _scored, peers

RNG = np.random.default_rng(0)
TRUTH = np.arange(300) % 2
X = RNG.normal(size=(300, 5)) + 0.8 * TRUTH[:, None]
Y = np.where(np.arange(300) < 40, TRUTH, -1)


def test_every_peer_is_measured_and_calibration_keeps_its_answers() -> None:
    for method, make in peers(0).items():
        raw, calibrated = _predicted(make, X, Y, X[40:])
        assert_array_equal(raw.argmax(axis=1), calibrated.argmax(axis=1))
        found = _scored(method, raw, calibrated, TRUTH[40:])
        assert set(found) == {(method, metric) for metric in (ACCURACY, RAW, CALIBRATED)}
        assert found[method, ACCURACY] > 0.65, method


def test_probabilities_as_learned_are_the_learners_own() -> None:
    raw, _ = _predicted(LogisticRegression, X, Y, X)
    assert_allclose(raw, LogisticRegression().fit(X[:40], TRUTH[:40]).predict_proba(X), atol=1e-9)


def test_labels_are_hidden_from_those_who_are_asked_for_them() -> None:
    shown: list[Any] = []

    class Watched(SelfTrainingClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            shown.append(np.array(y))
            return super().fit(X, y)

    _predicted(lambda: Watched(LogisticRegression()), X, Y, X)
    *parts, everything = shown
    assert_array_equal(everything, Y)
    hidden = np.array([(part == -1) & (Y != -1) for part in parts])
    assert hidden.shape[0] == FOLDS
    assert_array_equal(hidden.sum(axis=0), Y != -1)
