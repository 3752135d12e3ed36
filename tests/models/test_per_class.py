from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from tacit.models.per_class import ScoreClassifierMixin, best_classes, decisions, rows_by_class

CLASSES = np.array(["a", "b", "c"])
THREE = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 1.0], [0.0, -1.0, 4.0]])


class Scores(ScoreClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Its rows are its scores."""

    def __init__(self, classes: Any = CLASSES) -> None:
        self.classes_ = classes

    def _scores(self, X: ArrayLike) -> NDArray[Any]:
        return np.asarray(X)


def test_one_column_speaks_for_the_second_class_by_its_sign() -> None:
    scores = np.array([[-1.0], [0.0], [2.0]])
    assert decisions(scores).tolist() == [-1.0, 0.0, 2.0]
    assert best_classes(scores, CLASSES[:2]).tolist() == ["a", "a", "b"]


def test_two_columns_are_decided_by_their_difference() -> None:
    scores = THREE[:, :2]
    assert decisions(scores).tolist() == [2.0, 0.0, -1.0]
    assert best_classes(scores, CLASSES[:2]).tolist() == ["b", "a", "a"]


def test_of_many_columns_the_largest_wins_and_the_first_of_equals() -> None:
    assert decisions(THREE) is THREE
    assert best_classes(THREE, CLASSES).tolist() == ["b", "a", "c"]


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_the_sign_of_a_decision_is_the_prediction(n_classes: int) -> None:
    scores = np.random.default_rng(0).normal(size=(200, n_classes))
    model = Scores(CLASSES[: max(n_classes, 2)])
    decided = model.decision_function(scores)
    codes = decided.argmax(axis=1) if decided.ndim == 2 else (decided > 0).astype(int)
    assert model.predict(scores).tolist() == CLASSES[codes].tolist()


def test_rows_are_grouped_by_label_in_one_random_order() -> None:
    X, y = np.arange(24.0).reshape(12, 2), np.array(list("babacbabbcca"))
    table = rows_by_class(BaseEstimator(), X, y, random_state=3)
    assert table.classes.tolist() == ["a", "b", "c"]
    assert sorted(np.concatenate(table.groups).tolist()) == list(range(12))
    for label, group in zip("abc", table.groups, strict=True):
        assert set(y[group]) == {label}
    order = np.random.RandomState(3).permutation(12)
    for group in table.groups:
        assert [place for place in order if place in group] == group.tolist()


def test_grouping_remembers_the_columns_and_keeps_single_precision() -> None:
    estimator = BaseEstimator()
    table = rows_by_class(estimator, np.ones((4, 3), np.float32), [0, 1, 0, 1], random_state=None)
    assert estimator.n_features_in_ == 3
    assert table.rows.dtype == np.float32
    assert rows_by_class(estimator, [[1], [2]], [0, 1], None).rows.dtype == np.float64


def test_fractions_are_no_labels() -> None:
    with pytest.raises(ValueError, match="continuous"):
        rows_by_class(BaseEstimator(), np.ones((3, 1)), [0.5, 1.25, 3.0], None)
