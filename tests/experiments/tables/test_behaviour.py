"""Behaviour of people who were not learned from, on an invented log."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest

from tacit.experiments.results import ResultRow
from tacit.experiments.tables import behaviour
from tacit.experiments.tables.behaviour import OPEN, PRIVATE, Study, _split
from tacit.situations.behaviour.tuples import BehaviourLog

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def habits(n_people: int = 90) -> Study:
    """Return people of whom each acts from habit, with friends in a ring."""
    rng = np.random.default_rng(0)
    person, time = (part.ravel() for part in np.meshgrid(np.arange(n_people), np.arange(3), indexing="ij"))
    habit = rng.random(n_people)[person]
    outcome = (habit + rng.normal(0, 0.05, len(person)) > 0.5).astype(np.int64)
    X = np.clip(np.column_stack([habit, rng.random(len(person)), outcome]), 0, 1)
    ring = np.array([[0, each, (each + 1) % n_people] for each in range(n_people)])
    return Study("people of habit", BehaviourLog(X, person, time, outcome, ring), 1, 1)


@pytest.fixture
def small(shrink: Callable[..., None]) -> None:
    shrink(behaviour, studies=lambda: [habits()], SEEDS=2, EPSILONS=(0.1, 8.0), SHARES=(0.5,))


@pytest.mark.usefixtures("small")
def test_each_method_is_measured_by_epsilon_and_by_share(checked: Checked) -> None:
    rows = checked(behaviour.rows())
    by_setting = {
        setting: [row.method for row in rows if row.setting == f"people of habit, {setting}"]
        for setting in dict.fromkeys(row.setting.removeprefix("people of habit, ") for row in rows)
    }
    assert by_setting == {
        "not private": list(OPEN),
        "epsilon 0.1 per tuple": list(PRIVATE),
        "epsilon 0.1 per person": ["private autoencoder, two layers"],
        "epsilon 8 per tuple": list(PRIVATE),
        "epsilon 8 per person": ["private autoencoder, two layers"],
        "50% of the people, not private": list(OPEN),
        "50% of the people, epsilon 1 per tuple": list(PRIVATE),
    }
    means = {(row.method, row.setting.removeprefix("people of habit, ")): row.mean for row in rows}
    assert means["logistic regression, not private", "not private"] > 0.85
    assert means["truncated autoencoder, hardly any noise", "not private"] > 0.8
    assert means["functional mechanism, no layer", "epsilon 8 per tuple"] > 0.8
    assert means["functional mechanism, no layer", "epsilon 0.1 per tuple"] < 0.8


def test_by_contacts_no_promise_per_person_is_measured_and_friends_outcomes_are_not_read(
    shrink: Callable[..., None], checked: Checked
) -> None:
    by_contacts = replace(habits(), influence="contacts")
    shrink(behaviour, studies=lambda: [by_contacts], SEEDS=1, EPSILONS=(8.0,), SHARES=())
    rows = checked(behaviour.rows())
    assert not any("per person" in row.setting for row in rows)
    _, tested = _split(by_contacts, seed=0)
    # A ring of friends at time 0 alone: in contact at the one time before, and not at the present.
    assert set(tested.X[:, 3]) == {0.0}
    assert set(tested.X[:, 7]) == {1.0}


def test_nobody_is_both_learned_from_and_tested_on() -> None:
    person, time = (part.ravel() for part in np.meshgrid(np.arange(9), np.arange(3), indexing="ij"))
    log = BehaviourLog(np.zeros((27, 1)), person, time, np.zeros(27, dtype=np.int64), np.array([[0, 1, 2], [1, 3, 4]]))
    learned, tested = _split(Study("nine people", log, 1, 1), seed=0, share=0.5)
    assert not set(learned.person) & set(tested.person)
    assert len(set(tested.person)) == len(set(learned.person)) == 3


def test_a_seed_repeats_a_split_and_another_draws_other_people() -> None:
    study = habits(30)
    first, again, other = (_split(study, seed)[1].person for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)
