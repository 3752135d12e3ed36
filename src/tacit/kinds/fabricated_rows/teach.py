"""Invented rows in the receiver's columns, and the class scores of a logistic regression that learned from them."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from tacit.arrays import Codes, FloatArray
from tacit.errors import InputError
from tacit.models.column_scores import ColumnMatch, ColumnScores, stored_column_scores
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, owner_schema, shared_by_name

# More rows hardly change the weights of so many columns, and take longer.
MOST_ROWS = 20_000


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the class scores that a logistic regression of the invented rows gives to the receiver's."""
    lesson, shared = shared_by_name(release, table)
    if not shared.pairings:
        return lesson
    X, y = _rows(release)
    scores = _learned(X, y, ColumnMatch.of(shared), len(owner_schema(release).classes))
    return replace(lesson, candidates=((scores, lesson.note),), calibrated=True)


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    return stored_column_scores(arrays, settings)


def _rows(release: Release) -> tuple[FloatArray, Codes]:
    if "X" not in release.arrays:
        raise InputError(
            "the release of fabricated rows stands beside its table: adopt the table, such as fabricated.csv, instead."
        )
    return release.arrays["X"][:MOST_ROWS].astype(np.float64), release.arrays["y"][:MOST_ROWS].astype(np.intp)


def _learned(X: FloatArray, y: Codes, match: ColumnMatch, n_classes: int) -> ColumnScores:
    """Return scores with zero weights for classes that no invented row has."""
    Z = X[:, match.theirs]
    W, b = np.zeros((Z.shape[1], n_classes)), np.zeros(n_classes)
    present = np.unique(y)
    if len(present) < 2:
        return ColumnScores(match, W, b)
    model = LogisticRegression(max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # weights close to the best ones rank rows as well
        model.fit(Z, y)
    # Two classes have one weight vector, for the second against the first.
    weights, offsets = (
        np.vstack([-part, part]) / 2 if len(present) == 2 else part for part in (model.coef_, model.intercept_[:, None])
    )
    W[:, present], b[present] = weights.T, offsets[:, 0]
    return ColumnScores(match, W, b)
