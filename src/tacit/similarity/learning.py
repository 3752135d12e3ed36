"""Train on one table, test on another: how much of what a table teaches survives its fabrication."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit.arrays import FloatArray
from tacit.data.rows.encoding import Encoded

LEARNERS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}


def trained_area(learner: str, train: Encoded, test: Encoded) -> float:
    """Return the area under the ROC curve on ``test`` of a learner that was trained on ``train``; NaN without classes.

    Of more than two classes the mean of each against the others.
    """
    if len(np.unique(train.y)) < 2 or len(np.unique(test.y)) < 2:
        return float("nan")
    model = LEARNERS[learner]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # weights close to the best ones rank rows as well
        model.fit(train.X, train.y)
    probabilities = np.zeros((len(test.y), len(test.classes)))
    probabilities[:, model.classes_] = model.predict_proba(test.X)
    return class_area(test.y, probabilities)


def class_area(y: NDArray[Any], probabilities: FloatArray) -> float:
    """Return the mean area of each class against the others; of two classes, of the second."""
    codes = [1] if probabilities.shape[1] == 2 else [code for code in np.unique(y) if 0 < (y == code).mean() < 1]
    return float(np.mean([roc_auc_score(y == code, probabilities[:, code]) for code in codes]))
