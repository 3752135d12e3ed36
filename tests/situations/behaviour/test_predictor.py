"""The private predictor of behaviour: its guarantee for tuples, values and people."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import Budget, Ledger, Unit
from tacit.errors import BudgetError, InputError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.privacy import accounting
from tacit.situations.behaviour.predictor import bounded_tuples, epsilon_of_one, largest_that_fits, learn_behaviour
from tacit.situations.behaviour.tuples import BehaviourLog, make_tuples, units_of_one_person, units_of_one_value


def random_log(people: int = 12, times: int = 6, seed: int = 0) -> BehaviourLog:
    """Everyone is influenced by the next three, at each time."""
    rng = np.random.default_rng(seed)
    person, time = (part.ravel() for part in np.meshgrid(np.arange(people), np.arange(times), indexing="ij"))
    friends = [(t, u, (u + k) % people) for t in range(times) for u in range(people) for k in (1, 2, 3)]
    outcome = rng.integers(0, 2, len(person))
    return BehaviourLog(rng.random((len(person), 2)), person, time, outcome, np.array(friends))


def test_a_person_who_leaves_changes_no_more_tuples_than_counted() -> None:
    log, most = random_log(), 3
    settings = {"past": 1, "most_influenced": 2, "most_tuples": most}
    before = bounded_tuples(log, **settings)
    for person in range(12):
        # Their attributes and outcomes go; friendships are public and stay.
        kept = log.person != person
        after = bounded_tuples(
            BehaviourLog(log.X[kept], log.person[kept], log.time[kept], log.outcome[kept], log.friendships), **settings
        )
        others = before.person != person
        replaced = (np.any(before.X[others] != after.X, axis=1)).sum()
        assert (~others).sum() + 2 * replaced <= units_of_one_person(most, 2)


def test_the_promise_for_a_person_is_bought_with_noise() -> None:
    log = random_log(people=40)
    predictor = learn_behaviour(
        log, past=1, epsilon=2.0, unit="person", most_influenced=2, most_tuples=2, hidden=(4, 3), random_state=0
    )
    card = predictor.card
    assert (card.unit, card.epsilon, card.rows_per_person) == (Unit.PERSON, 2.0, 2)
    assert 1.99 < accounting.epsilon(card.event, delta=card.delta) <= 2.0
    assert predictor.model.epsilon < 0.5, "one tuple costs far less than a person"
    assert all(part.rows == units_of_one_person(2, 2) for part in card.parts)
    assert predictor.release().card == card
    assert "what these add to the tuples of those whom the person influences" in card.adjacency
    assert set(predictor.predict(make_tuples(log, past=1).X)) <= {0, 1}


def test_a_ledger_is_charged_what_the_promise_for_a_person_costs(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "p.ledger", Budget(3, 1e-4, unit="person"))
    bounds: dict[str, Any] = {"unit": "person", "most_influenced": 2, "most_tuples": 2}
    learn_behaviour(random_log(people=40), past=1, epsilon=2.0, hidden=(3,), ledger=ledger, **bounds)
    (line,) = ledger.statement().lines
    assert line.unit is Unit.PERSON
    assert 1.99 < accounting.epsilon(line.event, delta=1e-5) <= 2.0


def test_a_promise_per_tuple_says_what_it_means_for_a_value() -> None:
    predictor = learn_behaviour(random_log(), past=1, epsilon=1.0, most_influenced=2, hidden=(3,), random_state=0)
    (value,) = predictor.card.coarser
    size = units_of_one_value(1, 2)
    assert value.epsilon == accounting.epsilon(accounting.at_group(predictor.card.event, size), delta=1e-5)
    assert "tuple" in predictor.card.adjacency


def test_the_group_search_ends_on_the_safe_side() -> None:
    model = PrivateAutoencoderClassifier(1.0, bounds=(0, 1), delta=1e-5, hidden=(3,))
    found = epsilon_of_one(4, model, Budget(1.0, 1e-5, unit="record"), 7)
    assert 0.05 < found < 1 / 4
    assert model.epsilon == 1.0
    assert largest_that_fits(lambda x: x <= 0.3, 1.0) == pytest.approx(0.3, rel=2e-3)
    assert largest_that_fits(lambda x: x <= 0.3, 0.2) == 0.2
    with pytest.raises(BudgetError, match="most_tuples"):
        largest_that_fits(lambda _: False, 1.0)


def test_a_person_needs_a_bound_on_tuples() -> None:
    with pytest.raises(BudgetError, match="most_tuples"):
        learn_behaviour(random_log(), past=1, epsilon=1.0, unit="person")
    with pytest.raises(InputError, match="unit"):
        learn_behaviour(random_log(), past=1, epsilon=1.0, unit="family")
