"""Intervals for what an attack reaches: shares, areas under a curve, and shares above an unknown threshold."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, binom, norm

from tacit import checks
from tacit.adoption.evidence.figures import CONFIDENCE
from tacit.arrays import FloatArray
from tacit.errors import InputError

Interval = tuple[float, float]

# An area of 1 is looked at from here, where its variance is not yet 0.
NEAR = 1e-12


def clopper_pearson(count: int, total: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Return the shares that ``count`` of ``total`` do not contradict: coverage is never less [clopper-pearson].

    Each end is where the binomial tail beyond ``count`` has probability (1 - confidence)/2; of no rows it is [0, 1].
    """
    if not 0 <= count <= total:
        raise InputError(f"count must be between 0 and total, {total}; got {count}.")
    tail = (1 - checks.fraction("confidence", confidence)) / 2
    low = float(beta.ppf(tail, count, total - count + 1)) if count else 0.0
    high = float(beta.ppf(1 - tail, count + 1, total - count)) if count < total else 1.0
    return low, high


def area_interval(
    members: FloatArray, non_members: FloatArray, area: float, *, confidence: float = CONFIDENCE
) -> Interval:
    """Return the areas under the ROC curve that the scores do not contradict.

    The wider at each end of two intervals: area ± z sqrt(V), V the variance of the placements of each sample among
    the other [delong], which follows any law but is 0 where the samples do not overlap; and the values t with
    (area - t)² <= z² V(t), V(t) that of two exponential laws [newcombe], which is never empty.
    """
    z = float(norm.ppf((1 + checks.fraction("confidence", confidence)) / 2))
    n, m = len(members), len(non_members)
    half = z * math.sqrt(_placement_variance(members, non_members))

    def excess(t: float) -> float:
        return abs(area - t) - z * math.sqrt(_exponential_variance(t, n, m))

    # The excess is negative at the area itself and |area - t| at 0 and 1, where the variance vanishes.
    low = float(brentq(excess, 0.0, min(area, 1 - NEAR))) if area > 0 else 0.0
    high = float(brentq(excess, max(area, NEAR), 1.0)) if area < 1 else 1.0
    return max(min(low, area - half), 0.0), min(max(high, area + half), 1.0)


def share_above_quantile(
    members: FloatArray, non_members: FloatArray, false_rate: float, *, confidence: float = CONFIDENCE
) -> Interval:
    """Return the shares of members above the non-members' (1 - false_rate)-quantile that nothing contradicts.

    The threshold is uncertain too: the quantile lies between two order statistics of the non-members with half of the
    error allowed, by the binomial law of how many exceed it, and the share above either has its Clopper-Pearson limit
    with the other half. By the union bound the interval holds with ``confidence`` whatever the laws.
    """
    tail = (1 - checks.fraction("confidence", confidence)) / 4
    m = len(non_members)
    falling = np.concatenate([[math.inf], np.sort(non_members)[::-1], [-math.inf]])
    # How many of m exceed the quantile lies between these two but with probability ``tail`` on either side.
    fewest, most = int(binom.ppf(tail, m, false_rate)), int(binom.ppf(1 - tail, m, false_rate))
    # At least `fewest` exceed the quantile, so it lies below the fewest-th largest; at most `most`, so it is no less
    # than the one after the most-th.
    surely, possibly = int((members > falling[fewest]).sum()), int((members > falling[most + 1]).sum())
    level = 1 - 2 * tail
    low = clopper_pearson(surely, len(members), confidence=level)[0]
    return low, clopper_pearson(possibly, len(members), confidence=level)[1]


def _placement_variance(members: FloatArray, non_members: FloatArray) -> float:
    """Return Var(F(x))/n + Var(G(y))/m, F and G the shares of the other sample below, ties half. 0 for one value."""
    parts = [(members, non_members), (non_members, members)]
    return sum(float(_placements(own, other).var(ddof=1)) / len(own) for own, other in parts if len(own) > 1)


def _placements(values: FloatArray, others: FloatArray) -> FloatArray:
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    placements: FloatArray = (below + upto) / (2 * len(others))
    return placements


def _exponential_variance(t: float, n: int, m: int) -> float:
    middle = (n + m) / 2 - 1
    return t * (1 - t) * (1 + middle * ((1 - t) / (2 - t) + t / (1 + t))) / (n * m)
