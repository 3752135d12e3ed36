"""Log shares of the classes on either side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, owner_schema, shared_classes


@dataclass(frozen=True, eq=False)
class SideScores:
    """Scores log(count + 1) of the side that a row is on."""

    counts: FloatArray

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, 2]."""
        scores: FloatArray = np.log(np.maximum(self.counts, 0) + 1)[(X[:, 0] > 0.5).astype(int)]
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the counts."""
        return {"counts": self.counts}, {}


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the scores of the receiver's rows."""
    classes = shared_classes(table.schema, owner_schema(release))
    return Lesson(classes, candidates=((SideScores(release.arrays["counts"]), "the first column"),))


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    return SideScores(arrays["counts"])
