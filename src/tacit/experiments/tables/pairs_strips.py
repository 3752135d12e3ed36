"""Two aligned strips: the toy example of [pairs] section 3.6.1, where one direction tells the classes apart."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.experiments.pair_runs import EPSILONS, BalancedSplit, above_the_facts, table
from tacit.experiments.results import ResultRow
from tacit.experiments.strips import PEOPLE, TESTED, strips

SEEDS = PRINTED_SEEDS = 10
# What the owner knows of the strips: differences across are an eighth of what counts as different.
FACTS: dict[str, Any] = {"scales": np.array([0.2, 8.0]), "radius": 1.0, "length": 1.0}
QUICK: dict[str, Any] = {"SEEDS": 1, "PRINTED_SEEDS": 1, "EPSILONS": (1.0,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on new points; 199 pairs along a chain, so that noise matters.

    The last row counts private rows that are better than the owner's facts by themselves.
    """
    measured = []
    for row in table(_split, seeds=SEEDS, printed_seeds=PRINTED_SEEDS, epsilons=EPSILONS):
        measured.append(row)
        yield row
    yield above_the_facts(measured)


def _split(seed: int) -> BalancedSplit:
    return BalancedSplit(*strips(PEOPLE, seed), *strips(TESTED, 1_000 + seed), **FACTS)
