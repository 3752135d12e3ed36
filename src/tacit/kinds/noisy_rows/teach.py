"""Class scores of a receiver's rows from noisy rows: discriminants of their denoised class moments."""

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from tacit.kinds.noisy_rows.rows import private_rows
from tacit.models.class_moments.discriminants import MomentFamily, stored_discriminant
from tacit.models.class_moments.frames import frames_between
from tacit.models.class_moments.moments import class_moments
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, owner_schema, shared_classes

# The setting in the middle of those that class moments are tried with.
DIMENSION, FLOOR = 30, 0.4


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return class scores of the receiver's rows by quadratic discriminants, one for each frame."""
    theirs = owner_schema(release)
    classes = shared_classes(table.schema, theirs)
    candidates = tuple(_candidates(release, table))
    note = candidates[0][1] if candidates else "nothing is shared by name or picture"
    return Lesson(classes, candidates=candidates, note=note)


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the discriminant that ``to_parts`` took apart."""
    return stored_discriminant(arrays, settings)


def _candidates(release: Release, table: ReceiverTable) -> Iterator[tuple[ScoreFunction, str]]:
    noisy = private_rows(release)
    moments = class_moments(noisy.rows, noisy.codes, noisy.n_classes, noisy.scale)
    arrays = {name: getattr(moments, name) for name in ("means", "counts", "covariances", "noise")}
    for frame in frames_between(table.schema, owner_schema(release)):
        Z = frame(table.X)
        family = MomentFamily.in_frame(arrays, frame, Z)
        yield family.discriminant(min(DIMENSION, Z.shape[1]), FLOOR), frame.note
