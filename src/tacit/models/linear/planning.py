"""What a feature-split regression will draw: one mechanism for each group, from public numbers alone."""

import math
from dataclasses import dataclass

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis import trust
from tacit.models.linear.logistic import BECAUSE, REGULARIZATION, expected_noise
from tacit.privacy.account import Step
from tacit.privacy.mechanisms import ObjectivePerturbation, StackedPerturbation
from tacit.privacy.mechanisms.objective import CLOSING_SHARE


@dataclass(frozen=True)
class Settings:
    """The public numbers that a plan is made from; epsilon is for all problems together."""

    epsilon: float
    n_rows: int
    n_problems: int
    regularization: float | None = None
    prior_weight: float | None = None

    @property
    def each(self) -> float:
        """Epsilon of one two-class problem."""
        return checks.positive("epsilon", self.epsilon) / self.n_problems


@dataclass(frozen=True, eq=False)
class SplitPlan:
    """The steps, and where each group starts from.

    Attributes
    ----------
    epsilon : float
        What all steps cost together.
    start : array [R, p]
        Prior weights, already multiplied by the trust in them.
    warning : str
        Why the promise does not hold, if it does not.
    """

    split: FeatureSplit
    steps: tuple[Step, ...]
    epsilon: float
    start: FloatArray
    warning: str = ""

    @property
    def noise(self) -> FloatArray:
        """Expected length of the noise in each group's weights."""
        return np.array([expected_noise(each) for each in self.groups])

    @property
    def groups(self) -> tuple[ObjectivePerturbation, ...]:
        """The mechanism of each group."""
        first = self.steps[0].mechanism
        if isinstance(first, StackedPerturbation):
            return first.groups
        return tuple(step.mechanism for step in self.steps if isinstance(step.mechanism, ObjectivePerturbation))


def plan_average(split: FeatureSplit, prior: FloatArray, noise: FloatArray, settings: Settings) -> SplitPlan:
    """Return the plan of groups that each see all rows; group k gets the part q_k of epsilon.

    [pptl] Alg. 3 scales group k to norm q_k and draws the same noise for all groups. With u = w q_k that is rows of
    norm 1 at epsilon q_k: the losses add up to the sum of q_k epsilon, that is epsilon.
    """
    mechanisms, weights = _groups(split, noise, settings, settings.n_rows)
    steps = tuple(
        _step(each, place, len(mechanisms), settings.n_problems) for place, each in enumerate(mechanisms, start=1)
    )
    return _made(split, steps, settings.epsilon, prior, weights)


def plan_stack(split: FeatureSplit, prior: FloatArray, noise: FloatArray, settings: Settings) -> SplitPlan:
    """Return the plan of groups that learn on every other row, and of stacking on the rest: [pptl] Alg. 4."""
    first = (settings.n_rows + 1) // 2
    mechanisms, weights = _groups(split, noise, settings, first)
    top = ObjectivePerturbation.for_epsilon(
        settings.each, curvature=REGULARIZATION * max(settings.n_rows - first, 1), dimension=len(mechanisms)
    )
    stacked = StackedPerturbation(tuple(mechanisms), top)
    because = BECAUSE.format(tolerance=top.tolerance) + "; the halves of the rows are disjoint, fixed by their places"
    what = f"weights of {len(mechanisms)} groups of features on one half of the rows, and of the groups on the other"
    return _made(split, (Step(stacked, what, because, settings.n_problems),), settings.epsilon, prior, weights)


