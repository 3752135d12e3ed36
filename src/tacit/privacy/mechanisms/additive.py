"""Mechanisms that add noise: Laplace, Gaussian, entry noise, staircase and norm-gamma.

All but the last round their input down to a grid and add exact integer noise, so every output can come from every
input (see ``tacit.privacy.mechanisms.base``). Rounding moves each of the d coordinates that one unit touches by less
than one grid step g; the events state the sensitivity enlarged for it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import noise
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.events import ApproximateEvent, Event, GaussianEvent, LaplaceEvent, SequentialEvent
from tacit.privacy.mechanisms.base import (
    PositiveSettings,
    from_grid,
    norm_1,
    norm_2,
    registered,
    step_for,
    to_grid,
)
from tacit.privacy.stream import NoiseStream

# A Gaussian's standard deviation spans at least this many grid steps; see Gaussian.event for what it buys.
GAUSSIAN_STEPS = 2.0**36
# 48²/8: see Gaussian's inequality.
GAUSSIAN_BIAS = 288.0
# Rows of staircase noise are drawn by rejection, which keeps a share of about e^-epsilon; single numbers are not.
LARGEST_RADIAL_STAIRCASE = 12.0


class GridNoise(PositiveSettings):
    """What `Laplace` and `Gaussian` share: whole noise on a grid, for numbers of which one unit moves a few."""

    exact = True

    @property
    def step(self) -> float:
        """The grid step g."""
        raise NotImplementedError

    def steps(self, stream: NoiseStream, count: int) -> IntArray:
        """Return noise for so many numbers, in grid steps."""
        raise NotImplementedError

    def draw(self, values: FloatArray | IntegerSum, stream: NoiseStream) -> FloatArray:
        """Return ``values`` on the grid plus the noise; whole numbers of any size stay exact."""
        cells = to_grid(values, self.step)
        return from_grid(cells + self.steps(stream, cells.size).reshape(cells.shape), self.step)


@registered
@dataclass(frozen=True)
class Laplace(GridNoise):
    """Discrete Laplace noise of ``scale`` for a query of 1-norm ``sensitivity``.

    Inequality: inputs at 1-norm distance D that differ in d coordinates lie at most D/g + d grid steps apart.
    Discrete Laplace noise k steps apart is no easier to tell apart than continuous noise k + 1 steps apart
    (e^-a + e^-2af >= 2 e^(-a(f+1/2)) for each coordinate), and continuous noise moved in several coordinates no
    easier than moved in one by the same 1-norm (a chain of neighbours in a log-concave location family [gdp]).
    Together: a Laplace event of sensitivity D + 2dg.

    Parameters
    ----------
    scale : float
    sensitivity : float
        Largest 1-norm change by one unit.
    coordinates : int
        How many coordinates one unit can move.
    """

    scale: float
    sensitivity: float
    coordinates: int = 1
    name = "laplace"

    @classmethod
    def for_epsilon(cls, epsilon: float, *, sensitivity: float, coordinates: int = 1) -> "Laplace":
        """Return the mechanism whose event costs exactly ``epsilon``."""
        epsilon = checks.positive("epsilon", epsilon)
        unscaled = cls(1.0, sensitivity, coordinates).event.sensitivity
        scale = unscaled / epsilon
        while unscaled / scale > epsilon:  # end on the safe side of the division's rounding
            scale = math.nextafter(scale, math.inf)
        return cls(scale, sensitivity, coordinates)

    @property
    def step(self) -> float:
        """The grid step g."""
        return step_for(self.sensitivity, self.coordinates)

    @property
    def event(self) -> LaplaceEvent:
        """A Laplace event, its sensitivity enlarged for the grid."""
        return LaplaceEvent(self.scale, self.sensitivity + 2 * self.coordinates * self.step)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the 1-norm of the difference."""
        return norm_1(first, second)

    def steps(self, stream: NoiseStream, count: int) -> IntArray:
        """Return discrete Laplace noise for so many numbers, in grid steps."""
        return noise.discrete_laplace(stream, count, Fraction(self.scale) / Fraction(self.step))


