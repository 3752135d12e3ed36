"""Affine class scores of the encoded columns that two tables share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, IntArray, Rows
from tacit.data.schemas.sharing import SharedColumns
from tacit.records import record

ARRAYS = ("ours", "theirs", "scale", "shift")


@record
class ColumnMatch:
    """Encoded columns of the receiver and of the owner that mean the same: theirs = (ours - shift) / scale."""

    ours: IntArray
    """[k]"""
    theirs: IntArray
    """[k]"""
    scale: FloatArray
    """[k]"""
    shift: FloatArray
    """[k]"""

    @classmethod
    def of(cls, shared: SharedColumns) -> "ColumnMatch":
        """Return the match of what two schemas share."""
        units = np.array([(pairing.scale, pairing.shift) for pairing in shared.pairings]).reshape(-1, 2)
        return cls(shared.ours, shared.theirs, units[:, 0], units[:, 1])

    def __call__(self, X: Rows) -> FloatArray:
        """Return the shared columns of our rows in the owner's units [N, k]."""
        columns: FloatArray = (X[:, self.ours] - self.shift) / self.scale
        return columns

    def placed(self, X: Rows, middle: FloatArray) -> FloatArray:
        """Return our rows in the owner's encoding [N, p of the owner]; columns that we lack hold ``middle``."""
        rows = np.tile(middle, (len(X), 1))
        rows[:, self.theirs] = self(X)
        return rows

    def arrays(self) -> Arrays:
        """Return the match as named arrays."""
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "ColumnMatch":
        """Return the match that ``arrays`` describes."""
        return cls(*(arrays[name] for name in ARRAYS))


@record
class ColumnScores:
    """Scores of rows x by their shared columns z: z W + b."""

    match: ColumnMatch
    W: FloatArray
    """[k, C]"""
    b: FloatArray
    """[C]"""

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        scores: FloatArray = self.match(X) @ self.W + self.b
        return scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        return {**self.match.arrays(), "W": self.W, "b": self.b}, {"form": "columns"}


def stored_column_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ColumnScores:  # noqa: ARG001 - the form has no settings
    """Return the scores that ``to_parts`` took apart."""
    return ColumnScores(ColumnMatch.from_arrays(arrays), arrays["W"], arrays["b"])