def plan_paper(split: FeatureSplit, prior: FloatArray, noise: FloatArray, settings: Settings) -> SplitPlan:
    """Return the plan of [pptl] Alg. 3 as printed, charged with what it costs.

    If epsilon' is above 0, the noise has the whole epsilon instead of epsilon' (line 6), else Delta is raised and
    epsilon halved (line 8). The cost is the exact one, which is epsilon where regularisation is strong enough.
    """
    share = np.array(split.shares)
    strength = REGULARIZATION if settings.regularization is None else settings.regularization
    curvature = checks.positive("regularization", strength) * settings.n_rows * share**2
    left = printed_epsilon(settings.each, share, curvature)
    beta = settings.each / 2 if left > 0 else settings.each / 4
    if left <= 0:
        curvature = np.maximum(curvature, share**2 / (4 * np.expm1(share * settings.each / 4)))
    mechanisms = [
        # In rows of norm 1 instead of q: the rate is multiplied by q, the curvature divided by q².
        ObjectivePerturbation(beta * q, float(bend) / q**2, 1.0, len(group), CLOSING_SHARE * q * settings.each)
        for q, bend, group in zip(split.shares, curvature, split.positions, strict=True)
    ]
    steps = tuple(
        _step(each, place, len(mechanisms), settings.n_problems) for place, each in enumerate(mechanisms, start=1)
    )
    cost = settings.n_problems * math.fsum(each.event.epsilon for each in mechanisms)
    warning = ""
    if cost > settings.epsilon * (1 + 2 * CLOSING_SHARE):
        warning = (
            f"[pptl] Alg. 3 as printed promises epsilon {settings.epsilon:g}, but draws noise for epsilon where it "
            f"needs epsilon' (line 6): it costs {cost:.6g}"
        )
    trusted, _ = _trust(mechanisms, noise, settings)
    return _made(split, steps, cost, prior, trusted, warning=warning)


def printed_epsilon(epsilon: float, shares: FloatArray, curvature: FloatArray) -> float:
    """Return epsilon - sum_k 2 log(1 + q²/(4 n lambda)) for rows of norms q: epsilon' of [pptl] Alg. 3, line 2."""
    return epsilon - 2 * float(np.log1p(shares**2 / (4 * curvature)).sum())


def _groups(
    split: FeatureSplit, noise: FloatArray, settings: Settings, n_rows: int
) -> tuple[list[ObjectivePerturbation], FloatArray]:
    """Return each group's mechanism and the weight of its prior."""
    strength = REGULARIZATION if settings.regularization is None else settings.regularization
    plain = [
        _mechanism(q * settings.each, strength, len(group), n_rows)
        for q, group in zip(split.shares, split.positions, strict=True)
    ]
    weights, held = _trust(plain, noise, settings)
    if settings.regularization is not None or settings.prior_weight is not None:
        return plain, weights
    made = [
        _mechanism(q * settings.each, float(more), len(group), n_rows)
        for q, group, more in zip(split.shares, split.positions, held, strict=True)
    ]
    return made, weights


def _mechanism(epsilon: float, regularization: float, dimension: int, n_rows: int) -> ObjectivePerturbation:
    curvature = checks.positive("regularization", regularization) * max(n_rows, 1)
    return ObjectivePerturbation.for_epsilon(epsilon, curvature=curvature, dimension=dimension)


def _trust(
    mechanisms: list[ObjectivePerturbation], noise: FloatArray, settings: Settings
) -> tuple[FloatArray, FloatArray]:
    weights, held = trust(noise, np.array([expected_noise(each) for each in mechanisms]))
    if settings.prior_weight is not None:
        given = checks.fraction("prior_weight", settings.prior_weight, zero=True, one=True)
        weights = np.where(np.isfinite(noise), given, 0.0)
    return weights, held


def _step(mechanism: ObjectivePerturbation, place: int, n_groups: int, times: int) -> Step:
    which = "" if n_groups == 1 else f" on group {place} of {n_groups} of the features"
    against = ", one class against the rest" if times > 1 else ""
    because = BECAUSE.format(tolerance=mechanism.tolerance)
    return Step(mechanism, f"weights of a logistic regression{which}{against}", because, times)


def _made(
    split: FeatureSplit,
    steps: tuple[Step, ...],
    epsilon: float,
    prior: FloatArray,
    weights: FloatArray,
    *,
    warning: str = "",
) -> SplitPlan:
    start = np.zeros_like(prior)
    for group, weight in zip(split.positions, weights, strict=True):
        start[:, list(group)] = weight * prior[:, list(group)]
    return SplitPlan(split, steps, epsilon, start, warning)
