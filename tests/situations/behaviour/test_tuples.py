"""Tuples of a log of people over time, and how many of them one value or one person can change."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.situations.behaviour.tuples import (
    BehaviourLog,
    Tuples,
    bounded_contributions,
    bounded_friendships,
    contact_influences,
    influences,
    make_tuples,
    tuples_with_one_value,
)

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


def contact_log() -> BehaviourLog:
    """Person 0 is seen at times 0, 1 and 2; 1 is a friend at all of them, 2 at the last alone."""
    friends = np.array([[0, 0, 1], [1, 0, 1], [2, 0, 1], [2, 0, 2]])
    person, time = np.array([0, 0, 0, 1, 2]), np.array([0, 1, 2, 2, 2])
    return BehaviourLog(np.zeros((5, 1)), person, time, np.ones(5, dtype=np.int64), friends)


def test_contact_probability_is_the_share_of_times_as_a_friend() -> None:
    assert contact_influences(contact_log()).tolist() == pytest.approx([1, 1, (1 + 1 / 3) / 2, 0, 0])


def test_attention_weighs_the_influence_of_each_person() -> None:
    assert contact_influences(contact_log(), {0: 0.5}).tolist() == pytest.approx([0.5, 0.5, 1 / 3, 0, 0])
    with pytest.raises(InputError, match=r"attention must lie in \[0, 1\]; got 1.5"):
        contact_influences(contact_log(), {0: 1.5})
    with pytest.raises(InputError, match="unless influence is 'contacts'"):
        make_tuples(random_log(), past=0, attention={0: 0.5})


def test_contacts_bring_nobody_elses_value_into_a_tuple() -> None:
    log = random_log()
    flipped = np.where(log.person == 5, 1 - log.outcome, log.outcome)
    other = BehaviourLog(log.X, log.person, log.time, flipped, log.friendships)
    first, second = (make_tuples(each, past=1, influence="contacts") for each in (log, other))
    np.testing.assert_array_equal(first.X, second.X)
    # By the mean of outcomes, three others would see it.
    changed = (make_tuples(log, past=1).X != make_tuples(other, past=1).X).any(axis=1)
    assert set(make_tuples(log, past=1).person[changed]) == {2, 3, 4}
    assert first.X.min() >= 0
    assert first.X.max() <= 1


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
