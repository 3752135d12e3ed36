"""What events cost together, and the least noise that keeps a promise.

Composition is by privacy-loss distributions, exact where a formula is known; every search ends on the safe side.

The accounting library is imported here and nowhere else, and only when a composition has no closed form.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from tacit import checks
from tacit.errors import BudgetError, UnknownEventError
from tacit.numerics.normal import log_cdf
from tacit.privacy.budget import Budget
from tacit.privacy.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    ParallelEvent,
    RepeatedEvent,
    SequentialEvent,
)

# Sums of decimal fractions such as 100 x 0.01 are off by a few units in the last place; this is not a privacy loss.
ROUNDING = 1e-12
# Losses are rounded up on a grid of at least this width and at most so many points.
LOSS_STEP = 1e-4
LOSS_POINTS = 100_000
LARGEST_DELTA = math.nextafter(1.0, 0.0)
# Ways in which one unit, or a group, can lie in the parts of a composition: each is accounted for by itself.
MOST_ALTERNATIVES = 4096
# Relative width at which a search for a noise level stops.
TOLERANCE = 1e-9

Leaf = LaplaceEvent | GaussianEvent | ApproximateEvent
# How often each leaf happens to one unit.
Tally = Counter[Leaf]


def epsilon(event: Event, *, delta: float) -> float:
    """Return the smallest epsilon known to hold with ``delta``; infinite where none is.

    At delta = 0 epsilons add up. Otherwise the least of basic composition, the analytic Gaussian formula
    [gaussian] and the privacy-loss distribution [pld]; each is an upper bound on the true loss.
    """
    delta = checks.fraction("delta", delta, zero=True)
    return max(_epsilon(tally, delta) for tally in _alternatives(event))


def delta(event: Event, *, epsilon: float) -> float:
    """Return the smallest delta known to hold with ``epsilon`` (0 or above): 0 where epsilons add up to no more."""
    if epsilon != 0:
        checks.positive("epsilon", epsilon)
    return max(_delta(tally, epsilon) for tally in _alternatives(event))


def fits(event: Event, budget: Budget) -> bool:
    """Whether the guarantee of ``event`` lies within ``budget``; adding up is tried before finer accounting."""
    return all(_delta(tally, budget.epsilon) <= budget.delta * (1 + ROUNDING) for tally in _alternatives(event))


def at_record(event: Event, n_features: int) -> Event:
    """Return what an entry-level ``event`` costs a whole record of ``n_features`` entries.

    A record that changes in all its entries meets the entry-level release once for each of them. Entries that lie
    in parts released differently would mix them, for which there is no rule.
    """
    if len(_alternatives(event)) > 1:
        raise UnknownEventError("no rule for a record whose entries lie in parts that were released differently.")
    return RepeatedEvent(event, checks.whole("n_features", n_features))


def at_group(event: Event, size: int) -> Event:
    """Return what ``event`` costs a group of ``size`` units that change together.

    A chain of ``size`` neighbours multiplies the sensitivity of Laplace and Gaussian events by ``size``, whatever the
    mechanism is that they bound: the power of the best test at level a is S(S^-1(a) - t) in a log-concave location
    family with survival function S and shift t, and ``size`` of these in a row shift by ``size`` t [gdp]. For one
    known only by (epsilon, delta) it gives (k epsilon, delta (e^(k epsilon) - 1)/(e^epsilon - 1)) [foundations].
    A composition is grouped release by release, since each of them meets the same two tables.
    """
    size = checks.whole("size", size)
    if size == 1:
        return event
    match event:
        case LaplaceEvent() | GaussianEvent() | ApproximateEvent():
            return _leaf_group(event, size)
        case RepeatedEvent():
            return RepeatedEvent(at_group(event.event, size), event.count)
        case SequentialEvent():
            return SequentialEvent(tuple(at_group(each, size) for each in event.events))
        case ParallelEvent():
            return _spread_group(event, size)
    raise UnknownEventError(f"no rule for groups under {type(event).__name__}.")


def _leaf_group(event: Leaf, size: int) -> Leaf:
    match event:
        case LaplaceEvent():
            return LaplaceEvent(event.scale, event.sensitivity * size)
        case GaussianEvent():
            return GaussianEvent(event.sigma, event.sensitivity * size, min(event.bias * size, LARGEST_DELTA))
    # delta times the sum of e^(i epsilon) over i < size; beyond e^700 any delta is as good as 1.
    growth = math.fsum(math.exp(min(i * event.epsilon, 700.0)) for i in range(size))
    return ApproximateEvent(size * event.epsilon, min(event.delta * growth, LARGEST_DELTA))


def _spread_group(event: ParallelEvent, size: int) -> Event:
    """Return what a group costs whose members lie in any of the parts: each part meets those inside it.

    Members in one part are a group there; parts are released independently, so what they cost together composes. Two
    equal parts need no mixture: releasing one member after the other is a chain, so composing two costs no more than
    a group of two in one part.
    """
    tallies = _alternatives(event)
    ways = math.comb(len(tallies) + size - 1, size)
    if ways > MOST_ALTERNATIVES:
        raise UnknownEventError(
            f"a group of {size} can be spread over {len(tallies)} unlike parts in {ways} ways, more than "
            f"{MOST_ALTERNATIVES}. Release the parts with the same noise."
        )
    parts = [_as_event(tally) for tally in tallies]
    together = [Counter(chosen) for chosen in combinations_with_replacement(range(len(parts)), size)]
    groups = [tuple(at_group(parts[part], count) for part, count in chosen.items()) for chosen in together]
    return groups[0][0] if len(groups) == 1 else ParallelEvent(tuple(SequentialEvent(each) for each in groups))


def gaussian_delta(multiplier: float, epsilon: float) -> float:
    """Return the exact delta of Gaussian noise of ``multiplier`` = sigma / sensitivity at ``epsilon``.

    delta = Phi(1/2m - epsilon m) - e^epsilon Phi(-1/2m - epsilon m), m the multiplier: [gaussian] theorem 8.
    """
    half, shift = 0.5 / multiplier, epsilon * multiplier
    first, second = log_cdf(half - shift), epsilon + log_cdf(-half - shift)
    # Written as e^first (1 - e^(second - first)) so that neither term overflows and small values keep their digits;
    # rounded up, and never to 0, which no Gaussian reaches.
    slack = 4 * np.finfo(float).eps * (1 - first + abs(second))
    return float(np.exp(first) * (slack - np.expm1(min(second - first, 0.0)))) or math.ulp(0.0)


def gaussian_epsilon(multiplier: float, delta: float) -> float:
    """Return the least epsilon, rounded up, at which Gaussian noise of ``multiplier`` has ``delta``."""
    if delta <= 0:
        return math.inf
    if gaussian_delta(multiplier, 0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while gaussian_delta(multiplier, high) > delta:
        low, high = high, 2 * high
        if high > 1e6:
            return math.inf
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(multiplier, middle) > delta else (low, middle)
    return high  # the safe side: delta holds here


def _alternatives(event: Event) -> list[Tally]:
    """Return what one unit can meet, one tally for each part of the data that it may lie in."""
    match event:
        case LaplaceEvent() | GaussianEvent() | ApproximateEvent():
            return [Counter({event: 1})]
        case RepeatedEvent():
            return [
                Counter({leaf: count * event.count for leaf, count in tally.items()})  # the one place of repetition
                for tally in _alternatives(event.event)
            ]
        case SequentialEvent():
            together: list[Tally] = [Counter()]
            for each in event.events:  # one event at a time, so that equal choices are merged before they multiply
                choices = _alternatives(each)
                _require_few(len(together) * len(choices))
                together = _distinct(past + new for past, new in product(together, choices))
            return together
        case ParallelEvent():
            return _distinct(tally for each in event.events for tally in _alternatives(each))
    raise UnknownEventError(f"no accounting rule for an event of type {type(event).__name__}.")


def _require_few(alternatives: int) -> None:
    if alternatives > MOST_ALTERNATIVES:
        raise UnknownEventError(
            f"one unit can meet more than {MOST_ALTERNATIVES} combinations of parts, too many to account for. "
            "Release the parts of each step with the same noise."
        )


def _distinct(tallies: Iterable[Tally]) -> list[Tally]:
    """Return the tallies without repetition and without those that another of the same single leaf kind covers."""
    unique = list({frozenset(tally.items()): tally for tally in tallies}.values())
    if len(unique) > 1 and all(len(tally) == 1 for tally in unique):
        worst: dict[tuple[type[Leaf], int], Leaf] = {}
        for tally in unique:
            ((leaf, count),) = tally.items()
            if isinstance(leaf, ApproximateEvent):
                return unique  # (epsilon, delta) pairs are only partly ordered
            key = (type(leaf), count)
            worst[key] = max(worst.get(key, leaf), leaf, key=_ratio)
        return [Counter({leaf: count}) for (_, count), leaf in worst.items()]
    return unique or [Counter()]


def _ratio(leaf: Leaf) -> float:
    if isinstance(leaf, LaplaceEvent):
        return leaf.sensitivity / leaf.scale
    if isinstance(leaf, GaussianEvent):
        return leaf.sensitivity / leaf.sigma
    raise UnknownEventError("only additive events have a ratio of sensitivity to noise.")


def _as_event(tally: Tally) -> Event:
    return SequentialEvent(tuple(RepeatedEvent(leaf, count) for leaf, count in tally.items()))


def _basic(tally: Tally) -> tuple[float, float]:
    """Return (epsilon, delta) by adding up; infinite where a leaf has no pure epsilon of its own."""
    epsilons, deltas = [0.0], [0.0]
    for leaf, count in tally.items():
        match leaf:
            case LaplaceEvent():
                epsilons.append(count * leaf.sensitivity / leaf.scale)
            case ApproximateEvent():
                epsilons.append(count * leaf.epsilon)
                deltas.append(count * leaf.delta)
            case GaussianEvent():
                return math.inf, 0.0
    return math.fsum(epsilons), math.fsum(deltas)


def _epsilon(tally: Tally, delta: float) -> float:
    spent, mass = _basic(tally)
    basic = spent if mass <= delta * (1 + ROUNDING) else math.inf
    if delta == 0 or not tally:
        return basic
    multiplier, bias, others = _gaussian_part(tally)
    # Probabilities within a factor e^bias of the ideal ones, on both neighbours, cost 2 bias and a factor on delta.
    return min(basic, _unbiased_epsilon(multiplier, others, delta * math.exp(-bias)) + 2 * bias)


def _unbiased_epsilon(multiplier: float, others: Tally, delta: float) -> float:
    """Return epsilon at ``delta`` of one Gaussian of ``multiplier`` (0: none) and ``others``, by the best rule."""
    mass = sum(count * leaf.delta for leaf, count in others.items() if isinstance(leaf, ApproximateEvent))
    only_mass = all(isinstance(leaf, ApproximateEvent) and leaf.epsilon == 0 for leaf in others)
    if multiplier and only_mass:
        return gaussian_epsilon(multiplier, delta - mass)
    if delta <= mass:
        return math.inf
    return float(_loss_distribution(multiplier, frozenset(others.items())).get_epsilon_for_delta(delta))


def _delta(tally: Tally, epsilon: float) -> float:
    spent, mass = _basic(tally)
    if spent <= epsilon * (1 + ROUNDING):
        return min(mass, 1.0)
    multiplier, bias, others = _gaussian_part(tally)
    if epsilon < 2 * bias:
        return 1.0
    if others:
        unbiased = _loss_distribution(multiplier, frozenset(others.items())).get_delta_for_epsilon(epsilon - 2 * bias)
    else:
        unbiased = gaussian_delta(multiplier, epsilon - 2 * bias)
    return min(float(unbiased) * math.exp(bias), 1.0)


def _gaussian_part(tally: Tally) -> tuple[float, float, Tally]:
    """Return (multiplier, bias) of all Gaussians merged into one, and the other leaves.

    Gaussians compose to a Gaussian: 1/m² = sum of 1/m_i² [gdp]; multiplier 0 stands for none.
    """
    squares, biases, others = [], [], Counter[Leaf]()
    for leaf, count in tally.items():
        if isinstance(leaf, GaussianEvent):
            squares.append(count * _ratio(leaf) ** 2)
            biases.append(count * leaf.bias)
        else:
            others[leaf] = count
    return (1 / math.sqrt(math.fsum(squares)) if squares else 0.0), math.fsum(biases), others


@lru_cache(maxsize=16)
def _loss_distribution(multiplier: float, others: frozenset[tuple[Leaf, int]]) -> Any:
    """Return the pessimistic privacy-loss distribution of the composition [pld]."""
    # The accounting library takes a second to load; most programs never compose unlike events.
    from dp_accounting.pld import common  # noqa: PLC0415
    from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415

    step = _loss_step(multiplier, others)
    total = pld.identity(step)
    if multiplier:
        total = pld.from_gaussian_mechanism(multiplier, value_discretization_interval=step)
    for leaf, count in sorted(others, key=repr):
        if isinstance(leaf, LaplaceEvent):
            one = pld.from_laplace_mechanism(leaf.scale, leaf.sensitivity, value_discretization_interval=step)
        elif isinstance(leaf, ApproximateEvent):
            parameters = common.DifferentialPrivacyParameters(leaf.epsilon, leaf.delta)
            one = pld.from_privacy_parameters(parameters, value_discretization_interval=step)
        else:
            raise UnknownEventError(f"no privacy-loss distribution for {type(leaf).__name__}.")
        total = total.compose(one.self_compose(count) if count > 1 else one)
    return total


def _loss_step(multiplier: float, others: frozenset[tuple[Leaf, int]]) -> float:
    """Return a grid width at which even a very lossy composition is quick to compute; any width is pessimistic."""
    losses = [count * (leaf.epsilon if isinstance(leaf, ApproximateEvent) else _ratio(leaf)) for leaf, count in others]
    widest = math.fsum(losses) + (0.5 / multiplier**2 + 12 / multiplier if multiplier else 0.0)
    # A power of ten, so that round losses such as 0.1 fall on the grid and are not rounded up at all.
    return max(LOSS_STEP, 10.0 ** math.ceil(math.log10(widest / LOSS_POINTS)) if widest else 0.0)


def calibrate(event_for: Callable[[float], Event], budget: Budget, *, start: float = 1.0) -> float:
    """Return the least noise level, to a relative 1e-9 and rounded up, whose event fits ``budget``.

    ``event_for(level)`` must cost less the larger the level is. The level returned has itself been seen to fit.
    """
    high = checks.positive("start", start)
    while not fits(event_for(high), budget):
        high *= 2
        if high > start * 2.0**64:
            raise BudgetError(
                f"no noise level keeps {budget}: the event has a delta of its own that noise does not lower. "
                "Raise delta or choose another mechanism."
            )
    low = high / 2
    while fits(event_for(low), budget):
        high, low = low, low / 2
        if low < start * 2.0**-64:
            return high
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if fits(event_for(middle), budget) else (middle, high)
    return high
