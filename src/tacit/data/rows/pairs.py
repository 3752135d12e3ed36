"""Sets of pairs of people with a declared topology, its κ, and what of it is public."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import IntArray
from tacit.errors import InputError
from tacit.numerics.pair_graph import KappaBounds, kappa_bounds
from tacit.records import record

AT_RANDOM = "who is compared with whom was drawn at random, without looking at features or labels"
BY_LABEL = (
    "who is compared with whom was chosen by the labels: nobody else may learn it, and the number of similar pairs "
    "is given away"
)
Signs = IntArray


@record
class PairSet:
    """Pairs of people, by index."""

    indices: IntArray
    """[K, 2]"""
    topology: str
    """How they were chosen."""
    public: str
    """What is public about the choice."""

    @cached_property
    def bounds(self) -> KappaBounds:
        """Bounds on the number of pairs that reveal one relationship."""
        return kappa_bounds(self.indices)

    @property
    def kappa(self) -> int:
        """The tightest bound on κ for transitive relationships."""
        return self.bounds.second

    def __len__(self) -> int:
        return len(self.indices)


def matching(n_people: int, *, random_state: Any = None) -> PairSet:
    """Return ⌊n/2⌋ pairs in which nobody occurs twice: κ = 1, and one person is in one pair."""
    order = _order(n_people, random_state)
    return PairSet(order[: 2 * (n_people // 2)].reshape(-1, 2), "matching", AT_RANDOM)


def chain(n_people: int, *, random_state: Any = None) -> PairSet:
    """Return n - 1 pairs along a random line: κ = 1 with twice the pairs of a matching; one person is in two.

    Any two people are joined by one path and lie on no cycle: no graph of more pairs has κ = 1.
    """
    order = _order(n_people, random_state)
    return PairSet(np.stack([order[:-1], order[1:]], axis=1), "chain", AT_RANDOM)


def bounded_degree(n_people: int, degree: int, *, random_state: Any = None) -> PairSet:
    """Return the union of ``degree`` random matchings: nobody is in more than ``degree`` pairs, and κ <= degree."""
    checks.whole("degree", degree)
    randomness = check_random_state(random_state)
    drawn = [matching(n_people, random_state=randomness).indices for _ in range(degree)]
    return PairSet(_distinct(np.concatenate(drawn)), f"degree at most {degree}", AT_RANDOM)


def random_pairs(n_people: int, density: float, *, random_state: Any = None) -> PairSet:
    """Return about ``density`` n pairs drawn uniformly: [pairs] section 3.6.2 takes |E|/|V| = 2, and κ is large."""
    _people(n_people)
    wanted = round(checks.positive("density", density) * n_people)
    if not 1 <= wanted <= n_people * (n_people - 1) // 4:
        raise InputError(
            f"density must ask for at least 1 pair and at most half of all {n_people * (n_people - 1) // 2}; "
            f"got {density!r}, which asks for {wanted}."
        )
    randomness = check_random_state(random_state)
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < wanted:
        drawn = randomness.randint(n_people, size=(2 * wanted, 2))
        pairs = _distinct(np.concatenate([pairs, drawn[drawn[:, 0] != drawn[:, 1]]]))
    return PairSet(pairs[:wanted], f"random, {density:g} pairs a person", AT_RANDOM)


def balanced_pairs(y: ArrayLike, density: float, *, random_state: Any = None) -> PairSet:
    """Return about ``density`` n random pairs, half of them similar: the setting of [pairs] Table 3.1.

    The choice reads the labels, so it is no public fact; `random_pairs` and `chain` do not.
    """
    labels = np.asarray(y)
    pool = random_pairs(len(labels), min(4 * density, (len(labels) - 1) / 4), random_state=random_state).indices
    signs = pair_signs(labels, pool)
    n_similar = min(round(density * len(labels) / 2), int((signs > 0).sum()), int((signs < 0).sum()))
    if not n_similar:
        raise InputError("y must give similar and dissimilar pairs; got labels that are all equal or all different.")
    pairs = np.concatenate([pool[signs > 0][:n_similar], pool[signs < 0][:n_similar]])
    return PairSet(pairs, f"by label, {density:g} pairs a person", BY_LABEL)


def pair_signs(y: ArrayLike, indices: IntArray) -> Signs:
    """Return 1 for each pair of equal labels and -1 for each of different ones, as metric-learn has it."""
    labels = np.asarray(y)
    return np.where(labels[indices[:, 0]] == labels[indices[:, 1]], 1, -1)


def signs_from_paper(y: ArrayLike) -> Signs:
    """Return 1 and -1 for the labels 0 (similar) and 1 (dissimilar) of [pairs] section 3.2."""
    labels = np.asarray(y)
    if not np.isin(labels, (0, 1)).all():
        raise InputError("y must hold 0 (similar) and 1 (dissimilar) only; got others.")
    return (1 - 2 * labels.astype(np.int64)).astype(np.int64)


def _people(n_people: int) -> int:
    return checks.whole("n_people", n_people, least=2)


def _order(n_people: int, random_state: Any) -> IntArray:
    return np.asarray(check_random_state(random_state).permutation(_people(n_people)), dtype=np.int64)


def _distinct(indices: IntArray) -> IntArray:
    """Return each pair once, in the order in which they were drawn."""
    first = np.unique(np.sort(indices, axis=1), axis=0, return_index=True)[1]
    return indices[np.sort(first)]
