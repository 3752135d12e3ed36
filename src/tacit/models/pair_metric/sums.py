"""Noisy sums over pairs when κ of them may be replaced: which mechanism, which norm, and why it suffices."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.bounded_rows import clip_rows, row_quantum
from tacit.privacy.account import Step
from tacit.privacy.batched_steps import BatchedStep
from tacit.privacy.mechanisms import Duchi, Gaussian, Laplace, Mechanism, Staircase
from tacit.privacy.mechanisms.additive import LARGEST_RADIAL_STAIRCASE

SUM_MECHANISMS = ("gaussian", "laplace", "staircase", "duchi")
ADJACENCY = (
    "two sets of pairs are neighbours if the features and labels of κ of their pairs differ, κ = {kappa}: all that "
    "speaks of one relationship; who is compared with whom is the same"
)


@dataclass(frozen=True)
class PairSum:
    """A query: the sum over pairs of vectors of ``size`` numbers, each of at most ``radius`` in the mechanism's norm.

    ``radius`` bounds the 2-norm for ``gaussian``, the 1-norm for ``laplace`` and ``staircase``, each number for
    ``duchi``. Parts of a vector that are never negative (``nonnegative``) move less in 2-norm when it is replaced.
    """

    mechanism: str
    radius: float
    size: int
    kappa: int
    nonnegative: bool = False

    @property
    def norm(self) -> int:
        """1 or 2: in which norm a pair's vector is bounded."""
        return 2 if self.mechanism == "gaussian" else 1

    @property
    def sensitivity(self) -> float:
        """How far replacing κ pairs moves the sum.

        Each of κ vectors of norm at most r goes and another comes: 2κr. Where no vector has a negative part,
        |a - b|² <= |a|² + |b|² for the two sums of κ vectors, so √2 κr in 2-norm.
        """
        factor = math.sqrt(2) if self.nonnegative and self.norm == 2 else 2.0
        return math.nextafter(factor * self.kappa * self.radius, math.inf)

    def planned(
        self, epsilon: float, delta: float, *, times: int = 1, slack: float = 0.0, batches: int = 1
    ) -> Mechanism:
        """Return the mechanism of which ``times`` draws keep (epsilon, delta); ``slack`` is room for rounding.

        κ pairs may lie in as many of the disjoint ``batches``, each of which is rounded to the grid by itself: the
        grid's slop counts for the coordinates of all of them.
        """
        sensitivity, moved = self.sensitivity * (1 + slack), self.size * min(self.kappa, batches)
        if self.mechanism == "gaussian":
            return Gaussian.for_budget(epsilon, delta, sensitivity=sensitivity, coordinates=moved, times=times)
        if self.mechanism == "laplace":
            return Laplace.for_epsilon(epsilon / times, sensitivity=sensitivity, coordinates=moved)
        if self.mechanism == "staircase":
            if self.size > 1 and epsilon / times > LARGEST_RADIAL_STAIRCASE:
                most = LARGEST_RADIAL_STAIRCASE * times
                raise InputError(
                    f"epsilon must be at most {most:g} for mechanism='staircase'; got {epsilon}. "
                    "Drawing it exactly takes time that grows like e^epsilon: use 'laplace'."
                )
            return Staircase(epsilon / times, sensitivity, dimension=self.size)
        return Duchi(epsilon / (times * self.kappa), dimension=self.size)

    def step(self, mechanism: Mechanism, what: str, *, batches: int = 1, times: int = 1) -> Step:
        """Return the planned step: ``times`` passes over the pairs, each in ``batches`` disjoint parts."""
        if self.mechanism == "duchi":
            because = (
                f"each pair is randomised on its own, and one relationship shows in {self.kappa} of them: every pair "
                "may be any other"
            )
            return BatchedStep(mechanism, what, because, times, charged=self.kappa * times)
        because = (
            f"replacing κ = {self.kappa} of the pairs, each of {self.norm}-norm at most {self.radius:.6g} after "
            f"shortening, moves the sum by at most {mechanism.sensitivity:.6g}"
        )
        if batches == 1:
            return Step(mechanism, what, because, times)
        because += "; batches are disjoint and fixed, and all of one pass together move no further than one sum"
        if self.mechanism == "staircase":
            because += ", but each batch that moves at all may cost its whole epsilon"
        return BatchedStep(mechanism, what, because, times * batches, charged=times * self.touched(batches))

    def touched(self, batches: int) -> int:
        """Return how many draws' cost one pass over disjoint ``batches`` has.

        κ pairs may lie in different batches. Laplace and Gaussian losses grow with the distance moved, at least
        linearly, so that κ small moves cost no more than one large one; a staircase costs epsilon for the smallest.
        """
        return min(self.kappa, batches) if self.mechanism == "staircase" else 1

    def shorten(self, rows: FloatArray) -> FloatArray:
        """Return ``rows`` with each shortened to the radius, and such that their sums are exact in doubles."""
        if self.mechanism == "duchi":
            return np.clip(rows, -self.radius, self.radius)
        return clip_rows(rows, self.radius) if self.norm == 2 else clip_rows_1(rows, self.radius)

    def noise(self, mechanism: Mechanism, n_pairs: int) -> float:
        """Return the standard deviation of one noisy number, a public fact; for staircases that of Laplace noise."""
        match mechanism:
            case Gaussian():
                return mechanism.sigma
            case Laplace():
                return math.sqrt(2) * mechanism.scale
            case Staircase():
                return math.sqrt(2) * mechanism.sensitivity / mechanism.epsilon
            case Duchi():
                return self.radius * mechanism.size * math.sqrt(n_pairs)
        return 0.0


