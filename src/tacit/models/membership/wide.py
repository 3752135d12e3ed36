"""Wide autoencoders: one deep autoencoder for each part of the rows; a row is reconstructed by the best of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tacit.models.membership.layers import DeepAutoencoder, layer_outputs, learn_deep
from tacit.models.membership.solution import landmark_limit
from tacit.models.parts import PartSettings, learn_parts
from tacit.numerics.kernels import Floats
from tacit.records import record

WideAutoencoder = Sequence[DeepAutoencoder]
"""One autoencoder for each part of the training rows."""


@dataclass(frozen=True, kw_only=True)
class AutoencoderSettings(PartSettings):
    """Width and depth of a wide autoencoder, and the most landmarks of one of its parts."""

    max_landmarks: float | None

    def __post_init__(self) -> None:
        super().__post_init__()
        landmark_limit(self.max_landmarks, 1)


@record
class Reconstructions:
    """Rows reconstructed by a wide autoencoder."""

    rows: Floats
    """reconstructions [N, p]"""
    errors: Floats
    """‖y - reconstruction‖² [N]"""
    parts: NDArray[np.intp]
    """which autoencoder reconstructed the row best [N]"""
    layers: NDArray[np.intp]
    """which of its layers did [N]"""

    @classmethod
    def joined(cls, blocks: Sequence[Self]) -> Self:
        """Return the reconstructions of blocks of rows as those of all rows."""
        return cls(
            rows=np.concatenate([block.rows for block in blocks]),
            errors=np.concatenate([block.errors for block in blocks]),
            parts=np.concatenate([block.parts for block in blocks]),
            layers=np.concatenate([block.layers for block in blocks]),
        )


def learn_wide(
    Y: Floats, groups: Sequence[NDArray[np.intp]], settings: AutoencoderSettings, *, n_jobs: int | None
) -> Sequence[WideAutoencoder]:
    """Return a wide autoencoder for each group of rows of Y [N, p]. [membership] Alg. 3, for all groups at once."""
    return learn_parts(partial(learn_part, settings=settings), Y, groups, settings, n_jobs=n_jobs)


def learn_part(Y: Floats, settings: AutoencoderSettings) -> DeepAutoencoder:
    """Return the deep autoencoder of one part, whose rows are in random order. [membership] Alg. 3, line 3."""
    return learn_deep(
        Y,
        n_components=settings.n_components,
        max_landmarks=landmark_limit(settings.max_landmarks, len(Y)),
        n_layers=settings.n_layers,
        order=np.arange(len(Y)),
    )


def squared_distances(Y: Floats, outputs: Floats) -> Floats:
    """Return ‖y_i - output_i‖² [N] from the differences themselves.

    The expanded form ‖y‖² - 2 y·output + ‖output‖² loses in float32 just the digits that tell classes apart.
    """
    R = Y - outputs
    distances: Floats = np.einsum("ij,ij->i", R, R)
    return distances


def wide_errors(model: WideAutoencoder, Y: Floats) -> Floats:
    """Return the least squared error [N] over autoencoders and layers. [membership] eq. 65 and 70."""
    errors = np.full(len(Y), np.inf, dtype=Y.dtype)
    for part in model:
        for outputs in layer_outputs(part, Y):
            np.minimum(errors, squared_distances(Y, outputs), out=errors)
    return errors


def wide_filter(model: WideAutoencoder, Y: Floats) -> Reconstructions:
    """Return the best reconstruction of each row, with the part and layer that made it. [membership] eq. 69."""
    best = Reconstructions(
        np.empty_like(Y), np.full(len(Y), np.inf, Y.dtype), np.zeros(len(Y), np.intp), np.zeros(len(Y), np.intp)
    )
    for place, part in enumerate(model):
        for depth, outputs in enumerate(layer_outputs(part, Y)):
            errors = squared_distances(Y, outputs)
            better = errors < best.errors
            best.rows[better], best.errors[better] = outputs[better], errors[better]
            best.parts[better], best.layers[better] = place, depth
    return best


def wide_layers(model: WideAutoencoder, Y: Floats) -> Floats:
    """Return [L, N, p]: each row as the layers of its best autoencoder reconstruct it, least abstract first."""
    places = wide_filter(model, Y).parts
    outputs = np.empty((len(model[0].layers), *Y.shape), dtype=Y.dtype)
    for place in np.unique(places):
        members = places == place
        for depth, rows in enumerate(layer_outputs(model[place], Y[members])):
            outputs[depth, members] = rows
    return outputs
