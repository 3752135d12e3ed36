"""Private selection: the exponential mechanism."""

from dataclasses import dataclass

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.privacy import noise
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.mechanisms.base import PositiveSettings, registered
from tacit.privacy.stream import NoiseStream


@registered
@dataclass(frozen=True)
class Exponential(PositiveSettings):
    """The index of a good score, with probability proportional to e^(epsilon score / 2 sensitivity).

    Inequality: one unit moves every score by at most D, hence each weight by a factor of at most e^(epsilon/2) and
    their sum by as much the other way: pure epsilon [foundations].

    Parameters
    ----------
    epsilon : float
    sensitivity : float
        The most that one unit can change any single score.
    """

    epsilon: float
    sensitivity: float
    name = "exponential"
    exact = True

    @property
    def event(self) -> ApproximateEvent:
        """A pure event."""
        return ApproximateEvent(self.epsilon)

    def distance(self, first: FloatArray, second: FloatArray) -> float:
        """Return the largest change of a score."""
        return float(np.abs(first - second).max(initial=0.0))

    def draw(self, values: FloatArray, stream: NoiseStream) -> FloatArray:
        """Return the chosen index, as an array of one number."""
        scores = checks.finite_array("values", values).ravel()
        costs = (scores.max() - scores) * (self.epsilon / (2 * self.sensitivity))
        return np.array([float(noise.select(stream, costs))])
