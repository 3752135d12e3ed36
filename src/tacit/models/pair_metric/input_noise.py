"""Input perturbation of pairs, the baseline that trusts nobody: each pair is randomised before it is collected."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import BoolArray, FloatArray
from tacit.models.pair_metric.diagonal import DiagonalLearner, PairMoments, magnitudes
from tacit.models.pair_metric.sums import PairSum
from tacit.privacy.account import Account, Step
from tacit.privacy.batched_steps import BatchedStep
from tacit.privacy.mechanisms import Laplace, RandomizedResponse

NOISY_PAIRS = "each pair's features and label, noisy before anyone collects them"


@dataclass(frozen=True)
class InputNoise(DiagonalLearner):
    """Input perturbation: Laplace noise on each pair's features and a randomised label, half of epsilon for each.

    Inequality: a pair's difference, shortened to 1-norm r, moves by at most 2r when the pair is replaced, and κ pairs
    are replaced together: 2κr in all. A label may cost epsilon/2κ.
    """

    n_features: int
    kappa: int
    epsilon: float
    radius: float
    indicators: tuple[bool, ...]

    @property
    def features(self) -> Laplace:
        """The noise of the differences."""
        sensitivity, moved = 2 * self.kappa * self.radius, self.kappa * self.n_features
        return Laplace.for_epsilon(self.epsilon / 2, sensitivity=sensitivity, coordinates=moved)

    @property
    def labels(self) -> RandomizedResponse:
        """The coin of the labels, Warner's."""
        return RandomizedResponse(self.epsilon / (2 * self.kappa), 2)

    def steps(self) -> list[Step]:
        """Return the two planned queries."""
        apart = f"each pair is randomised on its own, and one relationship shows in {self.kappa} of them"
        short = f"{apart}: replacing them moves differences of 1-norm at most {self.radius:.6g} by at most twice that"
        return [
            Step(self.features, f"{NOISY_PAIRS}: features", short),
            BatchedStep(self.labels, f"{NOISY_PAIRS}: labels", apart, charged=self.kappa),
        ]

    def moments(self, account: Account, differences: FloatArray, dissimilar: BoolArray) -> PairMoments:
        """Return the means of the noisy pairs, taken as if they were true, as the published baseline does."""
        query = PairSum("laplace", self.radius, self.n_features, self.kappa)
        noisy = np.clip(account.release(self.features, query.shorten(differences)), -1.0, 1.0)
        lies = account.release(self.labels, dissimilar.astype(np.float64)) > 0
        counts = max(int((~lies).sum()), 1), max(int(lies.sum()), 1)
        indicators = np.array(self.indicators)
        sizes = magnitudes(noisy, indicators)
        means = sizes[~lies].sum(axis=0) / counts[0], sizes[lies].sum(axis=0) / counts[1]
        return PairMoments(*means, np.zeros(self.n_features), 1 / counts[0] + 1 / counts[1], indicators)
