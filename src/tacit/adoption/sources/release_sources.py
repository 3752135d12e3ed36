"""Releases as the engine sees them: scores by the receiver's classes, features, and what is known of their quality."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.sources.source import Reliability, Source
from tacit.arrays import Arrays, FloatArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_by_name, kind_of
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import (
    FeatureMap,
    Lesson,
    PredictionFunction,
    ReceiverTable,
    ScoreFunction,
    owner_schema,
)

# Rows of the receiver's table that a release is shown; more change nothing that can be measured.
MOST_ROWS = 20_000
# Standard deviation over rows that scores of unknown scale are brought to, between a class and the others.
USUAL_SPREAD = 1.0


@record
class ReleaseScores:
    """Class log-odds of rows by the receiver's class codes; NaN for classes that the owner does not have."""

    kind: str
    """The release's kind, whose package can make ``scores`` again from a file."""
    scores: ScoreFunction
    """By the owner's class codes."""
    classes: Mapping[int, int]
    """Our class codes and the owner's."""
    n_classes: int
    middle: FloatArray
    scale: float
    """``middle`` [C of the owner] is taken off the scores, which are then multiplied by ``scale``."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return scores [N, C] of our classes."""
        our_scores = np.full((len(X), self.n_classes), np.nan)
        our_scores[:, list(self.classes)] = self.scale * (self.scores(X) - self.middle)[:, list(self.classes.values())]
        return our_scores

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = self.scores.to_parts()
        own = {"classes": [list(pair) for pair in self.classes.items()], "scale": self.scale, "scores": settings}
        return {**arrays, "source_middle": self.middle}, {"kind": self.kind, "n_classes": self.n_classes, **own}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "ReleaseScores":
        """Return the scores that ``to_parts`` took apart."""
        kind = str(settings["kind"])
        return cls(
            kind=kind,
            scores=kind_by_name(kind).stored_scores(arrays, settings["scores"]),
            classes={int(ours): int(theirs) for ours, theirs in settings["classes"]},
            n_classes=int(settings["n_classes"]),
            middle=np.asarray(arrays["source_middle"]),
            scale=float(settings["scale"]),
        )


@record
class ReleaseView:
    """Rows in the features of a release, or in the directions of its metric, of about unit size."""

    kind: str
    features: FeatureMap | FloatArray
    """FeatureMap or array [d, p]: A metric's transformation is an array."""
    centre: FloatArray
    """[d]"""
    scale: FloatArray
    """[d]"""

    def __call__(self, X: Rows) -> FloatArray:
        """Return features [N, d]."""
        return (_raw_features(self.features, X) - self.centre) * self.scale

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        own = {"view_centre": self.centre, "view_scale": self.scale}
        if isinstance(self.features, np.ndarray):
            return {**own, "metric": self.features}, {"kind": self.kind, "features": None}
        arrays, settings = self.features.to_parts()
        return {**arrays, **own}, {"kind": self.kind, "features": settings}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "ReleaseView":
        """Return the view that ``to_parts`` took apart."""
        kind, stored = str(settings["kind"]), settings["features"]
        features: FeatureMap | FloatArray = (
            np.asarray(arrays["metric"]) if stored is None else kind_by_name(kind).stored_features(arrays, stored)
        )
        return cls(kind, features, np.asarray(arrays["view_centre"]), np.asarray(arrays["view_scale"]))


@record
class ReleasePredictions:
    """Predictions of a numeric target for rows, in the target's own unit."""

    kind: str
    """The release's kind, whose package can make ``predictions`` again from a file."""
    predictions: PredictionFunction

    def __call__(self, X: Rows) -> FloatArray:
        """Return the target's mean [N, 1]."""
        return np.asarray(self.predictions(X)[0])[:, None]

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = self.predictions.to_parts()
        return arrays, {"kind": self.kind, "predictions": settings}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "ReleasePredictions":
        """Return the predictions that ``to_parts`` took apart."""
        kind = str(settings["kind"])
        return cls(kind, kind_by_name(kind).stored_predictions(arrays, settings["predictions"]))


def release_sources(releases: Sequence[Release], schema: Schema, X: Rows) -> list[Source]:
    """Return each release as a source for rows ``X`` [N, p] of ``schema``; no label is looked at."""
    table = _table(schema, X)
    return [release_source(each, table, name=f"release {place}") for place, each in enumerate(releases, start=1)]


def target_sources(releases: Sequence[Release], schema: Schema, X: Rows) -> list[Source]:
    """Return each release of a numeric target as a source for rows ``X`` [N, p] of ``schema``."""
    table = _table(schema, X)
    return [target_source(each, table, name=f"release {place}") for place, each in enumerate(releases, start=1)]


