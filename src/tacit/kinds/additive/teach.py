"""Calibrated class scores of a receiver's rows from released curves."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.errors import ReleaseError
from tacit.models.additive.matching import (
    ColumnSource,
    column_sources,
    source_codes,
    sources_from_list,
    sources_to_list,
)
from tacit.models.additive.model import AdditiveClassifier
from tacit.models.additive.release import additive_parts, model_from_parts, read_additive
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, ScoreQuality, owner_schema, shared_by_name


@dataclass(frozen=True, eq=False)
class MatchedCurves:
    """Scores of our rows by released curves; a column or category that we lack adds the curve's mean, which is 0."""

    sources: tuple[ColumnSource, ...]
    model: AdditiveClassifier

    def __call__(self, X: Rows) -> FloatArray:
        """Return logarithms of calibrated class probabilities [N, C of the owner]."""
        return self.model.log_probabilities(source_codes(X, self.sources, self.model.curves.levels))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = additive_parts(self.model)
        return arrays, settings | {"sources": sources_to_list(self.sources)}


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the class scores that the released curves give to the receiver's rows, and their public quality."""
    lesson, _ = shared_by_name(release, table)
    model = read_additive(release)
    sources = column_sources(table.schema, owner_schema(release))
    if not isinstance(model, AdditiveClassifier) or not any(sources):
        return lesson
    return replace(
        lesson,
        candidates=((MatchedCurves(sources, model), lesson.note),),
        quality=quality_of(model),
        calibrated=True,
    )


def quality_of(model: AdditiveClassifier) -> ScoreQuality:
    """Return what the model's self-check says of its scores."""
    check = model.check
    return ScoreQuality(check.separation, check.separation_z, model.size, check.shares)


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    model = model_from_parts(arrays, settings)
    if not isinstance(model, AdditiveClassifier):
        raise ReleaseError("the stored curves must be those of a classifier.")
    return MatchedCurves(sources_from_list(settings["sources"]), model)
