"""Class scores of a receiver's rows from released weights."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.models.column_scores import ColumnMatch
from tacit.models.linear.release import LinearScores, linear_parts, read_scores, scores_from_parts
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, shared_by_name


@record
class MatchedLinearScores:
    """Scores of our rows by released weights; columns that we lack stand in the middle of their bounds."""

    match: ColumnMatch
    scores: LinearScores

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C of the owner]."""
        # In the middle of its bounds a column's centred value is zero, so that its weight adds nothing.
        low, high = self.scores.bounds or (0.0, 0.0)
        middle = np.broadcast_to((np.asarray(low) + high) / 2, self.scores.weights.shape[1])
        margins = self.scores(self.match.placed(X, middle))  # [N, R]
        return np.column_stack([-margins, margins]) if margins.shape[1] == 1 else margins

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = linear_parts(self.scores)
        return {**arrays, **self.match.arrays()}, settings


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the class scores that the released weights give to the receiver's rows."""
    lesson, shared = shared_by_name(release, table)
    if not shared.pairings:
        return lesson
    scores = MatchedLinearScores(ColumnMatch.of(shared), read_scores(release))
    return replace(lesson, candidates=((scores, lesson.note),))


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    return MatchedLinearScores(ColumnMatch.from_arrays(arrays), scores_from_parts(arrays, settings))
