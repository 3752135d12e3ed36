"""What might be true of releases and rows, with prior probabilities: the models over which the engine averages.

log-odds = intercept + sum over used releases of weight × score + own part. A hypothesis says which releases are used,
which of them run against the labels, how far the intercept may lie from what they say, and what the own part is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from tacit.adoption.kernel_features import KERNELS, LINEAR
from tacit.arrays import FloatArray

# The prior of a release's weight is N(1, WEIGHT_SD²) if it is used alone.
WEIGHT_SD = 0.3
# Prior standard deviations of the intercept beside used releases, with probabilities, and without any release.
INTERCEPTS, OWN_INTERCEPT = ((0.2, 0.6), (1.0, 0.4)), 1.5
# With labels of one class only, the intercept stays near what the releases say.
ONE_CLASS_INTERCEPT = 0.2
# Where only the class shares of a release hold: without this hypothesis a release of shuffled labels, which knows the
# shares, would be believed in the rest too.
SHARES_PROBABILITY = 0.3
# Part of a release's trust that its scores run against the receiver's labels: swapped class names, mostly.
REVERSED, REVERSED_INTERCEPT = 0.15, 0.5
# Standard deviations of the own part, and the probability that there is none beside used releases and without any.
AMPLITUDES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NONE_BESIDE, NONE_ALONE = 0.3, 0.05
# Up to so many releases: all subsets with any one of them reversed; all subsets, and single ones reversed. Beyond:
# single ones, all, all but one, and those that grow from the best.
MOST_WITH_REVERSALS, MOST_FOR_ALL_SUBSETS = 3, 5


@dataclass(frozen=True)
class Usage:
    """How releases are used.

    Attributes
    ----------
    signs : tuple of int
        Of each release: 1 used, -1 used reversed, 0 not used.
    shares_of : int or None
        The release whose class shares hold, though not its scores.
    log_prior : float
    """

    signs: tuple[int, ...]
    shares_of: int | None = None
    log_prior: float = 0.0

    @property
    def alone(self) -> bool:
        """Whether nothing of any release is used."""
        return self.shares_of is None and not any(self.signs)

    def involves(self, place: int | None) -> bool:
        """Whether the release at ``place`` plays a part; None: no."""
        return place is not None and (place == self.shares_of or self.signs[place] != 0)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Places of the releases whose scores are used."""
        return tuple(place for place, sign in enumerate(self.signs) if sign)


@dataclass(frozen=True)
class Hypothesis:
    """One model: usage of releases, prior spread of the intercept, and the own part.

    Attributes
    ----------
    kernel : str or None
        Of the own part; None: there is none but perhaps trees.
    amplitude : float
        Prior standard deviation of the own part.
    trees : bool
        Whether the log-odds of boosted trees on the own labels enter.
    log_prior : float
        Of the hypothesis given the usage.
    """

    usage: Usage
    intercept_sd: float
    kernel: str | None
    amplitude: float
    trees: bool
    log_prior: float


def usages(trusts: Sequence[float], *, reversals: bool = True) -> list[Usage]:
    """Return ways to use releases of prior ``trusts``, with normalised log-priors; the first is to use none.

    The probability that any release holds is the largest trust, however many there are: many claims are no proof.
    Given that, releases hold independently of each other. At most one is used reversed.
    """
    n = len(trusts)
    none = Usage((0,) * n)
    if n == 0:
        return [none]
    signs = [each for each in _sign_patterns(n, reversals=reversals) if any(each)]
    masses = np.array([_pattern_mass(each, trusts) for each in signs])
    any_holds = max(trusts)
    logs = np.log(any_holds) + np.log(masses / masses.sum())
    found = [replace(none, log_prior=float(np.log((1 - any_holds) * (1 - SHARES_PROBABILITY))))]
    share = float(np.log((1 - any_holds) * SHARES_PROBABILITY / n))
    found += [Usage((0,) * n, place, share) for place in range(n)]
    return found + [Usage(each, None, float(log)) for each, log in zip(signs, logs, strict=True)]


