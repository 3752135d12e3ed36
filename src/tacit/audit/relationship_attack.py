"""The attacker of [pairs] section 3.1: knows all but one relationship, and matches conjectures with the metric."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.rows.pairs import Signs
from tacit.errors import InputError

# Learns a metric [p, p] from pairs [K, 2, p] and their labels 1 and -1.
MetricLearner = Callable[[FloatArray, Signs], FloatArray]


@dataclass(frozen=True)
class RelationshipGuesses:
    """How many of ``tried`` relationships the attacker named right; half of them is guessing."""

    right: int
    tried: int

    @property
    def share(self) -> float:
        """The share of right guesses."""
        return self.right / self.tried


def guess_relationship(
    metric: FloatArray, pairs: FloatArray, signs: Signs, target: int, conjecture: MetricLearner
) -> int:
    """Return 1 or -1, the label of pair ``target`` whose conjectured metric lies nearer to ``metric``.

    ``signs[target]`` is not read: both values of it are tried.
    """
    distances = []
    for label in (1, -1):
        conjectured = signs.copy()
        conjectured[target] = label
        distances.append(float(np.linalg.norm(conjecture(pairs, conjectured) - metric)))
    return 1 if distances[0] <= distances[1] else -1


def attack(
    released: MetricLearner,
    conjecture: MetricLearner,
    pairs: FloatArray,
    signs: Signs,
    *,
    tries: int,
    random_state: int = 0,
) -> RelationshipGuesses:
    """Return how often the attacker is right about random pairs, the label of each drawn by a fair coin first.

    ``released`` is what the owner hands out, ``conjecture`` the best copy of it that the attacker can run: the same
    without noise.
    """
    if len(pairs) != len(signs):
        raise InputError(f"signs must have one label for each of {len(pairs)} pairs; got {len(signs)}.")
    coins = check_random_state(random_state)
    right = 0
    for _ in range(checks.whole("tries", tries)):
        target, truth = int(coins.randint(len(pairs))), int(coins.choice([-1, 1]))
        secret = signs.copy()
        secret[target] = truth
        right += guess_relationship(released(pairs, secret), pairs, secret, target, conjecture) == truth
    return RelationshipGuesses(right, tries)


def best_share(epsilon: float) -> float:
    """Return e^ε/(1 + e^ε): no attacker on an ε-private release names a fair coin right more often."""
    return float(1 / (1 + np.exp(-epsilon)))
