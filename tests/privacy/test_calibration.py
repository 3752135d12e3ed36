import pytest

from tacit import Budget
from tacit.errors import BudgetError
from tacit.privacy import accounting
from tacit.privacy.accounting import calibrate
from tacit.privacy.events import ApproximateEvent, Event, GaussianEvent, LaplaceEvent, RepeatedEvent, SequentialEvent


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize(
    "event_for",
    [
        lambda level: LaplaceEvent(level, 1.0),
        lambda level: GaussianEvent(level, 1.0),
        lambda level: RepeatedEvent(GaussianEvent(level, 3.0), 60),
        lambda level: SequentialEvent((LaplaceEvent(level, 1.0), GaussianEvent(level, 1.0))),
    ],
)
def test_a_search_for_noise_ends_on_the_safe_side_and_close_to_the_edge(epsilon: float, event_for: object) -> None:
    budget = Budget(epsilon, 1e-6, unit="record")

    def event(level: float) -> Event:
        made: Event = event_for(level)  # type: ignore[operator]
        return made

    level = calibrate(event, budget)
    assert accounting.fits(event(level), budget)
    assert not accounting.fits(event(level * (1 - 1e-3)), budget)


def test_a_promise_that_no_noise_keeps_is_refused() -> None:
    with pytest.raises(BudgetError, match="Raise delta"):
        calibrate(lambda level: ApproximateEvent(1 / level, 1e-3), Budget(1, 1e-6, unit="record"))
