"""Labels hidden from a learner, for experiments with few labels."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import UNLABELLED, IntArray
from tacit.errors import InputError


def few_labels(y: ArrayLike, *, per_class: int, random_state: object = None) -> IntArray:
    """Return a copy of ``y`` in which ``per_class`` rows of each class, drawn at random, keep their label.

    The other rows become −1, unlabelled. The draw is public randomness: it decides which labels a learner gets in an
    experiment, and protects nothing.
    """
    codes = np.asarray(y)
    checks.whole("per_class", per_class)
    generator = check_random_state(random_state)
    labels = np.full(codes.shape, UNLABELLED, dtype=np.int64)
    for code in np.unique(codes[codes != UNLABELLED]):
        rows = np.flatnonzero(codes == code)
        if len(rows) < per_class:
            raise InputError(f"per_class must be at most the smallest class's {len(rows)} rows; got {per_class}.")
        labels[generator.choice(rows, size=per_class, replace=False)] = code
    return labels
