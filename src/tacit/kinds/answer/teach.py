"""Class scores of a receiver's rows by the layer that an owner answered its request with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays, FloatArray, Rows
from tacit.data.schemas.schema import Schema
from tacit.models.semi_supervised.feature_layer import FeatureLayer
from tacit.releases.file import Release
from tacit.releases.lesson import Lesson, ReceiverTable, ScoreFunction, owner_schema, shared_classes


@dataclass(frozen=True, eq=False)
class AnswerScores:
    """Logarithms of class probabilities by a layer on the features of the network that was sent.

    Attributes
    ----------
    layer : FeatureLayer
    schema : Schema
        Of the request: how the rows that the network reads are encoded.
    """

    layer: FeatureLayer
    schema: Schema

    def __call__(self, X: Rows) -> FloatArray:
        """Return logarithms of class probabilities [N, C of the request]."""
        return self.layer(np.asarray(X, dtype=np.float32))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        arrays, settings = self.layer.to_parts()
        return arrays, {**settings, "schema": self.schema.to_dict()}


def teach(release: Release, table: ReceiverTable) -> Lesson:
    """Return the class scores of the answer; nothing for a table whose rows are encoded otherwise than the request's.

    What the layer was started from learned from the receiver's rows already, and the answer holds no check of its own:
    nothing is said of its quality.
    """
    theirs = owner_schema(release)
    if not encoded_alike(table.schema, theirs):
        return Lesson({}, note="the answer is to a request of rows that are encoded otherwise")
    scores = AnswerScores(FeatureLayer.from_parts(release.arrays, release.settings, theirs), theirs)
    note = "an answer to a request, on the features that were sent with it"
    return Lesson(shared_classes(table.schema, theirs), candidates=((scores, note),), note=note, calibrated=True)


def encoded_alike(ours: Schema, theirs: Schema) -> bool:
    """Return whether rows of both schemas are encoded alike: pictures of one shape, or the same columns."""
    if ours.image is not None and theirs.image is not None:
        return ours.image.shape == theirs.image.shape
    return ours.encoded_names == theirs.encoded_names


def stored_scores(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> ScoreFunction:
    """Return the scores that ``to_parts`` took apart."""
    schema = Schema.from_dict(settings["schema"], source="the model's answer")
    return AnswerScores(FeatureLayer.from_parts(arrays, settings, schema), schema)
