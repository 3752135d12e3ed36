"""Features of a receiver's rows by a released encoder."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.errors import InputError
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.stack import EncoderStack
from tacit.models.column_scores import ColumnMatch
from tacit.records import record
from tacit.releases.file import Release
from tacit.releases.lesson import FeatureMap, Lesson, ReceiverTable, column_note, owner_schema


@record
class EncoderFeatures:
    """The codes of our rows, put into the owner's columns; columns that we lack stand in the middle of their bounds."""

    match: ColumnMatch
    encoder: EncoderStack

    def __call__(self, X: Rows) -> FloatArray:
        """Return features [N, d]."""
        return self.encoder(self.match.placed(X, np.full(self.encoder.n_columns, 0.5)))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = self.encoder.to_parts()
        return {**arrays, **self.match.arrays()}, settings


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the released encoder as features of the receiver's rows."""
    if release.schema is None:
        raise InputError(
            "the encoder has no schema, so that columns cannot be matched: use `tacit release --method encoder`."
        )
    shared = table.schema.shared_with(owner_schema(release))
    note = column_note(shared)
    if not shared.pairings:
        return Lesson({}, note=note)
    encoder = PrivateAutoencoder.from_release(release).stack()
    return Lesson({}, features=EncoderFeatures(ColumnMatch.of(shared), encoder), note=note)


def stored_features(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> FeatureMap:
    """Return the features that ``to_parts`` took apart."""
    layers = {name: array for name, array in arrays.items() if name.startswith(("weights_", "centre_"))}
    return EncoderFeatures(ColumnMatch.from_arrays(arrays), EncoderStack.from_parts(layers, settings))
