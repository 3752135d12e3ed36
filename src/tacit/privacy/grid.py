"""The grid that noisy values live on, so that no output's digits give away its input."""

import math

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError

# One grid step costs at most this part of the sensitivity, over all coordinates together.
FINENESS = 2.0**-14
# Integers up to here survive the addition of noise without overflow.
LARGEST = 2.0**61


def step_for(sensitivity: float, coordinates: float) -> float:
    """Return the power of two that is at most sensitivity / (2^14 coordinates)."""
    return 2.0 ** math.floor(math.log2(sensitivity * FINENESS / coordinates))


def to_grid(values: FloatArray, step: float) -> NDArray[np.int64]:
    """Return floor(values / step): two values that differ by c land at most ceil(c / step) apart.

    The step is a power of two, so the division is exact, and floor(a) - floor(b) <= ceil(a - b).
    """
    cells = np.floor(checks.finite_array("values", values) / step)
    if cells.size and np.abs(cells).max() > LARGEST:
        raise InputError(
            f"values must be below {LARGEST * step:.3g} in size for this noise; got larger ones. "
            "Clip them to the bound that the sensitivity was computed from."
        )
    return cells.astype(np.int64)


def from_grid(cells: NDArray[np.int64], step: float) -> FloatArray:
    """Return the values of grid ``cells``."""
    return cells.astype(np.float64) * step
