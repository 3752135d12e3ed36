"""Weights of rows in private sums: a share in [0, 1] of the one row that noise is made for.

A row of weight 0 is as if it were not there. Weights are private as the rows are, and each depends on its own row
alone, which the card assumes.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.per_person import PersonMixin, contributed_rows

# Weights are cut to multiples of this, so that sums of up to 2^26 of them are exact in double precision.
QUANTUM = 2.0**-26
WEIGHTS_ASSUMED = (
    "each row's weight, in [0, 1], is private as the row is and depends on that row alone: none was computed from "
    "other rows, as weights that balance classes or sum to 1 are"
)


def row_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Return checked weights [N] in [0, 1], cut towards zero to multiples of 2^-26; None: every row counts whole.

    Inequality: a row of weight w contributes w times what it would, never more than the row that a sensitivity is
    stated for.
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must hold numbers in [0, 1], one for each row.") from None
    if weights.shape != (n_rows,):
        raise InputError(f"sample_weight must hold one weight for each of {n_rows} rows; got shape {weights.shape}.")
    if not ((weights >= 0) & (weights <= 1)).all():  # NaN compares as false
        raise InputError(
            "sample_weight must lie in [0, 1]: no row may count for more than the one that noise is made for. Divide "
            "by a public bound on the weights, not by the largest of these."
        )
    if not weights.any():
        raise InputError("sample_weight must not be zero for all rows: nothing is left to learn from.")
    return np.trunc(weights / QUANTUM) * QUANTUM


def weighted_rows(
    estimator: PersonMixin, persons: ArrayLike | None, sample_weight: ArrayLike | None, X: NDArray[Any], y: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], FloatArray | None]:
    """Return the rows of ``X`` and ``y`` that ``estimator`` reads, and their checked weights if there are any."""
    weights = row_weights(sample_weight, len(X))
    if weights is None:
        table, labels = contributed_rows(estimator, persons, X, y)
        return table, labels, None
    table, labels, shares = contributed_rows(estimator, persons, X, y, weights)
    return table, labels, shares


def assumed_weights(weights: FloatArray | None) -> list[str]:
    """Return what a card assumes of weights, if there are any."""
    return [] if weights is None else [WEIGHTS_ASSUMED]
