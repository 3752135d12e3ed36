"""Wide autoencoders: many deep ones side by side, of which the one that reconstructs a row best speaks for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.models.membership.layers import DeepAutoencoder, layer_outputs, learn_deep
from tacit.models.membership.solution import landmark_limit
from tacit.models.parallel import run_parts
from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats
from tacit.numerics.partition import RowIndices, neighbouring_parts

ROWS_AT_ONCE = 1024
"""Rows of one block: enough for full matrix products, few enough for the block to stay in cache."""

Wide = Sequence[DeepAutoencoder]
"""One autoencoder for each part of the training rows."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class Shape:
    """How wide, deep and fine an autoencoder is; checked when made."""

    n_components: int
    max_landmarks: float | None
    n_layers: int
    part_size: int | None
    overlap: int

    def __post_init__(self) -> None:
        checks.whole("n_components", self.n_components)
        landmark_limit(self.max_landmarks, 1)
        checks.whole("n_layers", self.n_layers)
        if self.part_size is not None:
            checks.whole("part_size", self.part_size)
        checks.whole("overlap", self.overlap)


@dataclass(frozen=True)
class Filtered:
    """Rows as a wide autoencoder sees them."""

    rows: Floats
    """reconstructions [N, p]"""
    errors: Floats
    """‖y - reconstruction‖² [N]"""
    parts: NDArray[np.intp]
    """which autoencoder reconstructed the row best [N]"""
    layers: NDArray[np.intp]
    """which of its layers did [N]"""


def learn_wide(Y: Floats, groups: Sequence[RowIndices], shape: Shape, *, n_jobs: int | None) -> list[Wide]:
    """Return a wide autoencoder for each group of rows of Y [N, p]. [membership] Alg. 3, for all groups at once.

    The rows of a group are in random order; that order is all the chance there is, so the result does not depend on
    ``n_jobs``.
    """
    size = len(Y) if shape.part_size is None else shape.part_size
    split = run_parts(neighbouring_parts, ((Y, rows, size, shape.overlap) for rows in groups), n_jobs=n_jobs)
    # One flat list of parts, so that a large group keeps every worker busy.
    learned = iter(run_parts(learn_part, ((Y[part], shape) for parts in split for part in parts), n_jobs=n_jobs))
    return [[next(learned) for _ in parts] for parts in split]


def learn_part(Y: Floats, shape: Shape) -> DeepAutoencoder:
    """Return the deep autoencoder of one part, whose rows are in random order. [membership] Alg. 3, line 3."""
    return learn_deep(
        Y,
        n_components=shape.n_components,
        max_landmarks=landmark_limit(shape.max_landmarks, len(Y)),
        n_layers=shape.n_layers,
        order=np.arange(len(Y)),
    )


def squared_distances(Y: Floats, outputs: Floats) -> Floats:
    """Return ‖y_i - output_i‖² [N] from the differences themselves.

    The expanded form ‖y‖² - 2 y·output + ‖output‖² loses in float32 just the digits that tell classes apart.
    """
    R = Y - outputs
    distances: Floats = np.einsum("ij,ij->i", R, R)
    return distances


def wide_errors(model: Wide, Y: Floats) -> Floats:
    """Return the least squared error [N] over autoencoders and layers. [membership] eq. 65 and 70."""
    errors = np.full(len(Y), np.inf, dtype=Y.dtype)
    for part in model:
        for outputs in layer_outputs(part, Y):
            np.minimum(errors, squared_distances(Y, outputs), out=errors)
    return errors


def wide_filter(model: Wide, Y: Floats) -> Filtered:
    """Return the best reconstruction of each row and where it came from. [membership] eq. 69."""
    best = Filtered(
        np.empty_like(Y), np.full(len(Y), np.inf, Y.dtype), np.zeros(len(Y), np.intp), np.zeros(len(Y), np.intp)
    )
    for place, part in enumerate(model):
        for depth, outputs in enumerate(layer_outputs(part, Y)):
            errors = squared_distances(Y, outputs)
            better = errors < best.errors
            best.rows[better], best.errors[better] = outputs[better], errors[better]
            best.parts[better], best.layers[better] = place, depth
    return best


def wide_layers(model: Wide, Y: Floats) -> Floats:
    """Return [L, N, p]: each row as the layers of its best autoencoder reconstruct it, least abstract first."""
    places = wide_filter(model, Y).parts
    outputs = np.empty((len(model[0].layers), *Y.shape), dtype=Y.dtype)
    for place in np.unique(places):
        mine = places == place
        for depth, rows in enumerate(layer_outputs(model[place], Y[mine])):
            outputs[depth, mine] = rows
    return outputs


def in_blocks(function: Callable[[Floats], Result], Y: Floats, *, n_jobs: int | None) -> list[Result]:
    """Return ``function`` of each block of rows of Y, in order."""
    blocks = [Y[rows] for rows in row_blocks(len(Y), 1, entries=ROWS_AT_ONCE)]
    if len(blocks) == 1:
        return [function(Y)]  # a few rows are not worth the machinery
    return run_parts(function, ((block,) for block in blocks), n_jobs=n_jobs)
