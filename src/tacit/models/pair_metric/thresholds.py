"""The distance at which pairs stop being similar."""

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.errors import InputError


def best_threshold(distances: FloatArray, dissimilar: BoolArray) -> float:
    """Return the threshold that tells most pairs right, midway between two distances; the smallest of equals.

    Of the sorted distances the first k count as similar: right are the similar among them and the dissimilar after.
    """
    if not len(distances):
        raise InputError("pairs must hold at least one pair to set a threshold by; got none.")
    order = np.argsort(distances, kind="stable")
    sorted_distances, far = distances[order], dissimilar[order]
    right = np.concatenate([[far.sum()], far.sum() + np.cumsum(np.where(far, -1, 1))])
    # A threshold cannot part equal distances.
    allowed = np.concatenate([[True], np.diff(sorted_distances) > 0, [True]])
    best = int(np.argmax(np.where(allowed, right, -1)))
    if best == 0:
        return float(np.nextafter(sorted_distances[0], -np.inf))
    above = sorted_distances[best] if best < len(distances) else sorted_distances[-1]
    return float((sorted_distances[best - 1] + above) / 2)