def clip_rows_1(X: FloatArray, norm: float) -> FloatArray:
    """Return ``X`` with every row shortened to 1-norm ``norm`` and cut to multiples of a power of two, as clip_rows."""
    lengths = np.abs(X).sum(axis=1, keepdims=True)
    inside = norm * (1 - 2.0**-40)  # room for the rounding of the division
    shortened = X * np.minimum(1.0, inside / np.maximum(lengths, np.finfo(float).tiny))
    quantum = row_quantum(norm)
    cut: FloatArray = np.trunc(shortened / quantum) * quantum
    return cut


def default_radius(mechanism: str, n_features: int) -> float:
    """Return a public bound on the difference of two rows of the unit cube that shortens few of them.

    Half of the cube's diagonal √p for the 2-norm, a quarter of its largest 1-norm p, 1 for each number.
    """
    if mechanism == "duchi":
        return 1.0
    return math.sqrt(n_features) / 2 if mechanism == "gaussian" else n_features / 4


def checked_radius(radius: float | None, mechanism: str, n_features: int) -> float:
    """Return the radius given, or the default one."""
    return default_radius(mechanism, n_features) if radius is None else checks.positive("radius", radius)


def feature_factors(feature_scale: ArrayLike | None, n_features: int) -> tuple[float, ...]:
    """Return the public factors of the features, 1 for each by default."""
    if feature_scale is None:
        return (1.0,) * n_features
    scales = checks.finite_array("feature_scale", feature_scale)
    if scales.shape != (n_features,) or not (scales > 0).all():
        raise InputError(f"feature_scale must hold {n_features} numbers above 0, one for each feature.")
    return tuple(scales.tolist())


def indicator_mask(indicators: ArrayLike | None, n_features: int) -> tuple[bool, ...]:
    """Return which features are 0 or 1 once scaled, none by default."""
    if indicators is None:
        return (False,) * n_features
    mask = np.asarray(indicators)
    if mask.shape != (n_features,) or mask.dtype != np.bool_:
        raise InputError(f"indicators must hold {n_features} truth values, one for each feature.")
    return tuple(mask.tolist())