@registered
@dataclass(frozen=True)
class Gaussian(GridNoise):
    """Discrete Gaussian noise of standard deviation ``sigma`` for a query of 2-norm ``sensitivity``.

    Inequality: inputs at 2-norm distance D that differ in d coordinates lie at most D/g + sqrt(d) grid steps apart
    in 2-norm (triangle inequality). The ideal Gaussian rounded to the grid is post-processing of the continuous one.
    The discrete Gaussian of s = sigma/g steps has its probabilities up to a factor between e^(-1/8s²) and
    e^(k²/8s⁴) at k, which stays within e^(288/s²) up to 48 standard deviations; less than 10^-500 lies beyond.
    Together: a Gaussian event of sensitivity D + sqrt(d) g and bias 288 d/s², with s >= 2^36 below d 10^-19.

    Parameters
    ----------
    sigma : float
    sensitivity, coordinates
        As in `Laplace`; the change is measured in 2-norm.
    """

    sigma: float
    sensitivity: float
    coordinates: int = 1
    name = "gaussian"

    @classmethod
    def for_budget(
        cls, epsilon: float, delta: float, *, sensitivity: float, coordinates: int = 1, times: int = 1
    ) -> "Gaussian":
        """Return the least noise whose event, repeated ``times``, keeps (epsilon, delta): analytic [gaussian]."""
        budget = Budget(epsilon, checks.fraction("delta", delta), unit=Unit.RECORD)

        def repeated(sigma: float) -> Event:
            # Equal Gaussians compose to one of sigma / sqrt(times).
            event = cls(sigma, sensitivity, coordinates).event
            return GaussianEvent(sigma, event.sensitivity * math.sqrt(times), min(event.bias * times, 0.5))

        return cls(calibrate(repeated, budget, start=sensitivity * math.sqrt(times)), sensitivity, coordinates)

    @property
    def step(self) -> float:
        """The grid step g."""
        coarse = step_for(self.sensitivity, math.sqrt(self.coordinates))
        return min(coarse, 2.0 ** math.floor(math.log2(self.sigma / GAUSSIAN_STEPS)))

    @property
    def event(self) -> GaussianEvent:
        """A Gaussian event, its sensitivity enlarged for the grid and its bias stated."""
        steps = self.sigma / self.step
        widened = self.sensitivity + math.sqrt(self.coordinates) * self.step
        return GaussianEvent(self.sigma, widened, self.coordinates * GAUSSIAN_BIAS / steps**2)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the 2-norm of the difference."""
        return norm_2(first, second)

    def steps(self, stream: NoiseStream, count: int) -> IntArray:
        """Return discrete Gaussian noise for so many numbers, in grid steps."""
        return noise.discrete_gaussian(stream, count, self.sigma / self.step)


@registered
@dataclass(frozen=True)
class EntryNoise:
    """The optimal noise of one table entry: zero with probability ``delta``, else Laplace of scale d/epsilon.

    Protects one entry that changes by at most ``largest_change`` (d): [membership] eq. 75-77. About delta times the
    number of entries stay exactly as they were, so delta should lie well below one over that number.

    Inequality: a changed entry moves the c columns that encode it by at most d in 1-norm, as for ``Laplace`` with c
    coordinates an event of sensitivity d + 2cg. Each column stays exact with probability delta/c, so an entry's
    atoms reveal it with probability at most delta.

    Parameters
    ----------
    epsilon, delta : float
        The promise for one entry; delta in [0, 1), 0 for plain Laplace noise.
    largest_change : float
        d, the most that an entry may change between neighbours, in 1-norm over the columns that encode it.
    coordinates : int
        c, how many columns an entry can move: 1 for a number, 2 for a one-hot category.
    """

    epsilon: float
    delta: float
    largest_change: float
    coordinates: int = 1
    name = "entry noise"
    exact = True
    # An entry changes its value; each has noise of its own.
    relations = (Relation.REPLACE,)
    noise_per_entry = True

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.fraction("delta", self.delta, zero=True)
        checks.positive("largest_change", self.largest_change)
        checks.whole("coordinates", self.coordinates)

    @property
    def _laplace(self) -> Laplace:
        return Laplace.for_epsilon(self.epsilon, sensitivity=self.largest_change, coordinates=self.coordinates)

    @property
    def sensitivity(self) -> float:
        """The largest change of one entry."""
        return self.largest_change

    @property
    def step(self) -> float:
        """The grid step g."""
        return self._laplace.step

    @property
    def scale(self) -> float:
        """The scale of the Laplace part."""
        return self._laplace.scale

    @property
    def event(self) -> Event:
        """A Laplace event, followed by the atom's mass."""
        laplace = self._laplace.event
        return laplace if self.delta == 0 else SequentialEvent((laplace, ApproximateEvent(0.0, self.delta)))

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the 1-norm of the difference: neighbours differ in one entry."""
        return norm_1(first, second)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return ``values`` with independent noise in each entry."""
        noisy = self._laplace.draw(values, stream)
        if self.delta == 0:
            return noisy
        kept = noise.bernoulli(stream, noisy.size, noise.Probability.ratio(Fraction(self.delta) / self.coordinates))
        exact = from_grid(to_grid(values, self.step), self.step)
        return np.where(kept.reshape(noisy.shape), exact, noisy)


