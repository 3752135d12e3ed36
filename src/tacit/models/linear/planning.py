"""What a feature-split regression will draw: one mechanism for each group, from public numbers alone."""

import math
from dataclasses import dataclass

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis import PriorWeights
from tacit.models.linear.logistic import BECAUSE, PARTS, because_of, expected_noise
from tacit.models.linear.neighbours import curvature, require_row_number
from tacit.models.linear.regularization import REGULARIZATION, default_regularization, least_error_regularization
from tacit.privacy.account import Step
from tacit.privacy.budget import Relation
from tacit.privacy.mechanisms import ObjectivePerturbation, StackedPerturbation, disjoint
from tacit.privacy.mechanisms.objective import CLOSING_SHARE
from tacit.records import record

AGGREGATES = ("average", "stack")
ACCOUNTINGS = ("tight", "paper")
# Stacking learns from margins that saturate: its groups are regularised by 1, under which weights have about this
# length, and prior weights are shortened to it.
STACKED_LENGTH = 1 / 3


@dataclass(frozen=True)
class SplitSettings:
    """How groups of features are learned and combined; checked when constructed.

    Parameters
    ----------
    aggregate : {"average", "stack"}
        "average": the groups' scores are weighed by public numbers, share² / size. "stack": the groups learn on one
        half of the rows, and their weights on the other, each at the full epsilon.
    prior_weight : float or None
        How much of the sources' weights to start from, in [0, 1]. None: by the public rule of ``trust``.
    regularization : float or None
        lambda for rows of unit length. None: each group's as in ``PrivateLogisticRegression``, for its columns and its
        part of epsilon, and with sources the ridge of least expected error about their weights; with "stack" 1 or more.
    accounting : {"tight", "paper"}
        "paper": [pptl] Alg. 3, and with "stack" Alg. 4, as printed, with ``regularization`` as lambda of every group
        and of the combiner. What it really costs is charged, and the card warns if that is more than epsilon.
    relation : {"replace", "add-remove"} or None
        As in ``PrivateLogisticRegression``.
    """

    aggregate: str = "average"
    prior_weight: float | None = None
    regularization: float | None = None
    accounting: str = "tight"
    relation: Relation | str | None = None

    def __post_init__(self) -> None:
        checks.one_of("aggregate", self.aggregate, AGGREGATES)
        if self.prior_weight is not None:
            checks.fraction("prior_weight", self.prior_weight, zero=True, one=True)
        if self.regularization is not None:
            checks.positive("regularization", self.regularization)
        checks.one_of("accounting", self.accounting, ACCOUNTINGS)
        if self.relation is not None:
            checks.one_of("relation", self.relation, list(Relation))
        if self.accounting == "paper" and self.relation == Relation.ADD_REMOVE:
            raise InputError("relation must be 'replace' with accounting='paper', which publishes the number of rows.")

    @property
    def stacked(self) -> bool:
        """Whether the weights of the groups' scores are learned."""
        return self.aggregate == "stack"

    @property
    def strength(self) -> float:
        """The regularisation of weights that start from nothing."""
        return REGULARIZATION if self.regularization is None else self.regularization


@dataclass(frozen=True)
class PublicNumbers:
    """The public numbers that noise is calibrated for; epsilon is for all problems together.

    ``n_rows`` is None where nothing is known of it, which only ``neighbours`` that are added rows allow.
    """

    epsilon: float
    n_rows: int | None
    n_problems: int
    neighbours: str = "replaced"
    bounded: bool = False
    """whether columns are scaled by public bounds"""

    @property
    def public_rows(self) -> int:
        """The number of rows, where something must be known of it."""
        if self.n_rows is None:
            raise InputError("n_rows must be known: regularisation is made for the number of rows.")
        return self.n_rows

    @property
    def epsilon_of_one(self) -> float:
        """Epsilon of one two-class problem."""
        return checks.positive("epsilon", self.epsilon) / self.n_problems


@record
class SplitPlan:
    """The steps, and where each group starts from."""

    split: FeatureSplit
    steps: tuple[Step, ...]
    epsilon: float
    """what all steps cost together"""
    start: FloatArray
    """prior weights [R, p], already multiplied by the trust in them"""
    n_rows: int | None
    """how many rows each group learns from, where that is public"""
    warning: str = ""
    """why the promise does not hold, if it does not"""

    @property
    def noise(self) -> FloatArray:
        """Expected length of the noise in each group's weights."""
        return np.array([expected_noise(mechanism) for mechanism in self.groups])

    @property
    def regularization(self) -> FloatArray | None:
        """The lambda of each group; None where the number of rows is hidden."""
        if self.n_rows is None:
            return None
        return np.array([mechanism.curvature for mechanism in self.groups]) / max(self.n_rows, 1)

    @property
    def groups(self) -> tuple[ObjectivePerturbation, ...]:
        """The mechanism of each group."""
        first = self.steps[0].mechanism
        if isinstance(first, StackedPerturbation):
            return first.groups
        return tuple(step.mechanism for step in self.steps if isinstance(step.mechanism, ObjectivePerturbation))


