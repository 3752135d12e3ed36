"""Calibrated class scores of a receiver's rows, or predictions of a number, from released curves."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
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
from tacit.models.additive.model import AdditiveClassifier, AdditiveRegression
from tacit.models.additive.release import additive_parts, model_from_parts, read_additive
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import (
    Lesson,
    PredictionFunction,
    ReceiverTable,
    ScoreFunction,
    ScoreQuality,
    column_note,
    owner_schema,
    shared_by_name,
)


@record
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


@record
class MatchedPredictions:
    """Predictions of a number for our rows; a column or category that we lack adds the curve's mean, which is 0."""

    sources: tuple[ColumnSource, ...]
    model: AdditiveRegression

    def __call__(self, X: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the mean [N] of the owner's target and its standard deviation [N] around it."""
        predictions = self.model.predict(source_codes(X, self.sources, self.model.curves.levels))
        return predictions.mean, np.sqrt(predictions.variance)

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = additive_parts(self.model)
        return arrays, settings | {"sources": sources_to_list(self.sources)}


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return what the released curves say of the receiver's rows, and its public quality."""
    model, theirs = read_additive(release), owner_schema(release)
    sources = column_sources(table.schema, theirs)
    if isinstance(model, AdditiveRegression):
        lesson = Lesson({}, note=column_note(table.schema.shared_with(theirs)), quality=quality_of(model))
        return replace(lesson, predictions=MatchedPredictions(sources, model)) if any(sources) else lesson
    lesson, _ = shared_by_name(release, table)
    if not any(sources):
        return lesson
    candidates = ((MatchedCurves(sources, model), lesson.note),)
    return replace(lesson, candidates=candidates, quality=quality_of(model), calibrated=True)


def quality_of(model: AdditiveClassifier | AdditiveRegression) -> ScoreQuality:
    """Return what the model's self-check says of its scores."""
    check = model.check
    if isinstance(model, AdditiveRegression):
        return ScoreQuality(float(np.sqrt(model.check.r_squared)), check.separation_z, model.size)
    return ScoreQuality(model.check.separation, check.separation_z, model.size, model.check.shares)


def quality_words(release: Release) -> str:
    """Return the private figure of the release's quality in a sentence."""
    model = read_additive(release)
    if isinstance(model, AdditiveRegression):
        figure = f"about {100 * model.check.r_squared:.0f} % of the target's variance explained"
    else:
        figure = f"area under the ROC curve about {model.check.auc:.2f}"
    z = model.check.separation_z
    if z >= 2:
        return f"Its own check, with noise: {figure}, {z:.1f} standard deviations above chance."
    doubt = "It may hold nothing: spend more epsilon, or add rows."
    return f"Its own check, with noise: {figure}, within noise of chance. {doubt}"


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    model = model_from_parts(arrays, settings)
    if not isinstance(model, AdditiveClassifier):
        raise ReleaseError("the stored curves must be those of a classifier.")
    return MatchedCurves(sources_from_list(settings["sources"]), model)


def stored_predictions(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> PredictionFunction:
    """Return the predictions that ``to_parts`` took apart."""
    model = model_from_parts(arrays, settings)
    if not isinstance(model, AdditiveRegression):
        raise ReleaseError("the stored curves must be those of a regression.")
    return MatchedPredictions(sources_from_list(settings["sources"]), model)
