"""The aggregator's decision from the distances of all parties."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arrays import FloatArray
from tacit.errors import InputError

ClassLabels = NDArray[Any]


def checked_answer(distances: ArrayLike, classes: ArrayLike, *, n_rows: int, all_classes: ArrayLike) -> FloatArray:
    """Return a party's answer with a column for each of ``all_classes`` [n, C]; classes it does not hold are infinite.

    A party with no rows of a class is infinitely far from it: [hull] Remark 5. Raise InputError for an answer of
    another shape, with NaN, with infinite or negative distances, or for classes outside ``all_classes``.
    """
    own, agreed = np.asarray(classes), np.asarray(all_classes)
    if own.ndim != 1 or not len(own) or len(np.unique(own)) < len(own) or not np.isin(own, agreed).all():
        raise InputError(f"classes must be some of the {len(agreed)} agreed classes, each once; got others.")
    try:
        own_distances = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("distances must be numbers; got something else.") from None
    shape = (n_rows, len(own))
    if own_distances.shape != shape:
        raise InputError(f"distances must have shape {shape}: rows, own classes; got {own_distances.shape}.")
    if not np.isfinite(own_distances).all() or (own_distances < 0).any():
        raise InputError("distances must be finite and at least 0; got NaN, infinite or negative ones.")
    answer = np.full((n_rows, len(agreed)), np.inf)
    position = {label: column for column, label in enumerate(agreed.tolist())}
    answer[:, [position[label] for label in own.tolist()]] = own_distances
    return answer


def nearest(answers: Sequence[FloatArray]) -> FloatArray:
    """Return the least distance over parties, min_q d_qc [n, C], that of the nearest party: [hull] eq. 102, 104."""
    least: FloatArray = _stacked(answers).min(axis=0)
    return least


def decide(answers: Sequence[FloatArray], classes: ArrayLike) -> ClassLabels:
    """Return the class whose hull is least far at any party, argmin_c min_q d_qc [n]: [hull] eq. 104."""
    labels: ClassLabels = np.asarray(classes)[nearest(answers).argmin(axis=1)]
    return labels


def _stacked(answers: Sequence[FloatArray]) -> FloatArray:
    if not answers:
        raise InputError("answers must come from at least one party; got none.")
    return np.stack(answers)
