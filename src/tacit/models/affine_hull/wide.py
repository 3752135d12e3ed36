"""Wide affine hull machines: one deep machine for each part of the rows; a row has the image of the nearest of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.models.affine_hull.layers import DeepHull, ShiftedRows, learn_deep, nearest_images, shifted
from tacit.models.parts import PartSettings, in_blocks, learn_parts
from tacit.numerics.kernels import Floats

WideHull = Sequence[DeepHull]
"""One machine for each part of the training rows."""


@dataclass(frozen=True, kw_only=True)
class HullSettings(PartSettings):
    """Width and depth of a wide machine, and how many directions the rows of a part are projected on."""

    rank: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank is not None:
            checks.whole("rank", self.rank)


def learn_wide(
    Y: Floats, groups: Sequence[NDArray[np.intp]], settings: HullSettings, *, n_jobs: int | None
) -> Sequence[WideHull]:
    """Return a wide machine for each group of rows of Y [N, p]. [hull] Def. 5, for all groups at once."""
    learn = partial(learn_deep, n_components=settings.n_components, n_layers=settings.n_layers, rank=settings.rank)
    return learn_parts(learn, Y, groups, settings, n_jobs=n_jobs)


def wide_distances(model: WideHull, rows: ShiftedRows) -> Floats:
    """Return the distance [M] of each row from its nearest image over parts and layers. [hull] Def. 6."""
    squares = [nearest_images(part, rows)[1] for part in model]
    distances: Floats = np.sqrt(np.min(squares, axis=0))
    return distances


def wide_images(model: WideHull, rows: ShiftedRows) -> Floats:
    """Return the nearest image [M, p] of each row over parts and layers. [hull] Def. 5."""
    images, least = np.empty_like(rows.rows), np.full(len(rows.rows), np.inf, dtype=rows.rows.dtype)
    for place, part in enumerate(model):
        candidates, distances = nearest_images(part, rows)
        nearer = (distances < least) | (place == 0)
        images[nearer] = part.mean + candidates[nearer] @ part.directions
        least[nearer] = distances[nearer]
    return images


def map_blocks(function: Callable[[ShiftedRows], Floats], Y: Floats, origin: Floats, *, n_jobs: int | None) -> Floats:
    """Return ``function`` of the rows of Y less ``origin``, a point near all machines, block by block."""
    return np.concatenate(in_blocks(partial(_of_shifted, function, origin), Y, n_jobs=n_jobs))


def _of_shifted(function: Callable[[ShiftedRows], Floats], origin: Floats, Y: Floats) -> Floats:
    return function(shifted(Y, origin))
