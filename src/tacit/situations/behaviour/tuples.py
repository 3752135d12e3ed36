"""Tuples that a model learns from, made of a log of people over time, and how many of them one person is in."""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.records import record

UNKNOWN = -1
# Value of the friends' influence for a person without friends whose outcome is known.
NO_INFLUENCE = 0.5
# What the influence of friends is made of: their outcomes, or how steadily they have been friends.
INFLUENCES = ("outcomes", "contacts")


@record
class BehaviourLog:
    """Attributes and outcomes of people over time, and their friendships.

    Parameters
    ----------
    X : array [R, p]
        Attributes in [0, 1], one row for each person and time.
    person, time : int arrays [R]
        Each pair occurs once; times that follow each other differ by 1.
    outcome : int array [R]
        The status to predict, 0 or 1, or -1 where it is unknown.
    friendships : int array [F, 3]
        Time, who is influenced, by whom; empty where friends are not known.
    """

    X: FloatArray
    person: IntArray
    time: IntArray
    outcome: IntArray
    friendships: IntArray

    def __post_init__(self) -> None:
        if not len(self.X) == len(self.person) == len(self.time) == len(self.outcome):
            raise InputError("X, person, time and outcome must have one row for each person and time.")
        if len(self.rows()) < len(self.X):
            raise InputError("person and time must name each row once; got a pair twice.")

    def of(self, people: IntArray) -> "BehaviourLog":
        """Return the log of ``people`` alone, and of friendships among them."""
        kept = np.isin(self.person, people)
        among = np.isin(self.friendships[:, 1:], people).all(axis=1)
        return BehaviourLog(
            self.X[kept], self.person[kept], self.time[kept], self.outcome[kept], self.friendships[among]
        )

    def rows(self) -> dict[tuple[int, int], int]:
        """Return the row of each person and time."""
        return {key: row for row, key in enumerate(zip(self.person.tolist(), self.time.tolist(), strict=True))}


@record
class Tuples:
    """Training rows: features [T, q] in [0, 1], the next outcome [T], and the person and time of each tuple [T]."""

    X: FloatArray
    y: IntArray
    person: IntArray
    time: IntArray


def make_tuples(
    log: BehaviourLog, *, past: int, influence: str = "outcomes", attention: Mapping[int, float] | None = None
) -> Tuples:
    """Return a tuple for each person and time with ``past`` times before it known and the outcome after it.

    Its features are the attributes at the time and at the N = ``past`` times before, and for each of these times the
    influence of friends ([dpa]: x_ut, x_u,t-k and the mean of ψ_t(v, u)): the mean of their outcomes, or with
    ``influence="contacts"`` what ``contact_influences`` returns, with the ``attention`` η of each person.
    """
    checks.whole("past", past, least=0)
    checks.one_of("influence", influence, INFLUENCES)
    if attention is not None and influence != "contacts":
        raise InputError("attention must be left out unless influence is 'contacts'.")
    rows = log.rows()
    of_friends = influences(log) if influence == "outcomes" else contact_influences(log, attention)
    features, labels, keys = [], [], []
    for person, time in rows:
        steps = [rows.get((person, time - k)) for k in range(past + 1)]
        following = rows.get((person, time + 1))
        if None in steps or following is None or log.outcome[following] == UNKNOWN:
            continue
        features.append([value for step in steps if step is not None for value in (*log.X[step], of_friends[step])])
        labels.append(log.outcome[following])
        keys.append((person, time))
    if not features:
        raise InputError(f"past must leave at least one tuple; {past} times before and one after are never all known.")
    people, times = np.array(keys, dtype=np.int64).T
    return Tuples(np.array(features), np.array(labels, dtype=np.int64), people, times)


