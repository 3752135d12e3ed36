"""The class scores that each release gives to the receiver's rows, by the receiver's classes and on one scale."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.pictures.learned_scores import FeatureScores, GeometryScores, NeighbourScores
from tacit.adoption.pictures.weighting import centred, fitted_weights, negative_log_likelihood
from tacit.arrays import FloatArray, Rows
from tacit.errors import InputError
from tacit.kinds.registry import kind_of
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction

FOLDS = 5
# Neighbours that vote in a released metric.
NEIGHBOURS = 5

FoldLearner = Callable[[NDArray[np.bool_]], ScoreFunction]


@dataclass(frozen=True)
class SourceScores:
    """The scores of one release by our class codes, centred and of spread 1."""

    kind: str
    """The release's kind, whose package can make ``scores`` again from a file."""
    scores: ScoreFunction
    """Scores by the owner's class codes."""
    classes: Mapping[int, int]
    """Our class codes and the owner's."""
    n_classes: int
    spread: float = 1.0
    note: str = ""
    labelled: FloatArray | None = None
    """[L, C] or None: scores of the labelled rows out of fold, if ``scores`` learned from their labels."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return scores [N, C] of our classes; one that the owner does not have gets the mean of the others."""
        return by_our_classes(self.scores(X), self.classes, self.n_classes) / self.spread


def source_scores(release: Release, table: ReceiverTable) -> SourceScores:
    """Return the scores that ``release`` gives to the rows of ``table``.

    The first that the release teaches is used: class scores, the best of several by the receiver's labels; else a
    model of the receiver's labels in the classes' geometry, in the released metric, or on the released features.
    """
    kind = kind_of(release)
    lesson = kind.teach(release, table)
    if lesson.candidates:
        return _best_candidate(kind.name, lesson, table)
    if lesson.class_places is not None:
        return _from_geometry(kind.name, lesson, lesson.class_places, table)
    if lesson.metric is not None:
        return _from_metric(kind.name, lesson, lesson.metric, table)
    if lesson.features is not None:
        return _from_features(kind.name, lesson, table)
    raise InputError(
        f"the release of kind {kind.name!r} says nothing about this table: {lesson.note or 'nothing is shared'}."
    )


def sources_of(
    releases: Sequence[Release], table: ReceiverTable
) -> tuple[list[SourceScores], list[FloatArray], list[FloatArray]]:
    """Return the source of each release, its scores of all rows, and of the labelled ones.

    The latter are out of fold where the scores learned from the labels.
    """
    sources = [source_scores(release, table) for release in releases]
    of_rows = [source(table.X) for source in sources]
    of_labelled = [
        scores[table.labelled] if source.labelled is None else source.labelled
        for source, scores in zip(sources, of_rows, strict=True)
    ]
    return sources, of_rows, of_labelled


def by_our_classes(scores: FloatArray, classes: Mapping[int, int], n_classes: int) -> FloatArray:
    """Return the owner's scores [N, C'] by our class codes [N, C], centred; classes it lacks get the others' mean."""
    shared = scores[:, list(classes.values())]
    ours = np.repeat(shared.mean(axis=1, keepdims=True), n_classes, axis=1)
    ours[:, list(classes)] = shared
    return centred(ours)


def _best_candidate(kind: str, lesson: Lesson, table: ReceiverTable) -> SourceScores:
    """Return the candidate under which the receiver's labels are most likely; the first of equals."""
    n_classes = len(table.schema.classes)
    losses, sources = [], []
    for scores, note in lesson.candidates:
        raw = by_our_classes(scores(table.X), lesson.classes, n_classes)
        spread = float(raw.std()) or 1.0
        labelled = raw[table.labelled] / spread
        weights = fitted_weights([labelled], table.codes)
        losses.append(negative_log_likelihood(weights, [labelled], table.codes))
        sources.append(SourceScores(kind, scores, lesson.classes, n_classes, spread, note))
    return sources[int(np.argmin(losses))]


def _from_geometry(kind: str, lesson: Lesson, places: FloatArray, table: ReceiverTable) -> SourceScores:
    """Return scores by distance to the owner's class places, to which our labelled rows are mapped."""
    rows = table.X[table.labelled]
    targets = places[[lesson.classes.get(code, 0) for code in table.codes]]
    placed = np.isin(table.codes, list(lesson.classes))

    def learn(chosen: NDArray[np.bool_]) -> GeometryScores:
        return GeometryScores.learned(rows[chosen], targets[chosen], places)

    full = SourceScores(kind, learn(placed), lesson.classes, len(table.schema.classes), note=lesson.note)
    return _out_of_fold(full, learn, placed, table)


def _from_metric(kind: str, lesson: Lesson, metric: FloatArray, table: ReceiverTable) -> SourceScores:
    """Return votes of the nearest labelled rows in ``metric``; labelled rows are judged without themselves."""
    n_classes = len(table.schema.classes)
    scores = NeighbourScores(metric, table.X[table.labelled], table.codes, n_classes, NEIGHBOURS)
    classes = {code: code for code in range(n_classes)}
    spread = float(centred(scores(table.X)).std()) or 1.0
    labelled = centred(scores.left_out()) / spread
    return SourceScores(kind, scores, classes, n_classes, spread, lesson.note, labelled)


def _from_features(kind: str, lesson: Lesson, table: ReceiverTable) -> SourceScores:
    """Return a logistic regression of our labels on the released features."""
    features, n_classes = lesson.features, len(table.schema.classes)
    if features is None:
        raise InputError("the lesson must hold features.")
    rows = table.X[table.labelled]

    def learn(chosen: NDArray[np.bool_]) -> FeatureScores:
        return FeatureScores.learned(features, rows[chosen], table.codes[chosen], n_classes)

    everything = np.ones(len(rows), dtype=bool)
    classes = {code: code for code in range(n_classes)}
    full = SourceScores(kind, learn(everything), classes, n_classes, note=lesson.note)
    return _out_of_fold(full, learn, everything, table)


def _out_of_fold(
    source: SourceScores, learn: FoldLearner, usable: NDArray[np.bool_], table: ReceiverTable
) -> SourceScores:
    """Return ``source`` on scale 1, with scores of the labelled rows by models that did not learn them."""
    spread = float(by_our_classes(source.scores(table.X), source.classes, source.n_classes).std()) or 1.0
    rows, labelled = table.X[table.labelled], np.zeros((len(table.codes), source.n_classes))
    folds = np.arange(len(rows)) % FOLDS
    for fold in np.unique(folds):
        held_out = folds == fold
        if (usable & ~held_out).sum() > 1:
            scores = learn(usable & ~held_out)(rows[held_out])
            labelled[held_out] = by_our_classes(scores, source.classes, source.n_classes) / spread
    return replace(source, spread=spread, labelled=labelled)
