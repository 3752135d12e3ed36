from dataclasses import replace

import pytest

from tacit import Budget, Card, PrivateNearestMean, Relation
from tacit.audit.card_audit import audit_card
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import Duchi, Exponential, Laplace, Mechanism, RandomizedResponse, Staircase


def card_of(mechanism: Mechanism, epsilon: float) -> Card:
    step = Step(mechanism, "something", "it is so", relation=Relation.REPLACE)
    account = Account.open([step], budget=Budget(epsilon, unit="record", relation="replace"))
    return account.card("something", adjacency="one row exchanged")


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace.for_epsilon(1.0, sensitivity=3.0),
        Staircase(1.0, 2.0, dimension=3),
        Duchi(1.0, 4),
        RandomizedResponse(1.0, 3),
        Exponential(1.0, 2.0),
    ],
    ids=lambda each: each.name,
)
def test_a_true_card_passes(mechanism: Mechanism) -> None:
    found = audit_card(card_of(mechanism, 1.0), draws=8000, seed=1)
    assert found.passed
    assert found.results[0].lower_bound > 0.3


def test_a_card_that_claims_less_than_its_events_cost_is_caught() -> None:
    card = card_of(Laplace.for_epsilon(1.0, sensitivity=1.0), 1.0)
    found = audit_card(replace(card, epsilon=0.5), draws=1000, seed=1)
    assert not found.adds_up
    assert not found.passed


def test_a_card_whose_mechanism_draws_less_noise_than_its_event_says_is_caught() -> None:
    card = card_of(Laplace.for_epsilon(1.0, sensitivity=1.0), 1.0)
    weak = replace(card.parts[0], mechanism={**card.parts[0].mechanism, "scale": 0.4})
    found = audit_card(replace(card, parts=(weak,)), draws=20_000, seed=1)
    assert found.adds_up
    assert not found.passed


def test_the_card_of_an_estimator_is_audited() -> None:
    X = [[0.1, 0.2], [0.2, 0.1], [0.8, 0.9], [0.9, 0.8]]
    model = PrivateNearestMean(2.0, bounds=(0, 1), classes=[0, 1]).fit(X, [0, 0, 1, 1])
    assert audit_card(model.card_, draws=4000, seed=2).passed
