"""Class shares of the receiver's rows: stated, of the release, or estimated, and scores moved to them."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import softmax

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.class_offsets import offsets_for_shares

MOST_ROUNDS = 500
TOLERANCE = 1e-8
LEAST_SHARE = 1e-4


def stated_shares(stated: Mapping[str, float], classes: Sequence[str]) -> FloatArray:
    """Return the shares [C] that a user states for all classes by name; they are divided by their sum."""
    unknown = [name for name in stated if name not in classes]
    if unknown or len(stated) != len(classes):
        raise InputError(f"shares must name each of the classes {', '.join(classes)} once; got {', '.join(stated)}.")
    values = np.array([stated[name] for name in classes], dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
        raise InputError("shares must be finite numbers of at least 0, and not all 0; got others.")
    return normalised(values)


def normalised(shares: FloatArray) -> FloatArray:
    """Return shares of sum 1, each at least LEAST_SHARE: noise can make a released count negative."""
    floored = np.maximum(shares / max(float(np.maximum(shares, 0).sum()), 1e-300), LEAST_SHARE)
    return np.asarray(floored / floored.sum())


def moved_scores(scores: FloatArray, shares: FloatArray, *, released: FloatArray | None = None) -> FloatArray:
    """Return the correction [C] of class log-odds ``scores`` [N, C] for other class shares.

    If only the shares differ, log-odds move by log(shares/released). If the owner's shares are not known, the
    correction makes the mean probability of each class over the rows equal its share.
    """
    if released is not None:
        return np.log(normalised(shares)) - np.log(normalised(released))
    return offsets_for_shares(scores, normalised(shares))


def estimated_shares(scores: FloatArray, released: FloatArray) -> FloatArray:
    """Return the shares [C] under which the rows' ``scores`` [N, C] are likeliest, by expectation maximisation [em].

    Right if only the shares differ from the owner's. Where rows differ otherwise too, the estimate can be far off:
    an option, never a default.
    """
    old = normalised(released)
    probabilities, shares = softmax(scores, axis=1), old
    for _ in range(MOST_ROUNDS):
        weighted = probabilities * (shares / old)
        new = (weighted / weighted.sum(axis=1, keepdims=True)).mean(axis=0)
        moved = float(np.abs(new - shares).max())
        shares = new
        if moved < TOLERANCE:
            break
    return normalised(shares)
