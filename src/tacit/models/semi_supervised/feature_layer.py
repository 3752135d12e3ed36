"""A softmax layer on the features of a fitted network, as arrays and settings of a file and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from tacit.arrays import Arrays, Float32Array, FloatArray
from tacit.data.schemas.schema import Schema
from tacit.models.semi_supervised.embedding import Embedding
from tacit.models.semi_supervised.storage import layout_arrays, layout_settings, network_arrays, stored_learner


@dataclass(frozen=True, eq=False)
class FeatureLayer:
    """Class scores of rows: a linear layer ``head`` [k + 1, C] on the features of an embedding."""

    embedding: Embedding
    head: FloatArray

    def __call__(self, X: Float32Array) -> FloatArray:
        """Return logarithms of class probabilities [N, C]."""
        return np.asarray(log_softmax(self.embedding(X) @ self.head, axis=1))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        embedding, network = self.embedding, self.embedding.network
        arrays: Arrays = {
            "classes": np.asarray(network.classes_),
            "middle": embedding.middle,
            "directions": embedding.directions,
            "head": self.head,
            **network_arrays(network.network_, "network"),
            **layout_arrays(network.layout_),
        }
        return arrays, {
            "layout": layout_settings(network.layout_),
            "temperature": network.temperature_,
            "radius": embedding.radius,
        }

    @classmethod
    def from_parts(
        cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], schema: Schema
    ) -> "FeatureLayer":
        """Return the layer that ``to_parts`` took apart; ``schema`` says how the network's rows are encoded."""
        network = stored_learner(arrays, settings, schema, "network")
        middle, directions = np.asarray(arrays["middle"]), np.asarray(arrays["directions"])
        embedding = Embedding(network, middle, directions, float(settings["radius"]))
        return cls(embedding, np.asarray(arrays["head"]))