@registered
@dataclass(frozen=True)
class Staircase(PositiveSettings):
    """Staircase noise for a query of 1-norm ``sensitivity``, scalar or radial.

    The last axis of the input, ``dimension`` long, is one query; with dimension 1 every value is a query of its own.
    Noise applied coordinate by coordinate would cost dimension times epsilon; the radial form does not.

    Inequality: neighbours lie at most k = floor(D/g) + d grid steps apart in 1-norm, and noise rows whose norms differ
    by at most k lie on the same or on neighbouring plateaus, whose probabilities have ratio e^epsilon: pure epsilon.

    Parameters
    ----------
    epsilon : float
        At most 12 for a query of several numbers: drawing those exactly takes time that grows like e^epsilon.
    sensitivity : float
        Largest 1-norm change of a query by one unit.
    dimension : int
        Length of a query.
    """

    epsilon: float
    sensitivity: float
    dimension: int = 1
    name = "staircase"
    exact = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dimension > 1 and self.epsilon > LARGEST_RADIAL_STAIRCASE:
            raise InputError(
                f"epsilon must be at most {LARGEST_RADIAL_STAIRCASE:g} for staircase noise of several numbers; got "
                f"{self.epsilon:g}. Drawing it exactly takes time that grows like e^epsilon: use Laplace noise."
            )

    @property
    def step(self) -> float:
        """The grid step g."""
        return step_for(self.sensitivity, self.dimension)

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        return ApproximateEvent(self.epsilon)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the 1-norm of the difference."""
        return norm_1(first, second)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return ``values`` on the grid plus staircase noise, one independent draw for each query."""
        cells = to_grid(values, self.step)
        steps = math.floor(self.sensitivity / self.step) + self.dimension
        # The first plateau's width that minimises the expected size of scalar noise: [staircase] eq. 42.
        first = max(1, round(steps / (1 + math.exp(self.epsilon / 2))))
        shape = (cells.size // self.dimension, self.dimension)
        drawn = noise.staircase(stream, shape, epsilon=self.epsilon, steps=steps, first=first)
        return from_grid(cells + drawn.reshape(cells.shape), self.step)


@registered
@dataclass(frozen=True)
class NormGamma(PositiveSettings):
    """Vector noise with density proportional to e^(-beta |b|), |b| the Euclidean norm.

    The norm is Gamma(d, 1/beta), the direction uniform: what objective perturbation adds to its linear term [erm].

    Inequality: neighbours at 2-norm distance D change |b| by at most D, so densities have ratio e^(beta D): pure
    epsilon beta D. This law has no integer form; it is drawn in double precision, which the card says.

    Parameters
    ----------
    beta : float
    sensitivity : float
        Largest 2-norm change of a query by one unit.
    dimension : int
        Length of a query: the last axis of the input.
    """

    beta: float
    sensitivity: float
    dimension: int
    name = "norm gamma"
    exact = False

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        return ApproximateEvent(self.beta * self.sensitivity)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the 2-norm of the difference."""
        return norm_2(first, second)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return ``values`` plus one noise vector for each query."""
        values = checks.finite_array("values", values)
        drawn = noise.norm_gamma(stream, (values.size // self.dimension, self.dimension), beta=self.beta)
        return values + drawn.reshape(values.shape)


def entry_noise_quantile(t: FloatArray, *, epsilon: float, delta: float, largest_change: float) -> FloatArray:
    """Return the inverse distribution function of the entry noise in real numbers: [membership] eq. 77."""
    scale = largest_change / epsilon
    low = scale * np.log(2 * np.minimum(t, 0.5) / (1 - delta))
    high = -scale * np.log(2 * np.minimum(1 - t, 0.5) / (1 - delta))
    return np.where(t < (1 - delta) / 2, low, np.where(t > (1 + delta) / 2, high, 0.0))