def plan_split(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> SplitPlan:
    """Return the plan that ``settings`` ask for."""
    if settings.accounting == "paper":
        return (plan_paper_stack if settings.stacked else plan_paper)(prior, numbers, settings)
    return (plan_stack if settings.stacked else plan_average)(prior, numbers, settings)


def plan_average(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> SplitPlan:
    """Return the plan of groups that each see all rows; group k gets the part q_k of epsilon.

    [pptl] Alg. 3 scales group k to norm q_k and draws the same noise for all groups. With u = w q_k that is rows of
    norm 1 at epsilon q_k: the losses add up to the sum of q_k epsilon, that is epsilon.
    """
    require_row_number(numbers.n_rows, settings.regularization)
    mechanisms = _groups(prior, numbers, settings)
    return _planned(prior, _steps(mechanisms, numbers), numbers.epsilon, settings, numbers.n_rows)


def plan_stack(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> SplitPlan:
    """Return the plan of groups that learn on one half of the rows, and of stacking on the other: [pptl] Alg. 4."""
    n_rows = numbers.public_rows
    first = (n_rows + 1) // 2

    def stacked(epsilon: float) -> StackedPerturbation:
        groups = _groups(prior, PublicNumbers(epsilon, first, 1), settings)
        top = _mechanism(epsilon, REGULARIZATION, len(groups), n_rows - first)
        return StackedPerturbation(tuple(groups), top)

    mechanism = disjoint.for_epsilon(stacked, numbers.epsilon_of_one)
    return _planned(prior, (_stacked_step(mechanism, numbers),), numbers.epsilon, settings, first)


def plan_paper(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> SplitPlan:
    """Return the plan of [pptl] Alg. 3 as printed, charged with what it costs.

    If epsilon' is above 0, the noise has the whole epsilon instead of epsilon' (line 6), else Delta is raised and
    epsilon halved (line 8). The cost is the exact one, which is epsilon where regularisation is strong enough.
    """
    mechanisms = _printed_groups(prior.split, numbers.epsilon_of_one, settings.strength * numbers.public_rows)
    cost = numbers.n_problems * math.fsum(mechanism.event.epsilon for mechanism in mechanisms)
    warning = _printed_warning(cost, numbers.epsilon)
    return _planned(prior, _steps(mechanisms, numbers), cost, settings, numbers.public_rows, warning=warning)


def plan_paper_stack(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> SplitPlan:
    """Return the plan of [pptl] Alg. 4 as printed, charged with what it costs.

    One half of the rows teaches the groups by Alg. 3 (line 3), the other their combination by Alg. 1 (line 4), each
    with the whole epsilon; Theorem 5 adds nothing up. Halves go by a keyed hash of the row: a replaced row may lie in
    the other half than the row before, and then costs a row less in one and a row more in the other.
    """
    n_rows = numbers.public_rows
    first = (n_rows + 1) // 2
    epsilon, split = numbers.epsilon_of_one, prior.split
    groups = _printed_groups(split, epsilon, settings.strength * first)
    top = ObjectivePerturbation.for_epsilon(
        epsilon,
        curvature=settings.strength * max(n_rows - first, 1),
        dimension=len(groups),
        accounting="chaudhuri",
    )
    mechanism = StackedPerturbation(tuple(groups), top)
    cost = numbers.n_problems * mechanism.event.epsilon
    warning = _printed_warning(cost, numbers.epsilon, "Alg. 4")
    return _planned(prior, (_stacked_step(mechanism, numbers),), cost, settings, first, warning=warning)


def _printed_groups(split: FeatureSplit, epsilon: float, curvature: float) -> list[ObjectivePerturbation]:
    """Return the mechanism of each group by [pptl] Alg. 3, lines 2 to 11; ``curvature`` is n lambda."""
    shares = np.array(split.shares)
    curvatures = np.full(len(shares), curvature)
    left = printed_epsilon(epsilon, shares, curvatures)
    beta = epsilon / 2 if left > 0 else epsilon / 4
    if left <= 0:
        # Line 8 with a Delta of at least 0: what is printed may be negative.
        curvatures = np.maximum(curvatures, shares**2 / (4 * np.expm1(shares * epsilon / 4)))
    return [
        # In rows of norm 1 instead of q, u = q w: the rate is multiplied by q, the curvature divided by q².
        ObjectivePerturbation(beta * q, float(bend) / q**2, 1.0, len(group), CLOSING_SHARE * q * epsilon)
        for q, bend, group in zip(split.shares, curvatures, split.positions, strict=True)
    ]


def printed_epsilon(epsilon: float, shares: FloatArray, curvature: FloatArray) -> float:
    """Return epsilon - sum_k 2 log(1 + q²/(4 n lambda)) for rows of norms q: epsilon' of [pptl] Alg. 3, line 2."""
    return epsilon - 2 * float(np.log1p(shares**2 / (4 * curvature)).sum())


def _printed_warning(cost: float, epsilon: float, algorithm: str = "Alg. 3") -> str:
    if cost <= epsilon * (1 + 2 * CLOSING_SHARE):
        return ""
    return (
        f"[pptl] {algorithm} as printed promises epsilon {epsilon:g}, but draws noise for epsilon where it "
        f"needs epsilon' (Alg. 3, line 6): it costs {cost:.6g}"
    )


def _groups(prior: PriorWeights, numbers: PublicNumbers, settings: SplitSettings) -> list[ObjectivePerturbation]:
    """Return each group's mechanism: group k learns its columns with the part q_k of epsilon."""
    mechanisms = []
    for place, (q, group) in enumerate(zip(prior.split.shares, prior.split.positions, strict=True)):
        epsilon = q * numbers.epsilon_of_one
        strength = _strength(prior, place, epsilon, numbers, settings)
        mechanisms.append(_mechanism(epsilon, strength, len(group), numbers.n_rows, numbers.neighbours))
    return mechanisms


def _strength(
    prior: PriorWeights, place: int, epsilon: float, numbers: PublicNumbers, settings: SplitSettings
) -> float:
    """Return lambda of the group at ``place``: what was asked for, or by what its prior weights leave open."""
    if settings.regularization is not None:
        return settings.regularization
    n_rows, size = numbers.n_rows, len(prior.split.positions[place])
    held = settings.prior_weight is None and np.isfinite(prior.noise[place])
    _, left = prior.trust(place) if held else (0.0, 1.0)
    if n_rows is None:
        return REGULARIZATION / left
    strength = REGULARIZATION
    if not settings.stacked:
        strength = default_regularization(n_rows, epsilon, size, bounded=numbers.bounded)
    return max(strength, least_error_regularization(n_rows, epsilon, size, left=left)) if held else strength


def _mechanism(
    epsilon: float, regularization: float, dimension: int, n_rows: int | None, neighbours: str = "replaced"
) -> ObjectivePerturbation:
    bend = curvature(regularization, n_rows, dimension=dimension, epsilon=epsilon)
    return ObjectivePerturbation.for_epsilon(epsilon, curvature=bend, dimension=dimension, neighbours=neighbours)


def _start(prior: PriorWeights, settings: SplitSettings) -> FloatArray:
    """Return the weights [R, p] to start from: each group's prior as far as it is trusted."""
    start = np.zeros_like(prior.weights)
    for place, group in enumerate(prior.split.positions):
        if np.isfinite(prior.noise[place]):
            weights = prior.weights[:, list(group)]
            start[:, list(group)] = _prior_share(prior, place, settings) * weights
    return start


def _prior_share(prior: PriorWeights, place: int, settings: SplitSettings) -> float:
    """Return by what the prior weights of the group at ``place`` are multiplied."""
    if settings.prior_weight is not None:
        return settings.prior_weight
    share, _ = prior.trust(place)
    length = prior.length(place)
    return share * STACKED_LENGTH / length if settings.stacked and length > STACKED_LENGTH else share


def _steps(mechanisms: list[ObjectivePerturbation], numbers: PublicNumbers) -> tuple[Step, ...]:
    return tuple(
        _step(mechanism, place, len(mechanisms), numbers.n_problems)
        for place, mechanism in enumerate(mechanisms, start=1)
    )


def _stacked_step(mechanism: StackedPerturbation, numbers: PublicNumbers) -> Step:
    count = len(mechanism.groups)
    what = f"weights of {count} groups of features on one half of the rows, and of the groups on the other"
    return Step(mechanism, what, BECAUSE.format(tolerance=mechanism.top.tolerance) + PARTS, numbers.n_problems)


def _step(mechanism: ObjectivePerturbation, place: int, n_groups: int, times: int) -> Step:
    which = "" if n_groups == 1 else f" on group {place} of {n_groups} of the features"
    against = ", one class against the rest" if times > 1 else ""
    because = because_of(mechanism)
    return Step(mechanism, f"weights of a logistic regression{which}{against}", because, times)


def _planned(
    prior: PriorWeights,
    steps: tuple[Step, ...],
    epsilon: float,
    settings: SplitSettings,
    n_rows: int | None,
    *,
    warning: str = "",
) -> SplitPlan:
    return SplitPlan(prior.split, steps, epsilon, _start(prior, settings), n_rows, warning)