def influences(log: BehaviourLog) -> FloatArray:
    """Return for each row the mean outcome of the friends that influence the person at that time [R]."""
    rows = log.rows()
    outcomes: Mapping[int, list[int]] = defaultdict(list)  # of the friends, by row
    for time, influenced, friend in log.friendships.tolist():
        row, other = rows.get((influenced, time)), rows.get((friend, time))
        if row is not None and other is not None and log.outcome[other] != UNKNOWN:
            outcomes[row].append(int(log.outcome[other]))
    return np.array([np.mean(outcomes[row]) if outcomes[row] else NO_INFLUENCE for row in range(len(log.X))])


def contact_influences(log: BehaviourLog, attention: Mapping[int, float] | None = None) -> FloatArray:
    """Return for each row η_u times the mean of ψ_t(v, u) over the friends v of the person u at that time [R]; [dpa].

    ψ_t(v, u) is a contact probability: the share of u's times up to t at which v was u's friend. The paper takes it
    from a model of another paper and learns η of each user. Here ψ is made of friendships alone, which are public, so
    that no other person's value enters a tuple; and η is a public number in [0, 1] of each person, 1 if not given:
    learned from one person's rows it would tell about that person, and nothing about people who were not learned from.
    """
    rows, weights = log.rows(), attention or {}
    if bad := [eta for eta in weights.values() if not 0 <= eta <= 1]:
        raise InputError(f"attention must lie in [0, 1]; got {bad[0]}.")
    met: Mapping[tuple[int, int], list[int]] = defaultdict(list)  # times of a friendship, by influenced and friend
    for time, influenced, friend in log.friendships.tolist():
        met[influenced, friend].append(time)
    known: Mapping[int, list[int]] = defaultdict(list)
    for person, time in rows:
        known[person].append(time)
    chances: Mapping[int, list[float]] = defaultdict(list)  # by row
    for (influenced, _), times in met.items():
        for time in times:
            if (row := rows.get((influenced, time))) is not None:
                lived = sum(each <= time for each in known[influenced])
                chances[row].append(sum(each <= time and (influenced, each) in rows for each in times) / lived)
    people = log.person.tolist()
    return np.array([weights.get(u, 1.0) * float(np.mean(chances[r] or [0.0])) for r, u in enumerate(people)])


def bounded_friendships(friendships: IntArray, *, most: int) -> IntArray:
    """Return the friendships in which nobody influences more than ``most`` others over all times, the first ones kept.

    Friendships are declared public, so that the choice of the dropped ones reveals nothing.
    """
    checks.whole("most", most, least=0)
    influenced_by: dict[int, set[int]] = defaultdict(set)
    chosen = []
    for row, (_, influenced, friend) in enumerate(friendships.tolist()):
        if influenced in influenced_by[friend] or len(influenced_by[friend]) < most:
            influenced_by[friend].add(influenced)
            chosen.append(row)
    return friendships[np.array(chosen, dtype=np.int64)]


def bounded_contributions(tuples: Tuples, *, most: int) -> Tuples:
    """Return the last ``most`` tuples of each person; the choice depends on that person's tuples alone."""
    checks.whole("most", most)
    later = np.lexsort((-tuples.time, tuples.person))
    first = np.searchsorted(tuples.person[later], tuples.person[later])
    kept = np.sort(later[np.arange(len(later)) - first < most])
    return Tuples(tuples.X[kept], tuples.y[kept], tuples.person[kept], tuples.time[kept])


def tuples_with_one_value(past: int, degree: int) -> int:
    """Return how many tuples one person's value at one time enters: (N + 1)(1 + degree) + 1.

    It is one of the N + 1 times of its own person's tuples and of those of the ``degree`` people it influences, and it
    decides the label of one tuple.
    """
    return (past + 1) * (1 + degree) + 1


def units_of_one_value(past: int, degree: int) -> int:
    """Return how many tuples are added or removed when one value changes: each one it enters is replaced, two steps."""
    return 2 * tuples_with_one_value(past, degree)


def units_of_one_person(most: int, degree: int) -> int:
    """Return how many tuples are added or removed when a person leaves who has at most ``most`` tuples.

    Their own go, and those of the ``degree`` people whom they influence, as many each, are replaced, two steps.
    """
    return most * (1 + 2 * degree)
