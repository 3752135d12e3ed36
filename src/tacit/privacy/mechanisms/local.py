"""Mechanisms of the local model: each person's value is randomised before anyone collects it."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit import checks
from tacit.arrays import BoolArray, FloatArray
from tacit.errors import InputError
from tacit.privacy import noise
from tacit.privacy.budget import Relation
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.mechanisms.base import PositiveSettings, registered
from tacit.privacy.stream import NoiseStream


class LocalMechanism(PositiveSettings):
    """A mechanism of single inputs, any two of which are neighbours: pure epsilon, with no sensitivity to bound."""

    epsilon: float
    sensitivity = math.inf
    # One output for each input: their number is seen.
    relations = (Relation.REPLACE,)
    exact = True

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        return ApproximateEvent(self.epsilon)

    def distance(self, first: FloatArray, second: FloatArray) -> float:  # noqa: ARG002 - any change is protected
        """Return 0: any two inputs are neighbours."""
        return 0.0


@registered
@dataclass(frozen=True)
class Duchi(LocalMechanism):
    """Each row of [-1, 1]^d becomes a corner of a cube, unbiased: [duchi] section 4.2.3.

    A row is first rounded at random to v in {-1, 1}^d with mean x. A fair-or-better coin T, heads with
    probability e^epsilon/(1 + e^epsilon), picks the half space: the output is B z with z uniform on the corners that
    have z.v >= 0 if heads, z.v <= 0 if tails.

    Inequality: the two half spaces hold equally many corners for every v, so P(z | v)/P(z | v') <= e^epsilon for any
    two rows whatsoever: pure epsilon, with no sensitivity to bound.

    Parameters
    ----------
    epsilon : float
        The promise for a whole row.
    dimension : int
        d, the length of a row: the last axis of the input.
    """

    epsilon: float
    dimension: int
    name = "duchi"

    @property
    def size(self) -> float:
        """B, the absolute value of every output coordinate.

        E[z_j | z.v >= 0] = v_j c with c the mean of |z.v|/d over corners, divided by the share that ties leave.
        """
        d = self.dimension
        half = math.comb(d - 1, (d - 1) // 2)
        ties = math.comb(d, d // 2) if d % 2 == 0 else 0
        corners: int = 2 ** (d - 1) + ties // 2
        return corners / half / math.tanh(self.epsilon / 2)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return one random corner for each row of ``values``."""
        values = checks.finite_array("values", values)
        if values.size and np.abs(values).max() > 1:
            raise InputError("values must lie in [-1, 1]; got larger ones. Scale them by their public bounds first.")
        rows = values.reshape(-1, self.dimension)
        rounded = np.where(2 * noise.uniforms(stream, rows.shape) < 1 + rows, 1, -1)
        heads = noise.bernoulli(stream, len(rows), noise.Probability.logistic(-Fraction(self.epsilon)))
        corners = _corners_towards(stream, np.where(heads[:, None], rounded, -rounded))
        return (self.size * corners).reshape(values.shape)


def _corners_towards(stream: NoiseStream, V: np.ndarray) -> np.ndarray:
    """Return for each row v a corner z uniform on z.v >= 0."""
    Z = np.empty(V.shape, np.int8)
    waiting = np.arange(len(V))
    while waiting.size:
        corners = noise.signs(stream, (waiting.size, V.shape[1]))
        sides = np.einsum("ij,ij->i", corners, V[waiting])
        corners[sides < 0] *= -1
        # Turning z to -z reaches a corner off the border in two ways, one on it in one: halve the share of the former.
        accepted = (sides == 0) | (noise.signs(stream, (waiting.size,)) > 0)
        Z[waiting[accepted]] = corners[accepted]
        waiting = waiting[~accepted]
    return Z


@registered
@dataclass(frozen=True)
class RandomizedResponse(LocalMechanism):
    """Each of ``categories`` codes is kept with probability e^epsilon/(e^epsilon + k - 1), else another at random.

    Inequality: a code is reported with probability p if true and (1 - p)/(k - 1) if not, a ratio of e^epsilon.

    Parameters
    ----------
    epsilon : float
        The promise for one code.
    categories : int
        k, at least 2; the input holds codes 0 .. k - 1.
    """

    epsilon: float
    categories: int
    name = "randomized response"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("categories", self.categories, least=2)

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return the randomised codes."""
        codes = checks.finite_array("values", values)
        if not np.isin(codes, np.arange(self.categories)).all():
            raise InputError(f"values must be codes 0 to {self.categories - 1}; got others.")
        turned = 1 + noise.integers_below(stream, codes.size, self.categories - 1).reshape(codes.shape)
        lie = self._lies(stream, codes.size).reshape(codes.shape)
        return np.where(lie, (codes + turned) % self.categories, codes)

    def _lies(self, stream: NoiseStream, count: int) -> BoolArray:
        """Return trials with probability (k - 1)/(e^epsilon + k - 1)."""
        return noise.bernoulli(
            stream, count, noise.Probability.logistic(Fraction(self.epsilon), weight=self.categories - 1)
        )
