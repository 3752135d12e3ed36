"""The aggregator's side: from each party's distances to one decision."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arrays import FloatArray
from tacit.errors import InputError

Labels = NDArray[Any]


def checked_answer(distances: ArrayLike, classes: ArrayLike, *, n_rows: int, all_classes: ArrayLike) -> FloatArray:
    """Return a party's answer with a column for each of ``all_classes`` [n, C]; classes it does not hold are infinite.

    A party with no rows of a class is infinitely far from it: [hull] Remark 5. An answer of another shape, with
    NaN, with infinite or negative distances, or for classes that nobody asked for is refused.
    """
    held, wanted = np.asarray(classes), np.asarray(all_classes)
    if held.ndim != 1 or not len(held) or len(np.unique(held)) < len(held) or not np.isin(held, wanted).all():
        raise InputError(f"classes must be some of the {len(wanted)} agreed classes, each once; got others.")
    try:
        given = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("distances must be numbers; got something else.") from None
    if given.shape != (n_rows, len(held)):
        raise InputError(f"distances must have shape {(n_rows, len(held))}: rows, own classes; got {given.shape}.")
    if not np.isfinite(given).all() or (given < 0).any():
        raise InputError("distances must be finite and at least 0; got NaN, infinite or negative ones.")
    full = np.full((n_rows, len(wanted)), np.inf)
    position = {label: column for column, label in enumerate(wanted.tolist())}
    full[:, [position[label] for label in held.tolist()]] = given
    return full


def nearest(answers: Sequence[FloatArray]) -> FloatArray:
    """Return the least distance over parties, min_q d_qc [n, C]: [hull] eq. 104."""
    least: FloatArray = _stacked(answers).min(axis=0)
    return least


def nearest_party(answers: Sequence[FloatArray]) -> NDArray[np.intp]:
    """Return which party's hull of each class is nearest, argmin_q d_qc [n, C]: [hull] eq. 102."""
    parties: NDArray[np.intp] = _stacked(answers).argmin(axis=0)
    return parties


def decide(answers: Sequence[FloatArray], classes: ArrayLike) -> Labels:
    """Return the class whose hull is least far at any party, argmin_c min_q d_qc [n]: [hull] eq. 104."""
    labels: Labels = np.asarray(classes)[nearest(answers).argmin(axis=1)]
    return labels


def _stacked(answers: Sequence[FloatArray]) -> FloatArray:
    if not answers:
        raise InputError("answers must come from at least one party; got none.")
    return np.stack(answers)
