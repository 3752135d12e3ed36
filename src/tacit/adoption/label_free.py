"""Evidence without labels: whether two parts of a release with independent noise agree on the receiver's rows."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import FloatArray

# Agreement beyond chance (Cohen's kappa) below this, or within two standard errors of 0, is chance.
LEAST_KAPPA = 0.05
ERRORS = 2.0


@dataclass(frozen=True)
class Agreement:
    """How often two halves of a release name the same class.

    Attributes
    ----------
    agreement : float
        Share of rows of which both name the same class.
    chance : float
        The share if the two were independent, each naming classes as often as it does.
    n_rows : int
    """

    agreement: float
    chance: float
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


def agreement(first: FloatArray, second: FloatArray) -> Agreement:
    """Return how far class scores [N, C] of the same rows agree.

    Scores are centred by class first: halves that name the commonest class for every row would agree on nothing else.
    """
    codes = [np.argmax(each - each.mean(axis=0), axis=1) for each in (first, second)] if len(first) else [[], []]
    n_classes = first.shape[1]
    shares = [np.bincount(each, minlength=n_classes) / max(len(first), 1) for each in codes]
    equal = float(np.mean(np.equal(*codes))) if len(first) else 0.0
    return Agreement(equal, float(shares[0] @ shares[1]), len(first))
