"""A diagonal metric from one release: how far similar and dissimilar pairs lie apart in each feature."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm

from tacit.arrays import BoolArray, FloatArray
from tacit.models.bounded_rows import row_quantum, whole_sum
from tacit.models.pair_metric.sums import PairSum
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import Mechanism
from tacit.records import record

# A count stands beside sums of differences of norm r with this share of r: counts are large beside their noise.
COUNT_SHARE = 1 / 8
# Numbers that differ by more than this part of their public range count as different, wherever in the range they lie:
# a few enormous differences would otherwise outweigh all others.
FAR = 0.15
# A feature counts once its gap exceeds this many standard deviations of what chance makes of it.
LEAST_GAP = 2.0
# What the identity adds to the squared weights, of mean 1, where no gap is by chance.
IDENTITY_SHARE = 0.02
# The identity stays if a gap as large as the largest one comes by chance with more than this probability.
MOST_BY_CHANCE = 0.5
# No feature is taken to vary less than this on average, in units of its public range: what hardly ever differs must
# not outweigh everything else.
LEAST_SPREAD = 0.02
# Nor less than this many standard deviations of its noise, lest noise in a rare feature outweigh others.
LEAST_NOISE_RATIO = 6.0

WHAT = "how different features are, summed over similar and over dissimilar pairs, and how many of each there are"


@record
class PairMoments:
    """Mean magnitudes of similar and dissimilar pairs [p], and how far chance moves the gap between them.

    ``noise`` [p] are standard deviations of what the mechanism added; ``weight`` is 1/n_similar + 1/n_dissimilar;
    ``indicators`` [p] says which features are 0 or 1.
    """

    similar: FloatArray
    dissimilar: FloatArray
    noise: FloatArray
    weight: float
    indicators: BoolArray


class DiagonalLearner(ABC):
    """A solver that weighs features by noisy means over pairs."""

    warning = ""

    @abstractmethod
    def moments(self, account: Account, differences: FloatArray, dissimilar: BoolArray) -> PairMoments:
        """Return noisy means over pairs; everything planned is drawn."""

    def learn(
        self, account: Account, differences: FloatArray, dissimilar: BoolArray, *, random_state: Any = None
    ) -> tuple[FloatArray, bool]:
        """Return the diagonal transformation [p, p] and whether it is the identity, because no gap exceeds chance."""
        del random_state  # nothing here is drawn but the noise
        weights, is_identity = diagonal_weights(self.moments(account, differences, dissimilar))
        return np.diag(weights), is_identity


@dataclass(frozen=True)
class Diagonal(DiagonalLearner):
    """The settings of one release of sums and counts over pairs of rows in the unit cube.

    Magnitudes of feature j are multiplied by the public ``scale``[j] before they are summed, and the sums divided by
    it after: a feature whose magnitudes are small needs a larger one to exceed the noise.
    """

    n_features: int
    kappa: int
    mechanism: str
    epsilon: float
    delta: float
    radius: float
    scale: tuple[float, ...]
    indicators: tuple[bool, ...]

    @property
    def query(self) -> PairSum:
        """Sums and counts of similar, then of dissimilar pairs: 2(p + 1) numbers, of which one pair fills one half."""
        if self.mechanism == "duchi":
            longest = max(self.radius, self.unit)
        elif self.mechanism == "gaussian":
            longest = math.hypot(self.radius, self.unit)
        else:
            longest = self.radius + self.unit
        return PairSum(self.mechanism, longest, 2 * (self.n_features + 1), self.kappa, nonnegative=True)

    @property
    def unit(self) -> float:
        """What one pair adds to a count: a power of two, so that sums of it are exact.

        In the local model the noise is the same however small a number is.
        """
        share = 1.0 if self.mechanism == "duchi" else COUNT_SHARE
        return 2.0 ** math.floor(math.log2(share * self.radius))

    @cached_property
    def noise(self) -> Mechanism:
        """The mechanism of the one draw."""
        return self.query.planned(self.epsilon, self.delta)

    def steps(self) -> list[Step]:
        """Return the one planned query."""
        return [self.query.step(self.noise, WHAT)]

    def moments(self, account: Account, differences: FloatArray, dissimilar: BoolArray) -> PairMoments:
        """Draw the query once and return the means that it gives: sums divided by noisy counts."""
        query, mechanism = self.query, self.noise
        sizes = magnitudes(differences, np.array(self.indicators)) * self.scale
        rows = query.shorten(np.column_stack([sizes, np.full(len(differences), self.unit)]))
        if self.mechanism == "duchi":
            halves = np.concatenate([rows * ~dissimilar[:, None], rows * dissimilar[:, None]], axis=1)
            noisy = query.radius * account.release(mechanism, halves / query.radius).sum(axis=0)
        else:
            # Whole numbers: the same sums in whatever order the pairs come.
            sums = [whole_sum(rows[group], query.radius) for group in (~dissimilar, dissimilar)]
            noisy = account.release(mechanism, IntegerSum(np.concatenate(sums), row_quantum(query.radius)))
        halves = noisy.reshape(2, -1)
        counts = np.maximum(halves[:, -1] / self.unit, 1.0)
        means = halves[:, :-1] / counts[:, None] / self.scale
        noise = query.noise(mechanism, len(differences)) * math.hypot(*(1 / counts)) / np.asarray(self.scale)
        return PairMoments(means[0], means[1], noise, float((1 / counts).sum()), np.array(self.indicators))


def reaches(indicators: BoolArray) -> FloatArray:
    """Return the difference [p], in units of a feature's public range, from which on values count as different."""
    return np.where(indicators, 1.0, FAR)


def magnitudes(differences: FloatArray, indicators: BoolArray) -> FloatArray:
    """Return how different each pair is in each feature [K, p]: |difference| / reach, at most 1."""
    return np.minimum(np.abs(differences) / reaches(indicators), 1.0)


def diagonal_weights(moments: PairMoments) -> tuple[FloatArray, bool]:
    """Return the weight of each feature [p] and whether chance may explain every gap, so that all weights are 1.

    With s_j and d_j the mean magnitudes, t_j = (s_j + d_j)/2 and l_j = t_j in units of the feature, the square of a
    weight is (d_j - s_j - 2 e_j)/(t_j l_j²) where that is positive: the gap beside the mean says what a feature is
    worth, l_j how far apart its values typically are. e_j² is the variance of the noise and of the sample, which for
    numbers in [0, 1] of mean t is at most t(1 - t). The likelier the largest gap is by chance, the more of the identity
    is added to the weights. Everything here reads noisy numbers only, so deciding costs nothing.
    """
    n_features, reach = len(moments.similar), reaches(moments.indicators)
    spread = np.maximum((moments.similar + moments.dissimilar) / 2, LEAST_NOISE_RATIO * moments.noise)
    variances = np.maximum(spread * (1 - spread), LEAST_SPREAD**2)
    spread = np.maximum(spread, LEAST_SPREAD / reach)
    chance = np.sqrt(moments.noise**2 + moments.weight * variances)
    gaps = moments.dissimilar - moments.similar
    by_chance = n_features * float(norm.sf((gaps / chance).max()))
    squares = np.maximum(gaps - LEAST_GAP * chance, 0.0) / spread / (reach * spread) ** 2
    if by_chance > MOST_BY_CHANCE or not squares.any():
        return np.ones(n_features), True
    return np.sqrt(squares / squares.mean() + IDENTITY_SHARE + by_chance), False
