import pytest

from tacit.errors import InputError, UnknownEventError
from tacit.privacy.events import (
    ApproximateEvent,
    GaussianEvent,
    LaplaceEvent,
    ParallelEvent,
    RepeatedEvent,
    SequentialEvent,
    from_dict,
    to_dict,
)

EVERY_KIND = SequentialEvent(
    (
        RepeatedEvent(LaplaceEvent(10.0, 1.0), 784),
        ParallelEvent((GaussianEvent(3.0, 1.0, 1e-20), ApproximateEvent(0.0, 1e-7))),
    )
)


def test_every_event_survives_the_way_through_json() -> None:
    assert from_dict(to_dict(EVERY_KIND)) == EVERY_KIND


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"event": "poisson"},
        {"event": "laplace"},
        {"event": "laplace", "scale": 1.0, "sensitivity": 1.0, "hidden": 2},
        {"event": "repeated", "count": 3},
        {"event": "sequential", "of": 3},
        {"event": "parallel", "of": [3]},
    ],
)
def test_an_unknown_or_malformed_event_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(UnknownEventError):
        from_dict(content)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LaplaceEvent(0, 1),
        lambda: LaplaceEvent(1, -1),
        lambda: GaussianEvent(float("nan"), 1),
        lambda: ApproximateEvent(-1),
        lambda: ApproximateEvent(1, 1.5),
        lambda: RepeatedEvent(LaplaceEvent(1, 1), 0),
    ],
)
def test_an_event_checks_its_numbers(make: object) -> None:
    with pytest.raises(InputError):
        make()  # type: ignore[operator]


def test_events_are_frozen_and_hashable() -> None:
    event = LaplaceEvent(1.0, 1.0)
    assert {event: 1}[LaplaceEvent(1.0, 1.0)] == 1
    with pytest.raises(AttributeError):
        event.scale = 2.0  # type: ignore[misc]
