"""The minimisers of regularised logistic objectives on the same rows, certified by the norms of their gradients."""

from functools import partial

import numpy as np

from tacit.arrays import FloatArray
from tacit.records import record

MOST_STEPS = 100
# Step lengths are halved at most this often; a Newton direction of a convex objective needs far fewer.
MOST_HALVINGS = 40
# Newton's equation is solved to this part of its right side at first, and closer as the gradient shrinks.
LOOSEST = 0.01
# Beyond this ratio of the Hessian's largest to its smallest eigenvalue one of several parts of the rows, with enough
# rows for each of not too many columns, is solved first, to this gradient.
WELL_CONDITIONED = 50.0
PART_ROWS, MOST_PARTS, MOST_COLUMNS, ROUGH = 8, 8, 500, 1.0
# So many numbers of a table stay in a core's own cache from one product to the next; what is computed of a row for one
# more problem takes as much room as so many columns.
CACHED, COLUMNS_A_PROBLEM = 100_000, 10
TINY = np.finfo(np.float64).tiny


@record
class Minimum:
    """Where the search ended, the (largest) norm of the gradient there, and the number of Newton steps."""

    point: FloatArray
    gradient_norm: float
    steps: int


def minimise_together(
    Z: FloatArray,
    offsets: FloatArray,
    linear: FloatArray,
    *,
    curvature: float,
    tolerance: float,
    shares: FloatArray | None = None,
) -> Minimum:
    """Return the minimisers u_r [R, d] of sum_i a_i log(1 + e^-(z_i u_r + o_ri)) + linear_r u_r + curvature/2 |u_r|².

    ``shares`` a [N] lie in [0, 1] and weigh the rows' losses; None: all count whole.
    Newton's method on all problems at once; each step comes from conjugate gradients, which need products with ``Z``
    [N, d] only, so that time and memory grow linearly with N and d, and one reading of the rows serves all problems.
    Where regularisation is weak, the minimisers and the mean Hessian of a part of the rows are start and
    preconditioner. The norm of a gradient is what a step must reduce: along a Newton direction it always can, so the
    search converges from anywhere, and unlike the objective's value it keeps its digits to the end. It stops at
    ``tolerance``, or where rounding allows no further progress; ``gradient_norm``, the largest, says which.
    """
    points, inverse = _start_from_part(Z, offsets, linear, curvature, shares)
    margins = offsets + points @ Z.T if points.any() else offsets
    at = partial(_slopes_and_gradients, Z, linear=linear, curvature=curvature, shares=shares)
    slopes, gradients = at(points, margins)
    norms = _lengths(gradients)
    for step in range(MOST_STEPS):
        still = norms > tolerance
        if not still.any():
            return Minimum(points, float(norms.max()), step)
        accuracy = np.clip(norms / (len(Z) + 1), tolerance / (2 * np.maximum(norms, tolerance)), LOOSEST)
        directions, moved = newton_directions(
            Z, _bends(slopes, shares), gradients * still[:, None], curvature, accuracy=accuracy, inverse=inverse
        )
        lengths = np.ones((len(norms), 1))
        for _ in range(MOST_HALVINGS):
            nearer, further = points + lengths * directions, margins + lengths * moved
            new_slopes, new_gradients = at(nearer, further)
            new_norms = _lengths(new_gradients)
            worse = still & ~(new_norms <= (1 - 1e-4 * lengths[:, 0]) * norms)
            if not worse.any():
                break
            lengths[worse] /= 2
        else:
            return Minimum(points, float(norms.max()), step)
        points, margins, slopes, gradients, norms = nearer, further, new_slopes, new_gradients, new_norms
    return Minimum(points, float(norms.max()), MOST_STEPS)


