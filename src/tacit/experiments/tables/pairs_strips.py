"""Two aligned strips: the toy example of [pairs] section 3.6.1, where one direction tells the classes apart."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.experiments.pair_runs import EPSILONS, BalancedSplit, table
from tacit.experiments.results import ResultRow

SEEDS = PRINTED_SEEDS = 10
PEOPLE, TESTED = 200, 2_000
LENGTH, WIDTH, APART = 0.25, 0.005, 0.02
# What the owner knows of the strips: differences across are an eighth of what counts as different.
FACTS: dict[str, Any] = {"scales": np.array([0.2, 8.0]), "radius": 1.0, "length": 1.0}
QUICK: dict[str, Any] = {"SEEDS": 1, "PRINTED_SEEDS": 1, "EPSILONS": (1.0,)}


def strips(n_rows: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Return rows in [0, 1]² on two long strips, one above the other, and their classes."""
    randomness = check_random_state(seed)
    y = np.arange(n_rows) % 2
    along = randomness.normal(0.5, LENGTH, n_rows)
    across = randomness.normal(0.5, WIDTH, n_rows) + APART * (y - 0.5)
    return np.clip(np.column_stack([along, across]), 0.0, 1.0), y


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on new points; 199 pairs along a chain, so that noise matters."""
    yield from table(_split, seeds=SEEDS, printed_seeds=PRINTED_SEEDS, epsilons=EPSILONS)


def _split(seed: int) -> BalancedSplit:
    return BalancedSplit(*strips(PEOPLE, seed), *strips(TESTED, 1_000 + seed), **FACTS)
