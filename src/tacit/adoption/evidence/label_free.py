"""Evidence without labels: whether two parts of a release with independent noise agree on the receiver's rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import FloatArray

# Agreement beyond chance (Cohen's kappa) below this, or within two standard errors of 0, is chance.
LEAST_KAPPA = 0.05
ERRORS = 2.0


@dataclass(frozen=True)
class Agreement:
    """How often two halves of a release name the same class."""

    agreement: float
    """Share of rows of which both name the same class."""
    chance: float
    """The share if the two were independent, each naming classes as often as it does."""
    n_rows: int

    @property
    def kappa(self) -> float:
        """Agreement beyond chance, 1 for perfect agreement and 0 at chance [kappa]."""
        return (self.agreement - self.chance) / (1 - self.chance) if self.chance < 1 else 0.0

    @property
    def at_chance(self) -> bool:
        """Whether the halves agree no more than unrelated ones would."""
        if self.chance >= 1 or self.n_rows == 0:
            return True
        error = np.sqrt(self.chance / (self.n_rows * (1 - self.chance)))
        return self.kappa < max(LEAST_KAPPA, ERRORS * float(error))

    def to_dict(self) -> dict[str, float]:
        """Return JSON-ready data."""
        return {"share": self.agreement, "chance": self.chance, "kappa": self.kappa, "rows": self.n_rows}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Agreement":
        """Return the agreement that ``to_dict`` wrote."""
        return cls(float(content["share"]), float(content["chance"]), int(content["rows"]))


def agreement(first: FloatArray, second: FloatArray) -> Agreement:
    """Return how far class scores [N, C] of the same rows agree.

    Scores are centred by class first: halves that name the commonest class for every row would agree on nothing else.
    """
    codes = [np.argmax(each - each.mean(axis=0), axis=1) for each in (first, second)] if len(first) else [[], []]
    n_classes = first.shape[1]
    shares = [np.bincount(each, minlength=n_classes) / max(len(first), 1) for each in codes]
    equal = float(np.mean(np.equal(*codes))) if len(first) else 0.0
    return Agreement(equal, float(shares[0] @ shares[1]), len(first))


def permutation_z(first: FloatArray, second: FloatArray) -> float:
    """Return how far the agreement of class scores [N, C] lies above that with the second's classes permuted.

    In standard deviations over all permutations p of sum_c K[c, p(c)], K[c, d] the share of rows that the first takes
    for c and the second for d: mean 1/C, variance sum (K - row means - column means + mean)²/(C - 1) [hoeffding]. Rows
    that resemble each other are taken for one class together, so that noise agrees by more than rows drawn one by one
    would; it does so under every permutation. At most C - 1.
    """
    n_classes = first.shape[1]
    if not len(first):
        return 0.0
    codes = [np.argmax(each - each.mean(axis=0), axis=1) for each in (first, second)]
    counts = np.bincount(codes[0] * n_classes + codes[1], minlength=n_classes**2)
    K = counts.reshape(n_classes, n_classes) / len(first)
    spread = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
    deviation = float(np.sqrt((spread**2).sum() / max(n_classes - 1, 1)))
    return (float(np.trace(K)) - float(K.sum()) / n_classes) / deviation if deviation > 0 else 0.0
