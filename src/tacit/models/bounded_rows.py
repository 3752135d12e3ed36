"""Rows with public bounds: scaled to the unit cube, shortened to a public length, and what a card says of it."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.bounds import clip_rows, to_unit_cube


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
