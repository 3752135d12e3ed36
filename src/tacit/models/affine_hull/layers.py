"""Conditionally deep affine hull machines: layers that see fewer and fewer directions of the same points."""

from collections.abc import Iterator

import numpy as np

from tacit.errors import InputError
from tacit.models.affine_hull.solution import Hull, evaluate, learn_hull
from tacit.numerics.kernels import Floats
from tacit.numerics.subspace import leading_directions
from tacit.records import record


@record
class DeepHull:
    """The machines of one set of points; the first layer sees n of its principal directions, each further one fewer."""

    mean: Floats
    """[p]"""
    directions: Floats
    """V [r, p]: orthonormal rows, principal directions of the points, largest variance first"""
    scales: Floats
    """1 / standard deviation along the first n directions [n]; 0 where there is none"""
    layers: tuple[Hull, ...]


def learn_deep(Y: Floats, *, n_components: int, n_layers: int, rank: int | None) -> DeepHull:
    """Return the machines of the rows of Y [N, p], projected to their ``rank`` leading principal directions.

    [hull] Def. 1 and 3. n is at most the number of dimensions that the rows span, and so is the number of layers.
    """
    N, p = Y.shape
    if np.abs(Y).max() > np.finfo(Y.dtype).max ** 0.25:
        raise InputError("X must hold numbers whose squares can be added up; scale the features to [0, 1].")
    mean = Y.mean(axis=0, dtype=np.float64).astype(Y.dtype)
    C = Y - mean
    V = leading_directions(C, min(N, p) if rank is None else max(rank, n_components))
    Z = C @ V.T
    spread = Z[:, :n_components].std(axis=0, ddof=min(N - 1, 1))
    # A spread that rounding alone can make is in no direction.
    real = spread > 10 * np.finfo(Y.dtype).eps * max(spread[0], np.abs(mean).max())
    scales = np.divide(1, spread, out=np.zeros_like(spread), where=real)
    centre, level = V @ mean, float(np.vdot(mean, mean))
    U = encodings(Z, scales)
    layers = tuple(
        learn_hull(narrowed(U, n), Z, centre=centre, level=level, n_features=p)
        for n in range(len(scales), max(len(scales) - n_layers, 0), -1)
    )
    return DeepHull(mean, V, scales, layers)


def encodings(Z: Floats, scales: Floats) -> Floats:
    """Return the first n columns of Z, whitened and over sqrt(n) [N, n].

    Along principal directions θ of [hull] eq. 36 is diagonal, so that whitening is a scale for each column.
    """
    n = len(scales)
    whitened: Floats = Z[:, :n] * (scales / np.sqrt(n)).astype(Z.dtype)
    return whitened


def narrowed(U: Floats, n: int) -> Floats:
    """Return what the first n directions alone are encoded as [N, n], from encodings along more [N, m]."""
    m = U.shape[1]
    return U if n == m else np.ascontiguousarray(U[:, :n] * U.dtype.type(np.sqrt(m / n)))


@record
class ShiftedRows:
    """Rows to be mapped by many machines, less an origin near all of them."""

    rows: Floats
    """Y - origin [M, p]"""
    squares: Floats
    """their squared lengths [M]"""
    origin: Floats


def shifted(Y: Floats, origin: Floats) -> ShiftedRows:
    """Return the rows of Y [M, p] less the origin, clipped where squares would overflow, far from everything."""
    limit = np.finfo(Y.dtype).max ** 0.25
    with np.errstate(over="ignore"):
        R = Y - origin
    np.clip(R, -limit, limit, out=R)
    return ShiftedRows(R, _squared(R), origin)


def coordinates(model: DeepHull, rows: ShiftedRows) -> tuple[Floats, Floats]:
    """Return rows less the mean along the directions [M, r], and their squared distances from what these span [M].

    With the rows R less the origin and the mean d less the origin, ‖R - d‖² = ‖R‖² - 2 R·d + ‖d‖²: no machine needs a
    table of its own. The squares are of the size of the differences between rows, so little is lost to rounding.
    """
    d = model.mean - rows.origin
    sums = rows.rows @ np.vstack([model.directions, d]).T  # [M, r + 1]
    Z = sums[:, :-1] - model.directions @ d
    outside = rows.squares - 2 * sums[:, -1] + d @ d - _squared(Z)
    return Z, np.maximum(outside, 0)


def layer_images(model: DeepHull, Z: Floats) -> Iterator[Floats]:
    """Yield the images [M, r] by each layer of rows with coordinates Z, each fed with the one before. [hull] eq. 51."""
    image = Z
    for layer in model.layers:
        n = layer.encodings.shape[1]
        image = evaluate(layer, encodings(image, model.scales[:n]))
        yield image


def nearest_images(model: DeepHull, rows: ShiftedRows) -> tuple[Floats, Floats]:
    """Return the coordinates of each row's nearest image [M, r] and their squared distance [M]. [hull] eq. 50-53."""
    Z, outside = coordinates(model, rows)
    layers = layer_images(model, Z)
    best = next(layers)
    least = _squared(Z - best)
    for images in layers:
        inside = _squared(Z - images)
        nearer = inside < least
        best[nearer], least[nearer] = images[nearer], inside[nearer]
    return best, outside + least


def _squared(R: Floats) -> Floats:
    lengths: Floats = np.einsum("ij,ij->i", R, R)
    return lengths
