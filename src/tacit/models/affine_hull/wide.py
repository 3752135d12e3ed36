"""Wide affine hull machines: one deep machine for each part of the rows, of which the nearest speaks for a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tacit import checks
from tacit.models.affine_hull.layers import DeepHull, Shifted, learn_deep, nearest_images, shifted
from tacit.models.parallel import run_parts
from tacit.numerics.blocks import row_blocks
from tacit.numerics.kernels import Floats
from tacit.numerics.partition import RowIndices, neighbouring_parts

ROWS_AT_ONCE = 1024
"""Rows of one block: enough for full matrix products, few enough for the block to stay in cache."""

Wide = Sequence[DeepHull]
"""One machine for each part of the training rows."""


@dataclass(frozen=True)
class Shape:
    """How wide, deep and fine a machine is; checked when made."""

    n_components: int
    n_layers: int
    part_size: int | None
    overlap: int
    rank: int | None

    def __post_init__(self) -> None:
        checks.whole("n_components", self.n_components)
        checks.whole("n_layers", self.n_layers)
        if self.part_size is not None:
            checks.whole("part_size", self.part_size)
        checks.whole("overlap", self.overlap)
        if self.rank is not None:
            checks.whole("rank", self.rank)


def learn_wide(Y: Floats, groups: Sequence[RowIndices], shape: Shape, *, n_jobs: int | None) -> list[Wide]:
    """Return a wide machine for each group of rows of Y [N, p]. [hull] Def. 5, for all groups at once.

    The rows of a group are in random order; that order is all the chance there is, so the result does not depend on
    ``n_jobs``.
    """
    size = len(Y) if shape.part_size is None else shape.part_size
    split = run_parts(neighbouring_parts, ((Y, rows, size, shape.overlap) for rows in groups), n_jobs=n_jobs)
    learn = partial(learn_deep, n_components=shape.n_components, n_layers=shape.n_layers, rank=shape.rank)
    # One flat list of parts, so that a large group keeps every worker busy.
    learned = iter(run_parts(learn, ((Y[part],) for parts in split for part in parts), n_jobs=n_jobs))
    return [[next(learned) for _ in parts] for parts in split]


def wide_distances(model: Wide, seen: Shifted) -> Floats:
    """Return the distance [M] of each row from its nearest image over parts and layers. [hull] Def. 6."""
    squares = [nearest_images(part, seen)[1] for part in model]
    distances: Floats = np.sqrt(np.min(squares, axis=0))
    return distances


def wide_images(model: Wide, seen: Shifted) -> Floats:
    """Return the nearest image [M, p] of each row over parts and layers. [hull] Def. 5."""
    images, least = np.empty_like(seen.rows), np.full(len(seen.rows), np.inf, dtype=seen.rows.dtype)
    for place, part in enumerate(model):
        found, distances = nearest_images(part, seen)
        nearer = (distances < least) | (place == 0)
        images[nearer] = part.mean + found[nearer] @ part.directions
        least[nearer] = distances[nearer]
    return images


def in_blocks(function: Callable[[Shifted], Floats], Y: Floats, origin: Floats, *, n_jobs: int | None) -> Floats:
    """Return ``function`` of the rows of Y less the origin, found block by block."""
    blocks = list(row_blocks(len(Y), 1, entries=ROWS_AT_ONCE))
    if len(blocks) == 1:
        return function(shifted(Y, origin))  # a few rows are not worth the machinery
    tasks = ((shifted(Y[rows], origin),) for rows in blocks)
    return np.concatenate(run_parts(function, tasks, n_jobs=n_jobs))
