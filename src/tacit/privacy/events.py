"""Frozen records of what was released, with which sensitivity; accounting reads nothing else.

An event speaks of one protected unit: how far the outputs on two inputs that differ in one unit can be told apart.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from tacit import checks
from tacit.errors import InputError, UnknownEventError

# Bounds on what is read: no release comes near them.
MOST_DEPTH, MOST_EVENTS = 16, 10_000
MOST_REPEATED = 10**9


@dataclass(frozen=True)
class LaplaceEvent:
    """Laplace noise of ``scale`` on a query of 1-norm ``sensitivity``."""

    name: ClassVar[str] = "laplace"
    scale: float
    sensitivity: float

    def __post_init__(self) -> None:
        checks.positive_attributes(self, "scale", "sensitivity")


@dataclass(frozen=True)
class GaussianEvent:
    """Gaussian noise of standard deviation ``sigma`` on a query of 2-norm ``sensitivity``.

    ``bias`` bounds the logarithm of the ratio between the probabilities of the noise drawn and of the ideal noise.
    """

    name: ClassVar[str] = "gaussian"
    sigma: float
    sensitivity: float
    bias: float = 0.0

    def __post_init__(self) -> None:
        checks.positive_attributes(self, "sigma", "sensitivity")
        checks.fraction("bias", self.bias, zero=True)


@dataclass(frozen=True)
class ApproximateEvent:
    """A release of which only (``epsilon``, ``delta``) is known; ``epsilon`` may be 0."""

    name: ClassVar[str] = "approximate"
    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.epsilon != 0:
            checks.positive("epsilon", self.epsilon)
        checks.fraction("delta", self.delta, zero=True)


@dataclass(frozen=True)
class RepeatedEvent:
    """``event`` released ``count`` times on the same data, each time with fresh noise; parallel parts stay the same."""

    name: ClassVar[str] = "repeated"
    event: "Event"
    count: int

    def __post_init__(self) -> None:
        if checks.whole("count", self.count) > MOST_REPEATED:
            raise InputError(f"count of a repeated event must be at most {MOST_REPEATED}; got {self.count}.")


@dataclass(frozen=True)
class SequentialEvent:
    """Every one of ``events``, on the same data."""

    name: ClassVar[str] = "sequential"
    events: tuple["Event", ...]


@dataclass(frozen=True)
class ParallelEvent:
    """Every one of ``events``, each on its own part of the data; one unit lies in one part.

    The parts must be fixed without looking at the protected values (or by the unit's own value under
    add-or-remove adjacency): changing one unit then changes the input of one event only.
    """

    name: ClassVar[str] = "parallel"
    events: tuple["Event", ...]


Event = LaplaceEvent | GaussianEvent | ApproximateEvent | RepeatedEvent | SequentialEvent | ParallelEvent

_KINDS: dict[str, type[Event]] = {
    kind.name: kind
    for kind in (LaplaceEvent, GaussianEvent, ApproximateEvent, RepeatedEvent, SequentialEvent, ParallelEvent)
}


def to_dict(event: Event) -> dict[str, Any]:
    """Return ``event`` as JSON-ready data; ``from_dict`` is its inverse."""
    content: dict[str, Any] = {"event": event.name}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name == "event":
            content["of"] = to_dict(value)
        elif field.name == "events":
            content["of"] = [to_dict(each) for each in value]
        else:
            content[field.name] = value
    return content


def ways(event: Event) -> int:
    """Return an upper bound on the ways in which one unit can meet the parts of ``event``; equal parts count once."""
    match event:
        case RepeatedEvent():
            return ways(event.event)
        case SequentialEvent():
            return math.prod(ways(each) for each in event.events)
        case ParallelEvent():
            return sum(ways(each) for each in set(event.events))
    return 1


def from_dict(content: Mapping[str, Any]) -> Event:
    """Return the event that ``content`` describes; anything unknown, too deep or too large is refused."""
    _require_bounded(content)
    return _event(content)


def _require_bounded(content: Any) -> None:
    """Raise UnknownEventError for an event that was made to be read or accounted for without end."""
    level, total = [content], 1
    for _ in range(MOST_DEPTH):
        level = [each for outer in level if isinstance(outer, Mapping) for each in _inner(outer.get("of"))]
        total += len(level)
        if not level:
            return
        if total > MOST_EVENTS:
            break
    raise UnknownEventError(f"an event may hold at most {MOST_EVENTS} others, at most {MOST_DEPTH} within each other.")


def _inner(of: Any) -> Sequence[Any]:
    return of if isinstance(of, list | tuple) else () if of is None else (of,)


def _event(content: Mapping[str, Any]) -> Event:
    rest = dict(content)
    kind = _KINDS.get(str(rest.pop("event", None)))
    if kind is None:
        raise UnknownEventError(f"event must be one of {', '.join(_KINDS)}; got {content.get('event')!r}.")
    inner = rest.pop("of", None)
    try:
        if kind in (SequentialEvent, ParallelEvent):
            return kind(events=tuple(_event(each) for each in _listed(inner)), **rest)
        if kind is RepeatedEvent:
            return RepeatedEvent(event=_event(inner), **rest)
        return kind(**rest)
    except (TypeError, AttributeError) as problem:
        raise UnknownEventError(f"event {kind.name!r} is malformed: {problem}") from problem


def _listed(inner: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(inner, list | tuple):
        raise TypeError("'of' must be a list of events")
    return inner
