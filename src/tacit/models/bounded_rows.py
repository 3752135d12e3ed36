"""Rows with public bounds: scaled to the unit cube, shortened to a public length, and what a card says of it."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.numerics.exact_sums import require_countable

# Of whole entries below 2^27, and of products below 2^28, so many add up to less than 2^62.
MOST_SUMMED = 1 << 34


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
    shortened = X * (inside / np.maximum(lengths, inside))
    quantum = row_quantum(norm)
    cut: FloatArray = np.trunc(shortened / quantum) * quantum
    return cut


def row_quantum(norm: float, digits: int = 26) -> float:
    """Return the power of two of which entries of rows within ``norm`` are whole multiples, of so many digits."""
    return 2.0 ** (math.floor(math.log2(norm)) - digits)


def whole_sum(rows: FloatArray, norm: float) -> IntArray:
    """Return the sum [p] of rows that `clip_rows` cut, in whole quanta of less than 2^27 each."""
    require_countable(len(rows), MOST_SUMMED)
    total: IntArray = (rows / row_quantum(norm)).astype(np.int64).sum(axis=0)
    return total


def public_row_norm(row_norm: float | None, n_features: int) -> float:
    """Return the bound on a row's length in the unit cube: ``row_norm``, or sqrt(p), which shortens no row."""
    return math.sqrt(n_features) if row_norm is None else checks.positive("row_norm", row_norm)


def shortened_rows(X: FloatArray, bounds: tuple[Any, Any], row_norm: float) -> FloatArray:
    """Return the rows in the unit cube, nonnegative and of length at most ``row_norm``."""
    return clip_rows(to_unit_cube(X, bounds), row_norm)


def scaled_rows(X: FloatArray, bounds: tuple[Any, Any], row_norm: float) -> FloatArray:
    """Return the rows in the unit cube, shortened to ``row_norm`` and divided by it: nonnegative, length at most 1."""
    return shortened_rows(X, bounds, row_norm) / row_norm


def bound_lists(bounds: tuple[ArrayLike, ArrayLike]) -> dict[str, Any]:
    """Return public (low, high) by name, as numbers or lists that a release can hold."""
    low, high = (np.asarray(bound, dtype=float).tolist() for bound in bounds)
    return {"low": low, "high": high}


def bound_assumptions(row_norm: float) -> list[str]:
    """Return what a card assumes about rows that were scaled and shortened like this."""
    return ["the bounds of the features are public", f"rows are shortened to norm {row_norm:.6g}, a public number"]
