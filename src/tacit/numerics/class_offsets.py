"""Offsets of class scores that give classes the shares they are known to have."""

import numpy as np
from scipy.special import softmax

from tacit.arrays import FloatArray

MOST_ROUNDS = 500
TOLERANCE = 1e-8


def offsets_for_shares(scores: FloatArray, shares: FloatArray) -> FloatArray:
    """Return offsets b [C] of sum 0 with mean over rows of softmax(scores + b) = ``shares``, all above 0 and of sum 1.

    By repeated scaling [raking]: b moves by log(share) - log(mean) until the means agree.
    """
    offsets = np.zeros(len(shares))
    for _ in range(MOST_ROUNDS):
        mean = softmax(scores + offsets, axis=1).mean(axis=0)
        step = np.log(shares) - np.log(np.maximum(mean, 1e-12))
        offsets += step
        if np.abs(step).max() < TOLERANCE:
            break
    return np.asarray(offsets - offsets.mean())
