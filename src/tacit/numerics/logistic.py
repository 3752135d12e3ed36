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
    and memory grow linearly with N and d. The norm of the gradient is what a step must reduce: along a Newton direction
    it always can, and unlike the objective's value it keeps its digits to the end. The search stops at ``tolerance``,
    or where rounding allows no further progress; ``gradient_norm`` says which.
    """
    point, margins = np.zeros(Z.shape[1]), offsets
    slopes, gradient = _at(Z, point, margins, linear, curvature)
    norm = float(np.linalg.norm(gradient))
    for step in range(MOST_STEPS):
        if norm <= tolerance:
            return Minimum(point, norm, step)
        accuracy = min(LOOSEST, max(norm / (len(Z) + 1), tolerance / (2 * norm)))
        direction, moved = newton_direction(Z, slopes * (1 - slopes), gradient, curvature, accuracy)
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
    Z: FloatArray, weights: FloatArray, gradient: FloatArray, curvature: float, accuracy: float
) -> tuple[FloatArray, FloatArray]:
    """Return s and Z s, where |H s + gradient| is at most ``accuracy`` |gradient| and H = curvature + Z' weights Z.

    Conjugate gradients; Z s is gathered on the way, which saves a pass over the rows.
    """
    solution, residual, moved = np.zeros_like(gradient), -gradient, np.zeros(len(Z))
    direction, square = residual, float(residual @ residual)
    enough = accuracy**2 * square
    for _ in range(2 * len(gradient)):
        if square <= enough:
            break
        seen = Z @ direction
        image = curvature * direction + (weights * seen) @ Z
        length = square / float(direction @ image)
        solution = solution + length * direction
        moved += length * seen
        residual = residual - length * image
        square, before = float(residual @ residual), square
        direction = residual + (square / before) * direction
    return solution, moved


def _at(
    Z: FloatArray, point: FloatArray, margins: FloatArray, linear: FloatArray, curvature: float
) -> tuple[FloatArray, FloatArray]:
    """Return the slope sigma(-margin) of each row's loss, and the whole gradient."""
    slopes: FloatArray = expit(-margins)
    return slopes, linear + curvature * point - slopes @ Z
