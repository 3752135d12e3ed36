"""The membership-inference score: how far the densities of members' and non-members' values lie apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.evidence.figures import CONFIDENCE
from tacit.arrays import FloatArray
from tacit.audit.attacks.intervals import Interval
from tacit.numerics.density_difference import DensityDifference, fit_density_difference, split_distances

RESAMPLES = 200
MOST_VALUES = 10_000


@dataclass(frozen=True)
class MembershipScore:
    """The integral of (p - q)², p and q the densities of members' and of non-members' values. [hull] eq. 69.

    It has units of 1/value: values ten times as large have a score a tenth as large, so that only scores of the same
    quantity on the same scale compare. Below about 0.01 (of values that spread by 1) it is noise.
    """

    value: float
    """The estimate."""
    interval: Interval
    """By resampling rows, with the floor added at both ends: resampling alone does not see how much the
    choice of the smoothing varies, which is most of the error of a small score."""
    floor: float
    """What 19 of 20 scores stay below if members and non-members do not differ at all."""
    spread: float
    """Standard deviation of all values: ``value * spread`` has no unit."""

    @property
    def above_noise(self) -> bool:
        """Whether the score is more than equal densities would give."""
        return self.value > self.floor


def membership_score(members: FloatArray, non_members: FloatArray, *, random_state: int = 0) -> MembershipScore:
    """Return the score of one value for each row, such as the distance to what was released; its sign does not matter.

    Of more than 10 000 values on a side that many are drawn at random.
    """
    random = check_random_state(random_state)
    first, second = (random.permutation(values)[:MOST_VALUES] for values in (members, non_members))
    fitted = fit_density_difference(first, second)
    low, high = _resampled(fitted, fitted.kernels(first), fitted.kernels(second), random)
    floor = _floor(first, second, random)
    spread = float(np.concatenate([members, non_members]).std())
    return MembershipScore(fitted.squared_distance, (max(low - floor, 0.0), high + floor), floor, spread)


def _resampled(fitted: DensityDifference, P: FloatArray, Q: FloatArray, random: Any) -> Interval:
    """Return 2 value - the resampled quantiles: resampling adds as much noise again, which the reflection takes off."""
    shares = [random.multinomial(len(K), np.full(len(K), 1 / len(K)), RESAMPLES) / len(K) @ K for K in (P, Q)]
    resampled = fitted.squared_distances(shares[0] - shares[1])
    low, high = 2 * fitted.squared_distance - np.quantile(resampled, [(1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2])
    return float(low), float(high)


def _floor(first: FloatArray, second: FloatArray, random: Any) -> float:
    """Return the 95 % quantile of scores after members and non-members were shuffled among each other."""
    split = np.arange(len(first) + len(second)) < len(first)
    shuffled = np.stack([random.permutation(split) for _ in range(RESAMPLES)])
    return float(np.quantile(split_distances(np.concatenate([first, second]), shuffled), CONFIDENCE))
