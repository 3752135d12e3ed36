"""Public bounds: scaling to the unit cube and shortening long rows."""

import math
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.errors import InputError


def to_unit_cube(X: FloatArray, bounds: tuple[Any, Any]) -> FloatArray:
    """Return (X - low)/(high - low), clipped to [0, 1]; ``bounds`` are public numbers or one number per column."""
    try:
        low, high = (np.asarray(bound, dtype=np.float64) for bound in bounds)
        widths = np.broadcast_to(high - low, X.shape[1:])
    except (TypeError, ValueError) as problem:
        raise InputError(
            f"bounds must be a pair (low, high) of numbers or of arrays with {X.shape[1]} numbers; got {bounds!r}."
        ) from problem
    if not (np.isfinite(widths).all() and (widths > 0).all()):
        raise InputError("bounds must have low < high, both finite, for every feature.")
    scaled: FloatArray = X - low
    scaled /= widths  # in place: tables are large, and new memory costs more than the arithmetic
    return np.clip(scaled, 0.0, 1.0, out=scaled)


def clip_rows(X: FloatArray, norm: float) -> FloatArray:
    """Return ``X`` with every row shortened to ``norm`` and cut to multiples of a power of two, 2^-26 of the norm.

    Cutting towards zero never lengthens a row, and sums of up to 2^26 such rows are exact in double precision in any
    order: a sum then moves by no more than the row that is added, where rounded sums can move further [summation].
    """
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    inside = norm * (1 - 2.0**-40)  # room for the rounding of the division
    shortened = X * np.minimum(1.0, inside / np.maximum(lengths, np.finfo(float).tiny))
    quantum = 2.0 ** (math.floor(math.log2(norm)) - 26)
    cut: FloatArray = np.trunc(shortened / quantum) * quantum
    return cut
