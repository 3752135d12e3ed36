"""The fitted layers of a private autoencoder as a function of rows, and as the parts of a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import Arrays, FloatArray
from tacit.models.autoencoder.layers import Layer, encode_stack, read_stack, stack_arrays
from tacit.models.bounded_rows import bound_lists, scaled_rows
from tacit.records import record


@record
class EncoderStack:
    """Fitted layers, the public bounds of their input, and the public norm that rows are shortened to."""

    layers: tuple[Layer, ...]
    bounds: tuple[Any, Any]
    row_norm: float

    @property
    def n_columns(self) -> int:
        """Columns of the input."""
        return int(self.layers[0].weights.shape[0])

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the code [N, b] of the last layer: rows of length 1."""
        return encode_stack(self.layers, scaled_rows(X, self.bounds, self.row_norm))

    def to_parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return arrays and JSON-ready settings."""
        return stack_arrays(self.layers), {**bound_lists(self.bounds), "row_norm": self.row_norm}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> "EncoderStack":
        """Return the stack that ``to_parts`` took apart."""
        bounds = np.asarray(settings["low"]), np.asarray(settings["high"])
        return cls(read_stack(arrays), bounds, checks.positive("row_norm", settings["row_norm"]))
