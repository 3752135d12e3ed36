"""The distinguishing game: a lower bound on epsilon from draws on two neighbouring inputs.

If a release is (epsilon, delta)-private, then P(S) <= e^epsilon Q(S) + delta for every event S, with P and Q its laws
on neighbours. Half of the draws pick an event; the other half bound P(S) from below and Q(S) from above.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import betaincinv

from tacit import checks
from tacit.arrays import BoolArray, FloatArray
from tacit.errors import InputError
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import (
    AgainstRest,
    Duchi,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    NormGamma,
    ObjectivePerturbation,
    RandomizedResponse,
    StackedPerturbation,
    Staircase,
    TunedPerturbation,
)
from tacit.privacy.stream import NoiseStream

CONFIDENCE = 0.999
# How many cut points of the statistic are tried as events.
CUTS = 256
# A discrete statistic with at most this many values is also tried value by value.
FEW_VALUES = 64

# Draws a statistic of the release that many times, for one of the two inputs.
Sampler = Callable[[int], FloatArray]
Neighbour = TypeVar("Neighbour")
# Which draws of a statistic lie in an event.
OutputSet = Callable[[FloatArray], BoolArray]


@dataclass(frozen=True)
class Game:
    """Two neighbouring inputs, as samplers of a one-dimensional statistic of the release, and the claim to test."""

    name: str
    epsilon: float
    delta: float
    first: Sampler
    second: Sampler

    def play(self, draws: int, *, confidence: float = CONFIDENCE) -> AuditResult:
        """Return the audit's result from ``draws`` draws on each side."""
        checks.whole("draws", draws, least=8)
        bound = epsilon_lower_bound(self.first(draws), self.second(draws), delta=self.delta, confidence=confidence)
        return AuditResult(self.name, self.epsilon, bound, confidence, draws, bound <= self.epsilon)


def epsilon_lower_bound(
    first: FloatArray, second: FloatArray, *, delta: float = 0.0, confidence: float = CONFIDENCE
) -> float:
    """Return a lower bound on epsilon that holds with ``confidence``, 0 if the draws show nothing.

    Events are half lines of the statistic, and single values where it has few; both orders of the two inputs are
    tried. Log((p - delta)/q) is taken at the Clopper-Pearson limits of p and q [clopper-pearson].
    """
    first, second = checks.finite_array("first", first).ravel(), checks.finite_array("second", second).ravel()
    if first.size < 8 or second.size < 8:
        raise InputError("the game needs at least 8 draws on each side.")
    picking = first[::2], second[::2]
    testing = first[1::2], second[1::2]
    events = _candidate_events(np.concatenate(picking))
    scores = [_bound(event, *pair, delta, confidence) for event in events for pair in (picking, picking[::-1])]
    best = int(np.argmax(scores))
    pair = testing if best % 2 == 0 else testing[::-1]
    return max(0.0, _bound(events[best // 2], *pair, delta, confidence))


def mechanism_game(
    mechanism: Mechanism,
    first: FloatArray,
    second: FloatArray,
    *,
    epsilon: float,
    delta: float = 0.0,
    name: str = "",
    seed: int | None = None,
    rows: int = 1,
) -> Game:
    """Return the game of one mechanism on two inputs; the statistic is the output along their difference.

    ``rows`` is the number of rows of one person in which the inputs differ.
    """
    first, second = np.atleast_1d(first).astype(float), np.atleast_1d(second).astype(float)
    largest = rows * mechanism.sensitivity
    if not np.isinf(largest) and mechanism.distance(first, second) > largest * (1 + 1e-9):
        raise InputError("the two inputs are no neighbours: they lie further apart than the declared sensitivity.")
    stream = NoiseStream(seed)
    # Where outputs are no noisy inputs, the mechanism says along which direction they tell the two apart.
    direction = getattr(mechanism, "output_direction", second - first)

    def sampler(values: FloatArray) -> Sampler:
        return lambda count: _statistics(mechanism, values, count, direction, stream)

    return Game(name or mechanism.name, epsilon, delta, sampler(first), sampler(second))


def fit_samplers(statistic: Callable[[Neighbour, int], float], seed: int | None) -> Callable[[Neighbour], Sampler]:
    """Return what makes samplers of ``statistic(table, draw)``, a number computed from a whole fit or release.

    Each fit gets another seed ``draw``, so that a game is repeatable as a whole.
    """
    stream = NoiseStream(seed)

    def sampler(table: Neighbour) -> Sampler:
        return lambda count: np.array([statistic(table, int(stream.words(1, np.uint32)[0])) for _ in range(count)])

    return sampler


def furthest_pair(mechanism: Mechanism) -> tuple[FloatArray, FloatArray]:
    """Return two neighbouring inputs on which ``mechanism`` gives away the most, as far as is known."""
    match mechanism:
        case Duchi():
            corner = np.ones(mechanism.dimension)
            return corner, -corner
        case RandomizedResponse():
            return np.zeros(1), np.array([mechanism.categories - 1.0])
        case Exponential():
            # One good index against all others: the shift of the weights' sum counts fully when there are many.
            lone = mechanism.sensitivity * np.eye(10)[0]
            return lone, mechanism.sensitivity - lone
        case ObjectivePerturbation() | AgainstRest() | StackedPerturbation() | TunedPerturbation():
            return mechanism.opposite_rows()
        case Staircase() | NormGamma():
            return np.zeros(mechanism.dimension), mechanism.sensitivity * np.eye(mechanism.dimension)[0]
    return np.zeros(1), np.array([mechanism.sensitivity])


def furthest_rows(mechanism: Mechanism, rows: int) -> tuple[FloatArray, FloatArray]:
    """Return two inputs that differ in ``rows`` rows of one person, each of them as in ``furthest_pair``.

    A sum moves so many times as far, a table has so many copies of the row. Other mechanisms read one row.
    """
    first, second = furthest_pair(mechanism)
    if isinstance(mechanism, ObjectivePerturbation | AgainstRest):
        return np.repeat(first, rows, axis=0), np.repeat(second, rows, axis=0)
    if isinstance(mechanism, Laplace | Gaussian | Staircase | NormGamma):
        return first, first + rows * (second - first)
    return first, second


def _statistics(
    mechanism: Mechanism, values: FloatArray, count: int, direction: FloatArray, stream: NoiseStream
) -> FloatArray:
    if mechanism.name == "exponential":  # one index for each whole vector of scores
        return np.array([mechanism.draw(values, stream)[0] for _ in range(count)])
    # The noise of separate rows is independent, so one call draws all repetitions.
    rows = mechanism.draw(np.broadcast_to(values, (count, *values.shape)), stream).reshape(count, -1)
    statistics: FloatArray = rows @ direction.ravel()
    return statistics


def _candidate_events(sample: FloatArray) -> list[OutputSet]:
    cuts = np.unique(np.quantile(sample, np.linspace(0, 1, CUTS), method="nearest"))
    events: list[OutputSet] = []
    for cut in cuts:
        events.append(lambda values, cut=cut: values <= cut)  # type: ignore[misc]
        events.append(lambda values, cut=cut: values >= cut)  # type: ignore[misc]
    singles = np.unique(sample)
    if singles.size <= FEW_VALUES:
        events.extend(lambda values, one=one: values == one for one in singles)  # type: ignore[misc]
    return events


def _bound(event: OutputSet, first: FloatArray, second: FloatArray, delta: float, confidence: float) -> float:
    hits, misses = int(event(first).sum()), int(event(second).sum())
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, first.size - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(misses + 1, second.size - misses, 1 - tail)) if misses < second.size else 1.0
    return math.log((low - delta) / high) if low > delta else -math.inf
