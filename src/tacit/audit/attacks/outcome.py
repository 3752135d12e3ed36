"""The ROC curve of an attack, and its figures with intervals."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.adoption.evidence.figures import CONFIDENCE
from tacit.arrays import FloatArray
from tacit.audit import game
from tacit.audit.attacks.intervals import Interval, area_interval, share_above_quantile
from tacit.errors import InputError
from tacit.records import record

# False-positive rates at which an attack is judged: few false alarms are what makes it useful [lira].
FALSE_RATES = (0.01, 0.001)
# Rows that a figure with an interval needs, on each side.
LEAST_ROWS = 2


@dataclass(frozen=True)
class TrueRate:
    """The share of members that an attack finds at a false-positive rate, and its interval.

    ``value`` is None where there are fewer than ``needed`` non-members, which is too few to show such a rate.
    """

    false_rate: float
    value: float | None
    interval: Interval
    needed: int


@record
class AttackOutcome:
    """One attack's scores of members and of non-members, the higher the surer; made by `outcome`."""

    name: str
    members: FloatArray
    non_members: FloatArray

    @cached_property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """False- and true-positive rates of "member if the score is above t" for falling t, from (0, 0) to (1, 1).

        Equal scores are one step, as no threshold tells them apart.
        """
        thresholds = np.unique(np.concatenate([self.members, self.non_members]))[::-1]
        rates = [(len(s) - np.searchsorted(np.sort(s), thresholds, side="left")) / len(s) for s in self._samples]
        false, true = (np.concatenate([[0.0], rate]) for rate in rates)
        return false, true

    @cached_property
    def area(self) -> float:
        """The area under the curve: how likely a member scores above a non-member, equal scores counting half."""
        false, true = self.curve
        return float(np.trapezoid(true, false))

    @property
    def area_interval(self) -> Interval:
        """The 95 % interval of the area."""
        return area_interval(self.members, self.non_members, self.area, confidence=CONFIDENCE)

    @property
    def tells_apart(self) -> bool:
        """Whether the area is above 1/2 with 99.9 % confidence: one of several attacks is above it easily with 95 %."""
        return area_interval(self.members, self.non_members, self.area, confidence=game.CONFIDENCE)[0] > 0.5

    def true_rate(self, false_rate: float) -> TrueRate:
        """Return the largest true-positive rate with at most this share of false positives, and its interval.

        Fewer than 1/false_rate non-members cannot show such a rate: one false positive is too much already.
        """
        checks.fraction("false_rate", false_rate)
        needed = math.ceil(1 / false_rate - 1e-9)
        if len(self.non_members) < needed:
            return TrueRate(false_rate, None, (0.0, 1.0), needed)
        false, true = self.curve
        value = float(true[false <= false_rate + 1e-12].max())
        return TrueRate(false_rate, value, share_above_quantile(self.members, self.non_members, false_rate), needed)

    def epsilon_shown(self, delta: float) -> float | None:
        """Return an epsilon that the scores show at ``delta`` with 99.9 % confidence; None of fewer than 8 rows a side.

        Every (epsilon, delta)-private release keeps TPR <= e^epsilon FPR + delta on average over its noise. Rows of
        one release share its noise, so that the confidence is about the choice of rows.
        """
        if min(map(len, self._samples)) < 8:
            return None
        if delta not in self._epsilons:
            self._epsilons[delta] = game.epsilon_lower_bound(self.members, self.non_members, delta=delta)
        return self._epsilons[delta]

    @cached_property
    def _epsilons(self) -> dict[float, float]:
        """The lower bounds computed so far, by delta."""
        return {}

    @property
    def _samples(self) -> tuple[FloatArray, FloatArray]:
        return self.non_members, self.members


def outcome(name: str, members: ArrayLike, non_members: ArrayLike) -> AttackOutcome:
    """Return the outcome of an attack that gave these scores to members and to non-members.

    The scores may come from any model: its confidence in the row's own label, minus a loss, minus a distance.
    """
    scores = checks.finite_array("members", members), checks.finite_array("non_members", non_members)
    if any(sample.ndim != 1 or len(sample) < LEAST_ROWS for sample in scores):
        shapes = [sample.shape for sample in scores]
        raise InputError(f"members and non_members must be lists of at least {LEAST_ROWS} scores; got shapes {shapes}.")
    return AttackOutcome(name, *scores)


def largest_true_rate(false_rate: FloatArray, epsilon: float, delta: float) -> FloatArray:
    """Return the largest true-positive rate that (epsilon, delta) allows at each false-positive rate.

    min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)), between 0 and 1 [composition].
    """
    rising = math.exp(min(epsilon, 700.0)) * false_rate + delta
    falling = 1 - math.exp(-epsilon) * (1 - delta - false_rate)
    return np.clip(np.minimum(rising, falling), 0.0, 1.0)
