"""What a release says of the receiver's rows, by the receiver's classes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.weighting import centred, fitted_weights, negative_log_likelihood
from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments.make import ENTRY_KIND, RECORD_KIND
from tacit.models.class_moments.discriminants import LinearScores, MomentFamily, QuadraticScores, linear_discriminant
from tacit.models.class_moments.features import ImageFeatures, features_of
from tacit.models.class_moments.frames import frames_between
from tacit.models.membership.mapping import MembershipMapping
from tacit.releases.file import Release

# Settings that the receiver chooses among by the likelihood of its own labels.
DIMENSIONS = (15, 30, 50)
FLOORS = (0.2, 0.4, 1.0)
NOTHING_SHARED = "nothing is shared by name or picture: aligned by the receiver's own labels and the classes' geometry"


@dataclass(frozen=True)
class GeometryScores:
    """Scores -|map(x) - e_c|², e_c the owner's class means in a space of their own, map learned from our labels.

    Where source and target share no feature, matching principal directions by rank ([membership] eq. 79) carries
    nothing over; the geometry of the classes is what is left to share.
    """

    mapping: MembershipMapping
    places: FloatArray

    def __call__(self, X: Rows) -> FloatArray:
        """Return class scores [N, C]."""
        mapped = np.asarray(self.mapping.predict(X)).reshape(len(X), -1)
        scores: FloatArray = 2 * mapped @ self.places.T - (self.places**2).sum(axis=1)
        return scores


Scores = LinearScores | QuadraticScores | GeometryScores


@dataclass(frozen=True)
class Opinion:
    """One release's view: scores by our class codes, centred and of spread 1.

    Attributes
    ----------
    scores : callable
        Scores by the owner's class codes.
    classes : dict
        Our class codes and theirs.
    labelled : array [L, C] or None
        Scores of the labelled rows out of fold, if making the opinion used their labels.
    """

    scores: Scores
    classes: Mapping[int, int]
    n_classes: int
    spread: float = 1.0
    note: str = ""
    labelled: FloatArray | None = None

    def __call__(self, X: Rows) -> FloatArray:
        """Return scores [N, C] of our classes; one that the owner does not have gets the mean of the others."""
        return _ours(self.scores(X), self.classes, self.n_classes) / self.spread


@dataclass(frozen=True)
class Meeting:
    """A release and the receiver's table: what is needed to form an opinion."""

    release: Release
    schema: Schema
    X: Rows
    labelled: NDArray[np.intp]
    codes: Codes

    @cached_property
    def theirs(self) -> Schema:
        """The owner's schema, which travels with the release."""
        return Schema.from_dict(self.release.schema or {}, source="the release's schema")

    @cached_property
    def classes(self) -> Mapping[int, int]:
        """Our class codes and theirs."""
        return self.schema.shared_with(self.theirs).classes


def form_opinion(meeting: Meeting) -> Opinion:
    """Return the opinion of a release on the receiver's rows, choosing settings by the receiver's own labels."""
    if meeting.release.kind not in {RECORD_KIND, ENTRY_KIND}:
        raise InputError(
            f"a release of kind {meeting.release.kind!r} cannot be adopted; give one made by `tacit release`."
        )
    if len(meeting.classes) < 2:
        raise InputError(
            "the release and the schema must share at least two classes by name; "
            f"theirs are {', '.join(meeting.theirs.classes)}."
        )
    chosen = min(map(_judged(meeting), _candidates(meeting)), key=lambda judged: judged[0], default=None)
    return _by_geometry(meeting) if chosen is None else chosen[1]


def heard(meetings: Sequence[Meeting]) -> tuple[list[Opinion], list[FloatArray], list[FloatArray]]:
    """Return the opinion of each release, its scores of all rows, and of the labelled ones.

    The latter are out of fold where forming the opinion used the labels.
    """
    opinions = [form_opinion(meeting) for meeting in meetings]
    lent = [opinion(meeting.X) for opinion, meeting in zip(opinions, meetings, strict=True)]
    on_labels = [
        scores[meeting.labelled] if opinion.labelled is None else opinion.labelled
        for opinion, scores, meeting in zip(opinions, lent, meetings, strict=True)
    ]
    return opinions, lent, on_labels


def _judged(meeting: Meeting) -> Any:
    def judge(candidate: tuple[Scores, str]) -> tuple[float, Opinion]:
        scores, note = candidate
        raw = _ours(scores(meeting.X), meeting.classes, len(meeting.schema.classes))
        spread = float(raw.std()) or 1.0
        own = raw[meeting.labelled] / spread
        loss = negative_log_likelihood(fitted_weights([own], meeting.codes), [own], meeting.codes)
        return loss, Opinion(scores, meeting.classes, len(meeting.schema.classes), spread, note)

    return judge


def _candidates(meeting: Meeting) -> Iterator[tuple[Scores, str]]:
    arrays, features = meeting.release.arrays, features_of(meeting.theirs)
    frames = frames_between(meeting.schema, meeting.theirs)
    if meeting.release.kind == RECORD_KIND:
        sigma = float(meeting.release.settings["sigma"])
        # Gradient histograms hardly change with the size of a picture: the first frame does.
        for frame in frames[:1] if isinstance(features, ImageFeatures) else frames:
            yield linear_discriminant(arrays, meeting.X, sigma=sigma, frame=frame, features=features), frame.note
        return
    for frame in frames:
        Z = frame(meeting.X)
        family = MomentFamily.seen_by(arrays, frame, Z)
        for dimension in sorted({min(each, Z.shape[1]) for each in DIMENSIONS}):
            for floor in FLOORS:
                yield family.discriminant(dimension, floor), frame.note


def _by_geometry(meeting: Meeting) -> Opinion:
    places = _class_places(meeting.release)
    targets = places[[meeting.classes.get(code, 0) for code in meeting.codes]]
    known = np.isin(meeting.codes, list(meeting.classes))
    rows = meeting.X[meeting.labelled]
    n_classes = len(meeting.schema.classes)

    def learned(mine: NDArray[np.bool_]) -> GeometryScores:
        return GeometryScores(MembershipMapping(random_state=0).fit(rows[mine], targets[mine]), places)

    full = learned(known)
    spread = float(_ours(full(meeting.X), meeting.classes, n_classes).std()) or 1.0
    folds = np.arange(len(rows)) % 5
    labelled = np.zeros((len(rows), n_classes))
    for fold in np.unique(folds):
        mine = folds == fold
        if (known & ~mine).sum() > 1:
            labelled[mine] = _ours(learned(known & ~mine)(rows[mine]), meeting.classes, n_classes) / spread
    opinion = Opinion(full, meeting.classes, n_classes, spread, NOTHING_SHARED)
    return replace(opinion, labelled=labelled)


def _class_places(release: Release) -> FloatArray:
    """Return the owner's class means in the C - 1 dimensions that they span, of unit spread."""
    arrays = release.arrays
    counts = np.maximum(arrays["counts"], 1.0)[:, None]
    means = arrays["means"] if release.kind == ENTRY_KIND else arrays["sums"] / counts
    U, values, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    places = U[:, : len(means) - 1] * values[: len(means) - 1]
    scaled: FloatArray = places / (float(places.std()) or 1.0)
    return scaled


def _ours(theirs: FloatArray, classes: Mapping[int, int], n_classes: int) -> FloatArray:
    known = theirs[:, list(classes.values())]
    ours = np.repeat(known.mean(axis=1, keepdims=True), n_classes, axis=1)
    ours[:, list(classes)] = known
    return centred(ours)