def target_source(release: Release, table: ReceiverTable, *, name: str) -> Source:
    """Return what ``release`` says of the target of ``table``; raise InputError if it is one of another column."""
    kind, ours, theirs = kind_of(release), table.schema.target, owner_schema(release).target
    if theirs is None or ours is None or theirs.name != ours.name:
        what = "classes, no number" if theirs is None else f"the target {theirs.name!r}"
        our_target = "no target" if ours is None else f"the target {ours.name!r}"
        raise InputError(f"{name} is of {what}, and your schema has {our_target}: they must be of one column.")
    lesson = kind.teach(release, table)
    if lesson.predictions is None:
        why = lesson.note or "nothing is shared"
        raise InputError(f"the release of kind {kind.name!r} says nothing about the rows of this table: {why}.")
    deviations = lesson.predictions(table.X)[1]
    return Source(
        name=name,
        scores=ReleasePredictions(kind.name, lesson.predictions),
        reliability=_reliability(lesson),
        residual=float(np.sqrt(np.mean(deviations**2))),
        note=lesson.note,
    )


def _table(schema: Schema, X: Rows) -> ReceiverTable:
    """Return the rows that releases are shown, without labels."""
    nothing = np.empty(0, dtype=np.intp)
    return ReceiverTable(schema, X[:: max(1, -(-len(X) // MOST_ROWS))], nothing, nothing)


def release_source(release: Release, table: ReceiverTable, *, name: str) -> Source:
    """Return what ``release`` says about the rows of ``table`` as a source: class scores if it has any, else features.

    Several candidates differ in settings that labels would choose; the middle one stands for them.
    """
    kind = kind_of(release)
    lesson = kind.teach(release, table)
    if lesson.candidates:
        scores, note = lesson.candidates[len(lesson.candidates) // 2]
        return _scored(kind.name, lesson, scores, note, table, name=name)
    features: FeatureMap | FloatArray | None = lesson.features if lesson.metric is None else lesson.metric
    if features is None:
        why = lesson.note or "nothing is shared"
        raise InputError(f"the release of kind {kind.name!r} says nothing about the rows of this table: {why}.")
    view = _view(kind.name, features, table.X, each_column=lesson.metric is None)
    return Source(name, None, view=view, note=lesson.note)


def _scored(kind: str, lesson: Lesson, scores: ScoreFunction, note: str, table: ReceiverTable, *, name: str) -> Source:
    n_classes = len(table.schema.classes)

    def by_our_classes(function: ScoreFunction) -> ReleaseScores:
        middle, scale = (0.0, 1.0) if lesson.calibrated else _usual_scale(function(table.X))
        middles = np.broadcast_to(middle, (_n_scores(function, table.X),)).astype(np.float64)
        return ReleaseScores(kind, function, lesson.classes, n_classes, middles, scale)

    halves = lesson.halves
    both = None if halves is None else (by_our_classes(halves[0]), by_our_classes(halves[1]))
    return Source(
        name=name,
        scores=by_our_classes(scores),
        reliability=_reliability(lesson),
        shares=_our_shares(lesson, n_classes),
        halves=None if both is None else lambda X: (both[0](X), both[1](X)),
        calibrated=lesson.calibrated,
        note=note or lesson.note,
    )


def _reliability(lesson: Lesson) -> Reliability:
    quality = lesson.quality
    return Reliability() if quality is None else Reliability(quality.separation, quality.separation_z, quality.size)


def _n_scores(function: ScoreFunction, X: Rows) -> int:
    return int(function(X[:1]).shape[1])


def _usual_scale(scores: FloatArray) -> tuple[FloatArray, float]:
    """Return the mean scores, and the factor that brings the contrasts of classes to their usual spread."""
    contrasts = scores - scores.mean(axis=1, keepdims=True)
    n_classes = scores.shape[1]
    spread = n_classes / (n_classes - 1) * float(np.sqrt(contrasts.var(axis=0).mean()))
    usable = np.isfinite(spread) and spread > 0
    return (contrasts.mean(axis=0), USUAL_SPREAD / spread) if usable else (np.zeros(n_classes), 1.0)


def _our_shares(lesson: Lesson, n_classes: int) -> FloatArray | None:
    """Return the released class shares by our codes; None unless the owner has all of our classes."""
    shares = None if lesson.quality is None else lesson.quality.class_shares
    if shares is None or len(lesson.classes) < n_classes:
        return None
    return np.asarray(shares)[[lesson.classes[code] for code in range(n_classes)]]


def _view(kind: str, features: FeatureMap | FloatArray, X: Rows, *, each_column: bool) -> ReleaseView:
    """Return the view, scaled column by column, or as a whole where sizes of directions say how much they matter."""
    raw = _raw_features(features, X)
    spreads = raw.std(axis=0)
    if not each_column:
        spreads = np.full(raw.shape[1], float(np.sqrt(raw.var(axis=0).mean())))
    return ReleaseView(kind, features, raw.mean(axis=0), 1 / np.where(spreads > 0, spreads, 1.0))


def _raw_features(features: FeatureMap | FloatArray, X: Rows) -> FloatArray:
    if isinstance(features, np.ndarray):
        return np.asarray(X, dtype=np.float64) @ features.T
    return np.asarray(features(X), dtype=np.float64)
