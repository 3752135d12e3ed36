"""The audit of releases per person catches noise that was made for one row, and rows that were not bounded."""

from dataclasses import replace

import numpy as np
import pytest

from tacit import Budget
from tacit.audit.card_audit import audit_card
from tacit.audit.game import furthest_rows, mechanism_game
from tacit.audit.persons import ESTIMATORS, added_rows, cases, estimator_replay, person_replay
from tacit.errors import InputError
from tacit.kinds.registry import all_kinds, kind_by_method
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.mechanisms import Duchi, Laplace, NormGamma, ObjectivePerturbation

LIST = {case.name: case for case in cases(1)}


@pytest.mark.parametrize("name", [name for name in LIST if "replay" not in name])
def test_games_pass_and_controls_are_caught(name: str) -> None:
    assert LIST[name].run().passed is not LIST[name].control


def test_every_kind_for_records_has_a_replay() -> None:
    methods = [kind.method for kind in all_kinds() if Unit.RECORD in kind.units]
    replays = {name.split()[0] for name in LIST if "replay" in name}
    assert replays == {*methods, *ESTIMATORS}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_passes_with_noise_for_all_rows_of_a_person(name: str) -> None:
    assert estimator_replay(name, 0).passed


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "Autoencoder" not in name])
def test_each_estimator_is_caught_with_noise_for_fewer_rows(name: str) -> None:
    assert not estimator_replay(name, 0, rows=2, bound=10).passed


def test_a_replay_with_more_rows_than_claimed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the replay: eleven rows of a person where ten are claimed."""
    X, y = added_rows()
    monkeypatch.setattr("tacit.audit.persons.added_rows", lambda: (np.vstack([X, X[-1:]]), np.append(y, y[-1])))
    assert not person_replay(kind_by_method("moments"), 0).passed


def card_per_person(rows: int) -> Card:
    step = Step(Laplace.for_epsilon(1 / rows, sensitivity=1.0), "a sum", "it is so", rows=rows)
    account = Account.open([step], budget=Budget(1, unit="person"), rows_per_person=rows)
    return account.card("a sum", adjacency="")


def test_a_true_card_per_person_passes_close_to_its_claim() -> None:
    found = audit_card(card_per_person(5), draws=8000, seed=0)
    assert found.passed
    assert found.results[0].lower_bound > 0.7


def test_a_card_per_person_with_noise_for_one_row_is_caught() -> None:
    card = card_per_person(5)
    weak = replace(card.parts[0], mechanism={**card.parts[0].mechanism, "scale": 1.0})
    assert not audit_card(replace(card, parts=(weak,)), draws=8000, seed=0).passed


def test_inputs_that_differ_in_several_rows_are_neighbours_of_a_person_only() -> None:
    for mechanism in (
        Laplace.for_epsilon(1, sensitivity=1.0),
        NormGamma(1.0, 1.0, dimension=3),
        ObjectivePerturbation.for_epsilon(1, curvature=2.0, dimension=2),
    ):
        first, second = furthest_rows(mechanism, 4)
        assert mechanism.distance(first, second) == pytest.approx(4 * mechanism.sensitivity)
        mechanism_game(mechanism, first, second, epsilon=4, rows=4)
        with pytest.raises(InputError, match="no neighbours"):
            mechanism_game(mechanism, first, second, epsilon=4, rows=3)
    # What reads one row by itself has no sum to move.
    assert furthest_rows(Duchi(1.0, 2), 4)[0].tolist() == [1, 1]
