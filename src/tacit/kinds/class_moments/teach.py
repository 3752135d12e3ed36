"""Class scores of a receiver's rows from class sums or moments, or the classes' geometry if nothing is shared."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.kinds.class_moments import ENTRY_FILE
from tacit.models.class_moments.calibrated import calibrated_discriminant
from tacit.models.class_moments.discriminants import MomentFamily, stored_discriminant
from tacit.models.class_moments.features import ImageFeatures, ScaledColumns, features_of
from tacit.models.class_moments.frames import Frame, frames_between
from tacit.models.class_moments.picture_scores import picture_scores
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, ScoreQuality, owner_schema, shared_classes

# Settings of quadratic discriminants that the receiver's labels choose among.
DIMENSIONS = (15, 30, 50)
FLOORS = (0.2, 0.4, 1.0)
NOTHING_SHARED = "nothing is shared by name or picture: aligned by the receiver's own labels and the classes' geometry"


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return class scores of the receiver's rows, one candidate for each frame and setting; else the class geometry."""
    theirs = owner_schema(release)
    classes = shared_classes(table.schema, theirs)
    features = features_of(theirs)
    frames = frames_between(table.schema, theirs)
    if frames and release.kind == ENTRY_FILE:
        return Lesson(classes, candidates=tuple(_quadratic(release, frames, table)))
    if frames and isinstance(features, ImageFeatures):
        return _of_pictures(release, features, frames, table, classes)
    if frames and isinstance(features, ScaledColumns):
        return _calibrated(release, features, frames[0], table, classes)
    return Lesson(classes, class_places=class_places(release), note=NOTHING_SHARED)


def _calibrated(
    release: Release, features: ScaledColumns, frame: Frame, table: ReceiverTable, classes: Mapping[int, int]
) -> Lesson:
    sigma = float(release.settings["sigma"])
    discriminant = calibrated_discriminant(release.arrays, table.X, sigma=sigma, frame=frame, features=features)
    return Lesson(
        classes,
        candidates=((discriminant.scores, frame.note),),
        note=frame.note,
        calibrated=True,
        quality=ScoreQuality(
            discriminant.separation, discriminant.separation_z, discriminant.size, discriminant.shares
        ),
        halves=discriminant.halves,
    )


def _of_pictures(
    release: Release, features: ImageFeatures, frames: list[Frame], table: ReceiverTable, classes: Mapping[int, int]
) -> Lesson:
    sigma = float(release.settings["sigma"])
    candidates = picture_scores(release.arrays, table.X, sigma=sigma, frames=frames, features=features)
    note = candidates.scores.frame.note
    return Lesson(classes, candidates=((candidates.scores, note),), note=note, halves=candidates.halves)


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the discriminant that ``to_parts`` took apart."""
    return stored_discriminant(arrays, settings)


def class_places(release: Release) -> FloatArray:
    """Return the owner's class means in the C - 1 dimensions that they span, of unit spread [C, C - 1]."""
    arrays = release.arrays
    counts = np.maximum(arrays["counts"], 1.0)[:, None]
    means = arrays["means"] if release.kind == ENTRY_FILE else arrays["sums"] / counts
    U, values, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    places = U[:, : len(means) - 1] * values[: len(means) - 1]
    scaled: FloatArray = places / (float(places.std()) or 1.0)
    return scaled


def _quadratic(release: Release, frames: list[Any], table: ReceiverTable) -> Iterator[tuple[ScoreFunction, str]]:
    for frame in frames:
        Z = frame(table.X)
        family = MomentFamily.in_frame(release.arrays, frame, Z)
        for dimension in sorted({min(size, Z.shape[1]) for size in DIMENSIONS}):
            for floor in FLOORS:
                yield family.discriminant(dimension, floor), frame.note
