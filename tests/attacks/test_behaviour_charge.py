"""A predictor of behaviour charges what its promise costs those whom the ledger protects, not what a tuple costs."""

from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Ledger
from tacit.errors import BudgetError, BudgetExceededError
from tacit.situations.behaviour.predictor import learn_behaviour
from tacit.situations.behaviour.tuples import BehaviourLog, bounded_contributions, make_tuples, units_of_one_value

P, T = 30, 6


def log() -> BehaviourLog:
    rng = np.random.default_rng(0)
    person, time = np.repeat(np.arange(P), T), np.tile(np.arange(T), P)
    friends = np.array([(t, i, (i + 1) % P) for t in range(T) for i in range(P)])
    return BehaviourLog(rng.random((P * T, 3)), person, time, rng.integers(0, 2, P * T), friends)


def test_a_promise_to_a_person_costs_a_ledger_per_person_what_it_says(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1.0, 1e-5, unit="person"))
    model = learn_behaviour(
        log(), past=1, epsilon=1.0, unit="person", most_influenced=2, most_tuples=4, hidden=(5,), ledger=ledger
    )
    assert 0.99 < ledger.spent() <= 1.0
    assert model.card.ledger == {"identifier": ledger.identifier, "line": 1, "digest": ledger.lines()[0].digest}
    with pytest.raises(BudgetExceededError):
        learn_behaviour(
            log(), past=1, epsilon=1.0, unit="person", most_influenced=2, most_tuples=4, hidden=(5,), ledger=ledger
        )


def test_a_promise_to_a_tuple_costs_a_row_of_the_log_all_the_tuples_that_it_enters(tmp_path: Path) -> None:
    small = Ledger.create(tmp_path / "small.ledger", Budget(1.0, 1e-5, unit="record"))
    with pytest.raises(BudgetExceededError):
        learn_behaviour(log(), past=1, epsilon=1.0, most_influenced=2, hidden=(5,), ledger=small)
    assert small.lines() == ()
    large = Ledger.create(tmp_path / "large.ledger", Budget(60.0, 1e-5, unit="record"))
    learn_behaviour(log(), past=1, epsilon=1.0, most_influenced=2, hidden=(5,), ledger=large)
    assert large.spent() > 14  # one value is in 14 tuples' worth of changes


def test_a_ledger_per_person_needs_a_bound_on_tuples(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1.0, 1e-5, unit="person"))
    with pytest.raises(BudgetError, match="most_tuples"):
        learn_behaviour(log(), past=1, epsilon=0.01, hidden=(5,), ledger=ledger)
    assert ledger.lines() == ()


@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize("row", [0, 9, 100])
def test_no_row_of_the_log_moves_more_tuples_than_are_charged(row: int, most: int | None) -> None:
    """The slow count: tuples with and without the row, as multisets."""
    whole = log()
    kept = np.arange(P * T) != row
    less = BehaviourLog(whole.X[kept], whole.person[kept], whole.time[kept], whole.outcome[kept], whole.friendships)
    tables = []
    for each in (whole, less):
        tuples = make_tuples(each, past=1)
        tuples = tuples if most is None else bounded_contributions(tuples, most=most)
        tables.append({(*x, y) for x, y in zip(map(tuple, tuples.X), tuples.y.tolist(), strict=True)})
    moved = len(tables[0] ^ tables[1])
    assert moved <= units_of_one_value(1, 1)
    assert moved > 0 or most is not None
