"""Classifiers with a score for each class: rows grouped by class, scores for scikit-learn, the class of the best."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from tacit.arrays import FLOATS
from tacit.models.estimator_input import full_labels, validate_data
from tacit.models.scikit_learn import BaseEstimator, ClassifierMixin
from tacit.records import record


@record
class ClassGroups:
    """A table divided by class."""

    rows: NDArray[Any]
    """[N, p]"""
    classes: NDArray[Any]
    """[C]: the labels that occur, sorted."""
    groups: list[NDArray[np.intp]]
    """The places of each class's rows, in random order."""


def rows_by_class(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, random_state: Any) -> ClassGroups:
    """Return checked rows ``X`` [N, p] grouped by their labels ``y`` [N]; ``estimator`` remembers the columns."""
    rows, labels = validate_data(estimator, X, full_labels(estimator, y), dtype=FLOATS)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    order = check_random_state(random_state).permutation(len(codes))
    return ClassGroups(np.asarray(rows), classes, [order[codes[order] == code] for code in range(len(classes))])


def decisions(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores [N, R] as scikit-learn wants them: [N] for two classes, else [N, C].

    One column is the score of the second of two classes against the first; of two columns it is their difference.
    """
    match scores.shape[1]:
        case 1:
            return scores[:, 0]
        case 2:
            return np.asarray(scores[:, 1] - scores[:, 0])
    return scores


def best_classes(scores: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the class of each row: the one with the largest score, or by the sign of a single column [N, 1]."""
    codes = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
    labels: NDArray[Any] = classes[codes]
    return labels


class ScoreClassifierMixin(ClassifierMixin):
    """Predictions of a classifier whose ``_scores`` gives one number for each row and class: the largest wins."""

    classes_: NDArray[Any]

    def _scores(self, X: ArrayLike) -> NDArray[Any]:
        """Return scores [N, C], or [N, 1] for the second of two classes; larger means likelier."""
        raise NotImplementedError

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Return the score of each class [N, C]; for two classes by how much the second exceeds the first [N]."""
        return decisions(self._scores(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row [N]: the class with the largest score."""
        scores = self._scores(X)
        return best_classes(scores, self.classes_)


class ProbabilityClassifierMixin(ClassifierMixin):
    """Predictions of a classifier whose ``predict_proba`` gives class probabilities: the likeliest class wins."""

    classes_: NDArray[Any]

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return class probabilities [N, C]."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row [N]: the likeliest, the first of equals."""
        probabilities = self.predict_proba(X)
        return best_classes(probabilities, self.classes_)
