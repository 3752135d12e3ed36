"""The private predictor of behaviour: its guarantee for tuples, values and people."""

from typing import Any

import numpy as np
import pytest

from tacit import Budget
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
    settings: dict[str, Any] = {"past": 1, "most_influenced": 2, "most_tuples": most}
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
    assert predictor.card.epsilon < 2.0
    value, person = predictor.card.coarser
    assert person.epsilon is not None
    assert 1.99 < person.epsilon <= 2.0
    assert value.epsilon is not None
    assert value.epsilon > predictor.card.epsilon
    assert predictor.release().card.coarser == predictor.card.coarser
    assert set(predictor.predict(make_tuples(log, past=1).X)) <= {0, 1}


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
