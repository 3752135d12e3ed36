"""What a release teaches a receiver: class scores of rows, a metric, features, or a class geometry."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, Codes, FloatArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.data.schemas.sharing import SharedColumns
from tacit.errors import InputError
from tacit.records import record
from tacit.releases.file import Release


class ScoreFunction(Protocol):
    """Class scores of a receiver's encoded rows, in the order of the owner's classes; storable in a model file."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return scores [N, C of the owner]; larger means more likely."""
        ...

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings from which the kind's ``stored_scores`` makes it again."""
        ...


class FeatureMap(Protocol):
    """Features of a receiver's encoded rows, storable in a model file."""

    def __call__(self, X: Rows) -> FloatArray:
        """Return features [N, d]."""
        ...

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings from which the kind's ``stored_features`` makes it again."""
        ...


class PredictionFunction(Protocol):
    """Predictions of a numeric target for a receiver's encoded rows; storable in a model file."""

    def __call__(self, X: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the mean [N] in the target's own units, and the standard deviation [N] of the target around it."""
        ...

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings from which the kind's ``stored_predictions`` makes it again."""
        ...


@record
class ReceiverTable:
    """The receiver's encoded rows, of which some are labelled."""

    schema: Schema
    X: Rows
    """[N, p]"""
    labelled: NDArray[np.intp]
    """[L]: which rows have a label."""
    codes: Codes
    """[L]: their class codes, by the receiver's schema."""


@record
class ScoreQuality:
    """What a release publicly says of the quality of its scores; every figure has passed through a mechanism."""

    separation: float
    """How far the mean scores of a class and of the rest lie apart among the owner's rows, in standard deviations of
    the scores; of a numeric target the correlation of prediction and target."""
    separation_z: float
    """The same in standard deviations of its noise: below about 2 the release may hold nothing."""
    size: float
    """Noisy number of the owner's rows times mu of the whole release [gdp]: signal beside noise."""
    class_shares: FloatArray | None = None
    """[C of the owner] or None: noisy shares of the owner's classes; None for a numeric target."""


@record
class Lesson:
    """What one release says about a receiver's rows; parts that it does not hold stay empty."""

    classes: Mapping[int, int]
    """The receiver's class codes and the owner's; empty if the release names no classes."""
    candidates: tuple[tuple[ScoreFunction, str], ...] = ()
    """Score functions with a note: ways to read class scores from the release; the receiver's labels choose among
    several."""
    class_places: FloatArray | None = None
    """[C of the owner, d] or None: where the owner's classes lie relative to each other, in a space that the tables do
    not share."""
    metric: FloatArray | None = None
    """[d, p] or None: A transformation of the receiver's encoded rows in which rows of one class are near each other.
    """
    features: FeatureMap | None = None
    """Features of the receiver's rows to learn from."""
    predictions: PredictionFunction | None = None
    """Predictions of the owner's numeric target."""
    note: str = ""
    """What the release and the table have in common."""
    quality: ScoreQuality | None = None
    """What is publicly known of the scores' quality among the owner's rows, if the release was checked there."""
    calibrated: bool = False
    """Whether the scores of the candidates are logarithms of probabilities: differences between classes are log-odds.
    """
    halves: tuple[ScoreFunction, ScoreFunction] | None = None
    """The same scores twice with independent noise: where they agree, the release says
    more than noise."""


def column_note(shared: SharedColumns) -> str:
    """Return what two tables have in common by their columns, in a line."""
    if not shared.pairings:
        return "no column is shared by name"
    return "; ".join([f"{len(shared.names)} columns shared by name", *shared.differences])


def shared_by_name(release: Release, table: ReceiverTable) -> tuple[Lesson, SharedColumns]:
    """Return the lesson that only says what both tables have in common, and the columns that they share."""
    theirs = owner_schema(release)
    shared = table.schema.shared_with(theirs)
    return Lesson(shared_classes(table.schema, theirs), note=column_note(shared)), shared


def owner_schema(release: Release) -> Schema:
    """Return the owner's schema, which travels with the release."""
    return Schema.from_dict(release.schema or {}, source="the release's schema")


def shared_classes(ours: Schema, theirs: Schema) -> Mapping[int, int]:
    """Return our class codes and theirs; raise InputError unless two classes are shared by name."""
    classes = ours.shared_with(theirs).classes
    if len(classes) < 2:
        raise InputError(
            "the release and the schema must share at least two classes by name; "
            f"theirs are {', '.join(theirs.classes)}."
        )
    return classes