def newton_directions(
    Z: FloatArray,
    weights: FloatArray,
    gradients: FloatArray,
    curvature: float,
    *,
    accuracy: FloatArray | float,
    inverse: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return s [R, d] and Z s [R, N] with |H s + gradient| <= ``accuracy`` |gradient|, H = curvature + Z' weights Z.

    There is an H for each of the rows of ``weights`` [R, N] and ``gradients`` [R, d]; a gradient of 0 gives s = 0.
    Conjugate gradients, preconditioned by about the ``inverse`` of all H [d, d] if it is given; Z s is gathered on the
    way, which saves a pass over the rows.
    """
    solutions, residuals, moved = np.zeros_like(gradients), -gradients, np.zeros_like(weights)
    enough = accuracy**2 * np.vecdot(residuals, residuals)
    directions = residuals if inverse is None else residuals @ inverse
    products = np.vecdot(residuals, directions)
    for _ in range(2 * gradients.shape[1]):
        projections, images = _hessian_products(Z, weights, directions)
        images += curvature * directions
        lengths = _ratios(products, np.vecdot(directions, images))
        solutions = solutions + lengths * directions
        projections *= lengths
        moved += projections
        residuals = residuals - lengths * images
        if (np.vecdot(residuals, residuals) <= enough).all():
            break
        turned = residuals if inverse is None else residuals @ inverse
        products, before = np.vecdot(residuals, turned), products
        directions = turned + _ratios(products, before) * directions
    return solutions, moved


def _hessian_products(Z: FloatArray, weights: FloatArray, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Z directions and Z' weights Z directions, with one reading of the rows from memory."""
    n, d = Z.shape
    projections, images = np.empty_like(weights), np.zeros_like(directions)
    size = max(CACHED // (d + COLUMNS_A_PROBLEM * (len(weights) - 1)), 1)
    for start in range(0, n, size):
        rows = slice(start, start + size)
        np.matmul(directions, Z[rows].T, out=projections[:, rows])
        images += (weights[:, rows] * projections[:, rows]) @ Z[rows]
    return projections, images


def _start_from_part(
    Z: FloatArray, offsets: FloatArray, linear: FloatArray, curvature: float, shares: FloatArray | None
) -> tuple[FloatArray, FloatArray | None]:
    """Return about the minimisers [R, d], and the inverse of about the mean Hessian there, from every so-manieth row.

    The Hessians' eigenvalues lie between the curvature and curvature + N/4 for rows of length 1, as the loss has a
    curvature of at most 1/4. If they lie close, or rows are few, the start is 0 and there is no inverse.
    """
    n, d = Z.shape
    every = min(n // (PART_ROWS * d), MOST_PARTS) if d <= MOST_COLUMNS else 0
    if every < 2 or 1 + n / (4 * curvature) <= WELL_CONDITIONED:
        return np.zeros_like(linear), None
    part, part_offsets = np.ascontiguousarray(Z[::every]), offsets[:, ::every]
    part_shares = None if shares is None else shares[::every]
    # The other terms weigh as much less.
    points = minimise_together(
        part, part_offsets, linear / every, curvature=curvature / every, tolerance=ROUGH, shares=part_shares
    ).point
    slopes = _slopes(part_offsets + points @ part.T)
    hessian = (part.T * (every * _bends(slopes, part_shares)).mean(axis=0)) @ part + curvature * np.eye(d)
    return points, np.asarray(np.linalg.inv(hessian))


def _slopes_and_gradients(
    Z: FloatArray,
    points: FloatArray,
    margins: FloatArray,
    *,
    linear: FloatArray,
    curvature: float,
    shares: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the slope sigma(-margin) of each row's whole loss in each problem, and the gradients [R, d]."""
    slopes = _slopes(margins)
    return slopes, linear + curvature * points - (slopes if shares is None else slopes * shares) @ Z


def _slopes(margins: FloatArray) -> FloatArray:
    """Return sigma(-margin), the slope of a row's loss towards a smaller margin."""
    from scipy.special import expit  # noqa: PLC0415 - slow to load; most who know the mechanism never solve anything

    slopes: FloatArray = expit(-margins)
    return slopes


def _bends(slopes: FloatArray, shares: FloatArray | None) -> FloatArray:
    """Return the second derivative of each row's loss [R, N] from the slope of its whole loss."""
    bends: FloatArray = slopes * (1 - slopes)
    return bends if shares is None else bends * shares


def _lengths(vectors: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.vecdot(vectors, vectors)))


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above/below [R, 1], both at least 0, and 0 where nothing is left to divide."""
    return (above / np.maximum(below, TINY))[:, None]
