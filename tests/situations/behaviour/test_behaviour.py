import os

import numpy as np
import pytest

from tacit import Budget
from tacit.errors import BudgetError, InputError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.privacy import accounting
from tacit.situations.behaviour.predictor import bounded_tuples, epsilon_of_one, largest_that_fits, learn_behaviour
from tacit.situations.behaviour.public_logs import fitbit_log, glasgow_log
from tacit.situations.behaviour.tuples import (
    BehaviourLog,
    Tuples,
    bounded_contributions,
    bounded_friendships,
    influences,
    make_tuples,
    tuples_with_one_value,
    units_of_one_person,
    units_of_one_value,
)

needs_data = pytest.mark.skipif("TACIT_DATA" not in os.environ, reason="TACIT_DATA is not set: no study is at hand")
NO_FRIENDS = np.empty((0, 3), dtype=np.int64)


def random_log(people: int = 12, times: int = 6, seed: int = 0) -> BehaviourLog:
    """Everyone is influenced by the next three, at each time."""
    rng = np.random.default_rng(seed)
    person, time = (part.ravel() for part in np.meshgrid(np.arange(people), np.arange(times), indexing="ij"))
    friends = [(t, u, (u + k) % people) for t in range(times) for u in range(people) for k in (1, 2, 3)]
    outcome = rng.integers(0, 2, len(person))
    return BehaviourLog(rng.random((len(person), 2)), person, time, outcome, np.array(friends))


def test_a_tuple_holds_the_present_the_past_and_the_influence_of_each_time() -> None:
    log = BehaviourLog(
        np.array([[0.1], [0.2], [0.3], [0.9]]),
        np.array([7, 7, 7, 8]),
        np.array([0, 1, 2, 1]),
        np.array([1, 0, 1, 1]),
        np.array([[1, 7, 8]]),
    )
    tuples = make_tuples(log, past=1)
    assert tuples.X.tolist() == [[0.2, 1.0, 0.1, 0.5]]
    assert (tuples.y.tolist(), tuples.person.tolist(), tuples.time.tolist()) == ([1], [7], [1])


def test_gaps_and_unknown_outcomes_make_no_tuple() -> None:
    log = BehaviourLog(np.zeros((3, 1)), np.zeros(3, int), np.array([0, 1, 3]), np.array([0, -1, 1]), NO_FRIENDS)
    with pytest.raises(InputError, match="past"):
        make_tuples(log, past=0)


def test_a_row_that_occurs_twice_is_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        BehaviourLog(np.zeros((2, 1)), np.zeros(2, int), np.zeros(2, int), np.zeros(2, int), NO_FRIENDS)


def test_influence_is_the_mean_outcome_of_friends_who_are_seen() -> None:
    log = BehaviourLog(
        np.zeros((3, 1)),
        np.arange(3),
        np.zeros(3, int),
        np.array([1, 0, -1]),
        np.array([[0, 2, 0], [0, 2, 1], [0, 0, 2]]),
    )
    assert influences(log).tolist() == [0.5, 0.5, 0.5]
    assert influences(BehaviourLog(log.X, log.person, log.time, log.outcome, log.friendships[:1])).tolist() == [
        0.5,
        0.5,
        1.0,
    ]


def test_nobody_influences_more_than_the_bound() -> None:
    friends = random_log().friendships
    for most in (0, 1, 2):
        kept = bounded_friendships(friends, most=most)
        influenced = [len(set(kept[kept[:, 2] == friend, 1])) for friend in range(12)]
        assert influenced == [most] * 12
    assert np.array_equal(bounded_friendships(friends, most=3), friends)


def test_the_last_tuples_of_each_person_are_kept_whoever_else_is_there() -> None:
    tuples = make_tuples(random_log(), past=1)
    kept = bounded_contributions(tuples, most=2)
    assert set(kept.time.tolist()) == {3, 4}
    assert len(kept.y) == 24
    without = tuples.person != 5
    fewer = bounded_contributions(Tuples(*(part[without] for part in vars(tuples).values())), most=2)
    assert np.array_equal(fewer.X, kept.X[kept.person != 5])


@pytest.mark.parametrize("past", [0, 1, 2])
def test_a_changed_value_changes_no_more_tuples_than_counted(past: int) -> None:
    log = random_log(people=8, times=8)
    friends = bounded_friendships(log.friendships, most=2)
    before = make_tuples(BehaviourLog(log.X, log.person, log.time, log.outcome, friends), past=past)
    worst = 0
    for row in range(len(log.X)):
        X, outcome = log.X.copy(), log.outcome.copy()
        X[row], outcome[row] = 1.0, 1 - outcome[row]
        after = make_tuples(BehaviourLog(X, log.person, log.time, outcome, friends), past=past)
        worst = max(worst, int((np.any(before.X != after.X, axis=1) | (before.y != after.y)).sum()))
    assert worst == tuples_with_one_value(past, 2)  # the bound, and it is reached


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


@needs_data
def test_the_studies_give_tuples() -> None:
    glasgow, fitbit = make_tuples(glasgow_log(), past=1), make_tuples(fitbit_log(), past=3)
    assert (len(glasgow.y), len(np.unique(glasgow.person))) == (137, 137)
    assert (len(fitbit.y), len(np.unique(fitbit.person))) == (1201, 35)
    for tuples in (glasgow, fitbit):
        assert tuples.X.min() >= 0
        assert tuples.X.max() <= 1
        assert 0.4 < tuples.y.mean() < 0.6
