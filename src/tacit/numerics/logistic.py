"""The minimiser of a regularised logistic objective, certified by the norm of its gradient."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from tacit.checks import FloatArray

MOST_STEPS = 100
# Step lengths are halved at most this often; a Newton direction of a convex objective needs far fewer.
MOST_HALVINGS = 40
# Newton's equation is solved to this part of its right side at first, and closer as the gradient shrinks.
LOOSEST = 0.01
# Beyond this ratio of the Hessian's largest to its smallest eigenvalue one of several parts of the rows, with enough
# rows for each of not too many columns, is solved first, to this gradient.
WELL_CONDITIONED = 50.0
PART_ROWS, MOST_PARTS, MOST_COLUMNS, ROUGH = 8, 8, 500, 1.0
# So many numbers of a table stay in a core's own cache from one product to the next.
CACHED = 100_000


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the search ended, the norm of the gradient there, and the number of Newton steps."""

    point: FloatArray
    gradient_norm: float
    steps: int


def minimise_logistic(
    Z: FloatArray, offsets: FloatArray, linear: FloatArray, *, curvature: float, tolerance: float
) -> Minimum:
    """Return the minimiser u of sum_i log(1 + e^-(z_i u + o_i)) + linear u + curvature/2 |u|².

    Newton's method; each step comes from conjugate gradients, which need products with ``Z`` [N, d] only, so that time
    and memory grow linearly with N and d. Where regularisation is weak, the minimiser and the Hessian of a part of the
    rows are the start and the preconditioner. The norm of the gradient is what a step must reduce: along a Newton
    direction it always can, so the search converges from anywhere, and unlike the objective's value it keeps its digits
    to the end. It stops at ``tolerance``, or where rounding allows no further progress; ``gradient_norm`` says which.
    """
    point, inverse = _head_start(Z, offsets, linear, curvature)
    margins = offsets + Z @ point if point.any() else offsets
    slopes, gradient = _at(Z, point, margins, linear, curvature)
    norm = float(np.linalg.norm(gradient))
    for step in range(MOST_STEPS):
        if norm <= tolerance:
            return Minimum(point, norm, step)
        accuracy = min(LOOSEST, max(norm / (len(Z) + 1), tolerance / (2 * norm)))
        direction, moved = newton_direction(
            Z, slopes * (1 - slopes), gradient, curvature, accuracy=accuracy, inverse=inverse
        )
        length = 1.0
        for _ in range(MOST_HALVINGS):
            nearer, further = point + length * direction, margins + length * moved
            new_slopes, new_gradient = _at(Z, nearer, further, linear, curvature)
            new_norm = float(np.linalg.norm(new_gradient))
            if new_norm <= (1 - 1e-4 * length) * norm:
                break
            length /= 2
        else:
            return Minimum(point, norm, step)
        point, margins, slopes, gradient, norm = nearer, further, new_slopes, new_gradient, new_norm
    return Minimum(point, norm, MOST_STEPS)


def newton_direction(
    Z: FloatArray,
    weights: FloatArray,
    gradient: FloatArray,
    curvature: float,
    *,
    accuracy: float,
    inverse: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return s and Z s, where |H s + gradient| is at most ``accuracy`` |gradient| and H = curvature + Z' weights Z.

    Conjugate gradients, preconditioned by about the ``inverse`` of H if it is given; Z s is gathered on the way, which
    saves a pass over the rows.
    """
    solution, residual, moved = np.zeros_like(gradient), -gradient, np.zeros(len(Z))
    enough = accuracy**2 * float(residual @ residual)
    direction = residual if inverse is None else inverse @ residual
    product = float(residual @ direction)
    for _ in range(2 * len(gradient)):
        seen, image = _curved(Z, weights, direction)
        image += curvature * direction
        length = product / float(direction @ image)
        solution = solution + length * direction
        moved += length * seen
        residual = residual - length * image
        if float(residual @ residual) <= enough:
            break
        turned = residual if inverse is None else inverse @ residual
        product, before = float(residual @ turned), product
        direction = turned + (product / before) * direction
    return solution, moved


def _curved(Z: FloatArray, weights: FloatArray, direction: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Z direction and Z' weights Z direction, with one reading of the rows from memory."""
    n, d = Z.shape
    seen, image = np.empty(n), np.zeros(d)
    for start in range(0, n, max(CACHED // d, 1)):
        rows = slice(start, start + max(CACHED // d, 1))
        np.matmul(Z[rows], direction, out=seen[rows])
        image += (weights[rows] * seen[rows]) @ Z[rows]
    return seen, image


def _head_start(
    Z: FloatArray, offsets: FloatArray, linear: FloatArray, curvature: float
) -> tuple[FloatArray, FloatArray | None]:
    """Return about the minimiser, and about the inverse of the Hessian there, from every so-manieth row.

    The Hessian's eigenvalues lie between the curvature and curvature + N/4 for rows of length 1, as the loss has a
    curvature of at most 1/4. If they lie close, or rows are few, the start is 0 and there is no inverse.
    """
    n, d = Z.shape
    every = min(n // (PART_ROWS * d), MOST_PARTS) if d <= MOST_COLUMNS else 0
    if every < 2 or 1 + n / (4 * curvature) <= WELL_CONDITIONED:
        return np.zeros(d), None
    part, theirs = np.ascontiguousarray(Z[::every]), offsets[::every]
    # The other terms weigh as much less.
    point = minimise_logistic(part, theirs, linear / every, curvature=curvature / every, tolerance=ROUGH).point
    slopes = expit(-(theirs + part @ point))
    hessian = (part.T * (every * slopes * (1 - slopes))) @ part + curvature * np.eye(d)
    return point, np.asarray(np.linalg.inv(hessian))


def _at(
    Z: FloatArray, point: FloatArray, margins: FloatArray, linear: FloatArray, curvature: float
) -> tuple[FloatArray, FloatArray]:
    """Return the slope sigma(-margin) of each row's loss, and the whole gradient."""
    slopes: FloatArray = expit(-margins)
    return slopes, linear + curvature * point - slopes @ Z