def own_parts(kernels: Sequence[str], *, trees: bool, alone: bool) -> list[tuple[str | None, float]]:
    """Return the kernels of own parts, None for none, and their probabilities.

    With trees they stand alone or beside one of the first two kernels; else "none" is unlikely without a release.
    """
    if trees:
        beside = (None, *kernels[:2])
        return [(kernel, 1 / len(beside)) for kernel in beside]
    p_none = (NONE_ALONE if alone else NONE_BESIDE) if kernels else 1.0
    return [(None, p_none), *((kernel, (1 - p_none) / len(kernels)) for kernel in kernels)]


def branches(
    usage: Usage, *, kernels: Sequence[str] = KERNELS, trees: bool = False, one_class: bool = False
) -> list[tuple[Hypothesis, ...]]:
    """Return the hypotheses of one usage of releases, with or without trees, in branches.

    Those of a branch differ in the amplitude of the own part alone. Their probabilities, given the usage, sum to 1.
    """
    found = []
    for sd, p_sd in _intercepts(usage, one_class=one_class):
        for kernel, p_part in own_parts(kernels, trees=trees, alone=not usage.used):
            amplitudes = (0.0,) if kernel is None else AMPLITUDES
            log_prior = float(np.log(p_sd * p_part / len(amplitudes)))
            found.append(tuple(Hypothesis(usage, sd, kernel, each, trees, log_prior) for each in amplitudes))
    return found


def screening(usage: Usage) -> list[Hypothesis]:
    """Return a few hypotheses of one usage, enough to tell whether it is worth more."""
    parts: list[tuple[str | None, float]] = [(None, 0.0), (LINEAR, 0.5), (LINEAR, 1.0)]
    return [
        Hypothesis(usage, REVERSED_INTERCEPT, kernel, amplitude, trees=False, log_prior=0.0)
        for kernel, amplitude in parts
    ]


def prior_weights(usage: Usage, precisions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return prior means and standard deviations of the used releases' weights.

    Means share 1 by precision, deviations are WEIGHT_SD sqrt(share): the sum has mean 1 and deviation WEIGHT_SD, as a
    single release has, since each of several true log-odds is already the whole answer.
    """
    used = list(usage.used)
    shares = precisions[used] / precisions[used].sum() if used else np.empty(0)
    signs = np.array([usage.signs[place] for place in used], dtype=np.float64)
    return signs * shares, WEIGHT_SD * np.sqrt(shares)


def _intercepts(usage: Usage, *, one_class: bool) -> list[tuple[float, float]]:
    """Return prior standard deviations of the intercept and their probabilities."""
    if one_class:
        return [(ONE_CLASS_INTERCEPT, 1.0)]
    if usage.alone:
        return [(OWN_INTERCEPT, 1.0)]
    if min(usage.signs) < 0:
        return [(REVERSED_INTERCEPT, 1.0)]
    return list(INTERCEPTS)


def _sign_patterns(n: int, *, reversals: bool) -> list[tuple[int, ...]]:
    if n <= MOST_WITH_REVERSALS:
        choices = (0, 1, -1) if reversals else (0, 1)
        return [signs for signs in product(choices, repeat=n) if signs.count(-1) <= 1]
    full = [1] * n
    signs = (1, -1) if reversals else (1,)
    singles = [tuple(sign * (place == each) for place in range(n)) for each in range(n) for sign in signs]
    if n <= MOST_FOR_ALL_SUBSETS:
        return list(dict.fromkeys([*product((0, 1), repeat=n), *singles]))
    all_but_one = [tuple(int(place != each) for place in range(n)) for each in range(n)]
    return list(dict.fromkeys([tuple(full), *singles, *all_but_one]))


def _pattern_mass(signs: tuple[int, ...], trusts: Sequence[float]) -> float:
    """Return the product of trust, its reversed part, or what is left of 1, over the releases."""
    factors = {0: lambda p: 1 - p, 1: lambda p: p * (1 - REVERSED), -1: lambda p: p * REVERSED}
    return float(np.prod([factors[sign](trust) for sign, trust in zip(signs, trusts, strict=True)]))
