"""Two aligned strips, the toy example of [pairs] section 3.6.1: one direction tells the classes apart."""

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray

PEOPLE, TESTED = 200, 2_000
LENGTH, WIDTH, APART = 0.25, 0.005, 0.02


def strips(n_rows: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Return rows in [0, 1]² on two long strips, one above the other, and their classes."""
    randomness = check_random_state(seed)
    y = np.arange(n_rows) % 2
    along = randomness.normal(0.5, LENGTH, n_rows)
    across = randomness.normal(0.5, WIDTH, n_rows) + APART * (y - 0.5)
    return np.clip(np.column_stack([along, across]), 0.0, 1.0), y
