"""Smoothing noisy rows through affine hulls, and their images in the last one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes
from tacit.models.affine_hull.layers import DeepHull, learn_deep, nearest_images, shifted
from tacit.models.parallel import run_parts
from tacit.numerics.kernels import Floats

Blocks = Sequence[NDArray[np.intp]]
DIRECTIONS = 20
# How many hulls noisy rows pass through; the published stopping rule, which reads raw rows, gives 2 or 3.
STEPS = 2
MOST_STEPS = 20


def random_blocks(codes: Codes, random: Any, size: int) -> list[NDArray[np.intp]]:
    """Return the rows of each class dealt at random into blocks of at most ``size``; features play no part."""
    blocks: list[NDArray[np.intp]] = []
    for code in np.unique(codes):
        of_class = random.permutation(np.flatnonzero(codes == code))
        blocks += np.array_split(of_class, -(-len(of_class) // size))
    return blocks


def clustered_blocks(X: Floats, codes: Codes, random: Any, size: int) -> list[NDArray[np.intp]]:
    """Return clusters of the raw rows of each class, about ``size`` in each: [hull] eq. 98-99. Leaks."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 - slow to load, and for the printed algorithm alone

    blocks: list[NDArray[np.intp]] = []
    for code in np.unique(codes):
        of_class = np.flatnonzero(codes == code)
        groups = KMeans(-(-len(of_class) // size), n_init=1, random_state=random).fit_predict(X[of_class])
        blocks += [of_class[groups == group] for group in np.unique(groups)]
    return blocks


def smoothed(Y: Floats, hull: DeepHull) -> Floats:
    """Return Y - lambda (K + lambda I)⁻¹ Y = K (K + lambda I)⁻¹ Y for the rows that ``hull`` was learned from.

    That is each row's image times the sum of its memberships: [hull] eq. 81.
    """
    layer = hull.layers[0]
    B, w = layer.coefficients[:, :-1], layer.coefficients[:, -1]
    rows: Floats = Y - layer.smoothing * (B @ hull.directions + np.outer(w, hull.mean))
    return rows.astype(Y.dtype, copy=False)


def images(Y: Floats, hull: DeepHull) -> tuple[Floats, float]:
    """Return the image of each row [N, p], and the sum of the distances between rows and images."""
    nearest, squares = nearest_images(hull, shifted(Y, hull.mean))
    return hull.mean + nearest @ hull.directions, float(np.sqrt(squares).sum())


def modelling_error(Y: Floats) -> float:
    """Return the sum of the distances of rows from their images in the hull of all of them: [hull] eq. 88."""
    return images(Y, _hull(Y))[1]


def through_hulls(Y: Floats, *, steps: int = STEPS) -> Floats:
    """Return the rows of a block smoothed ``steps`` - 1 times, and mapped into the last hull: [hull] eq. 80-82, 89."""
    return _through(Y, lambda step, _: step >= steps)


def until_error(Y: Floats, error: float) -> Floats:
    """Return the block smoothed until its hull's error is at most ``error``: [hull] eq. 92. Leaks the raw error."""
    return _through(Y, lambda step, reached: reached <= error or step >= MOST_STEPS)


def _through(Y: Floats, enough: Callable[[int, float], bool]) -> Floats:
    rows, step = Y, 1
    while True:
        hull = _hull(rows)
        mapped, error = images(rows, hull)
        if enough(step, error):
            return mapped
        rows, step = smoothed(rows, hull), step + 1


def _hull(Y: Floats) -> DeepHull:
    return learn_deep(Y, n_components=min(DIRECTIONS, Y.shape[1]), n_layers=1, rank=None)


def in_blocks(Y: Floats, blocks: Blocks, fabricate: Callable[[int, Floats], Floats], *, n_jobs: int | None) -> Floats:
    """Return all rows, each block of them as ``fabricate(number, rows)`` makes it."""
    parts = run_parts(fabricate, ((number, Y[block]) for number, block in enumerate(blocks)), n_jobs=n_jobs)
    fabricated = np.empty_like(Y)
    for block, part in zip(blocks, parts, strict=True):
        fabricated[block] = part
    return fabricated
