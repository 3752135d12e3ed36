"""Class scores of a receiver's rows for its own label: the owner's label, or one of the owner's categories."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from tacit.data.schemas.columns import Categorical
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.marginals.make import model_of
from tacit.models.column_scores import ColumnMatch
from tacit.models.marginals.label_signal import label_signal
from tacit.models.marginals.model import MarginalModel
from tacit.models.marginals.scoring import cell_scores, stored_cell_scores
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, ScoreQuality, column_note, owner_schema


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return class scores of the receiver's label from the columns that both tables share."""
    ours, theirs = table.schema, owner_schema(release)
    target = target_column(ours, theirs)
    shared = ours.shared_with(theirs)
    classes = _shared_classes(ours, theirs, target)
    names = [column.name for column in theirs.features]
    used = [j for j, name in enumerate(names) if name in shared.names and j != target]
    if not used:
        return Lesson(classes, note=column_note(shared))
    model, note = model_of(release), column_note(shared)
    scores = cell_scores(model, ColumnMatch.of(shared), used, target)
    quality = label_quality(model, used) if target is None else None
    return Lesson(classes, candidates=((scores, note),), note=note, quality=quality, calibrated=True)


def label_quality(model: MarginalModel, used: Sequence[int]) -> ScoreQuality:
    """Return what the tables of the columns ``used`` say of the label beyond their noise."""
    signal, counts = label_signal(model.measurement, used), model.coarse.class_counts
    return ScoreQuality(signal.separation, signal.z, signal.size, counts / counts.sum())


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    return stored_cell_scores(arrays, settings)


def target_column(ours: Schema, theirs: Schema) -> int | None:
    """Return which of the owner's features is our label; None if it is the owner's label, or by classes alone."""
    for j, column in enumerate(theirs.features):
        if ours.label is not None and column.name == ours.label.name and isinstance(column, Categorical):
            return j
    return None


def _shared_classes(ours: Schema, theirs: Schema, target: int | None) -> Mapping[int, int]:
    """Return our class codes and theirs; raise InputError unless two classes are shared by name."""
    names = theirs.classes
    if target is not None:
        column = theirs.features[target]
        names = column.categories if isinstance(column, Categorical) else ()
    classes = {code: names.index(name) for code, name in enumerate(ours.classes) if name in names}
    if len(classes) < 2:
        raise InputError(
            "the release and the schema must share at least two classes of the label by name; "
            f"theirs are {', '.join(names)}."
        )
    return classes
