"""The released metric for a receiver's encoded rows."""

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.models.pair_metric.release import metric_of_columns
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the metric in which the receiver's rows of one class are near each other."""
    metric, note = metric_between(release, table.schema)
    return Lesson({}, metric=metric, note=note)


def metric_between(release: Release, schema: Schema) -> tuple[FloatArray, str]:
    """Return the released transformation for encoded rows of ``schema`` [d, p], and what both tables share.

    Columns are matched by name, and units by their bounds; columns that only one side has do not count.
    """
    components, theirs = metric_of_columns(release)
    shared = schema.shared_with(theirs)
    if not shared.pairings:
        raise InputError(
            "the release and your schema share no column by name, so its metric says nothing of your rows."
        )
    ours = np.zeros((len(components), len(schema.encoded_names)))
    # Distances forget shifts: a difference in our units is this much of one in theirs.
    ours[:, shared.ours] = components[:, shared.theirs] / [pairing.scale for pairing in shared.pairings]
    return ours, "; ".join([f"{len(shared.names)} columns shared by name", *shared.differences])
