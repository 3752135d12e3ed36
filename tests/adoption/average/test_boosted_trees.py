"""Boosted trees as arrays: the same predictions as scikit-learn's."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from tacit.adoption.average.boosted_trees import _settings, learn_class_trees, learn_target_trees


def test_two_classes_are_scored_as_scikit_learn_does() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    oracle = GradientBoostingClassifier(**_settings(len(X), 1, 3)).fit(X, y)
    scores = learn_class_trees(X, y, 2, seed=3)(X)
    assert scores[:, 1] - scores[:, 0] == pytest.approx(oracle.decision_function(X))


def test_three_classes_are_scored_as_scikit_learn_does() -> None:
    X, y = load_iris(return_X_y=True)
    oracle = GradientBoostingClassifier(**_settings(len(X), 3, 3)).fit(X, y).decision_function(X)
    scores = learn_class_trees(X, y, 3, seed=3)(X)
    assert scores - scores[:, :1] == pytest.approx(oracle - oracle[:, :1])


def test_a_target_is_predicted_as_scikit_learn_does() -> None:
    X, y = load_diabetes(return_X_y=True)
    oracle = GradientBoostingRegressor(**_settings(len(X), 1, 3)).fit(X, y)
    assert learn_target_trees(X, y, seed=3)(X)[:, 0] == pytest.approx(oracle.predict(X))


def test_a_class_without_labels_scores_below_those_with_some_and_has_no_trees() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    scores = learn_class_trees(X, 2 * y, 3, seed=0)(X)
    assert len(np.unique(scores[:, 1])) == 1
    assert scores[0, 1] < np.log(y.mean())
    assert (scores[:, [0, 2]].argmax(axis=1) == y).mean() > 0.95


def test_values_at_a_threshold_go_the_way_they_went_in_training() -> None:
    """Thresholds lie between float32 neighbours here: rounding them up would send the upper one left."""
    low = np.float32(17)
    X = np.repeat([low, np.nextafter(low, np.float32(np.inf))], 20)[:, None]
    y = np.repeat([0, 1], 20)
    scores = learn_class_trees(X, y, 2, seed=0)(X)
    assert (scores.argmax(axis=1) == y).all()
