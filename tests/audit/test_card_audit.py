from dataclasses import replace

import pytest

from tacit import Budget, Card, PrivateNearestMean, Relation
from tacit.audit.card_audit import (
    FEWEST_DRAWS,
    QUICK_CONFIDENCE,
    QUICK_DRAWS,
    SECONDS,
    audit_card,
    quick_audit,
)
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


def test_a_mechanism_that_costs_more_than_its_event_is_named() -> None:
    card = card_of(Laplace.for_epsilon(1.0, sensitivity=1.0), 1.0)
    weak = replace(card.parts[0], mechanism={**card.parts[0].mechanism, "scale": 0.4})
    assert audit_card(card, draws=100, seed=1).understated == ()
    assert audit_card(replace(card, parts=(weak,)), draws=100, seed=1).understated == ("something",)


def test_noise_for_one_row_does_not_hide_a_person_with_several() -> None:
    mechanism = Laplace.for_epsilon(0.25, sensitivity=1.0)
    step = Step(mechanism, "a sum", "rows lie in [0, 1]", rows=4)
    account = Account.open([step], budget=Budget(1.0, unit="person"))
    card = account.card("a sum", adjacency="one person more or less")
    found = audit_card(card, draws=20_000, seed=0)
    assert found.passed
    assert 0.7 < found.results[0].lower_bound <= 1.0
    alone = replace(card.parts[0], mechanism={**card.parts[0].mechanism, "scale": mechanism.scale / 4})
    assert not audit_card(replace(card, parts=(alone,)), draws=20_000, seed=0).passed


def test_a_quick_audit_plays_what_costs_seconds_and_repeats_with_a_seed() -> None:
    card = card_of(Laplace.for_epsilon(1.0, sensitivity=1.0), 1.0)
    first, again, other = (quick_audit(card, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    (result,) = first
    assert result.draws == QUICK_DRAWS
    assert result.confidence == QUICK_CONFIDENCE
    assert result.passed


def test_a_quick_audit_of_many_parts_draws_less_of_each_and_leaves_out_what_is_slow() -> None:
    card = card_of(Exponential(1.0, 2.0), 1.0)
    many = replace(card, parts=card.parts * 10)
    assert [each.draws for each in quick_audit(many, seed=0)] == [int(SECONDS / 10 / 1e-4)] * 10
    too_many = replace(card, parts=card.parts * 100)
    assert quick_audit(too_many, seed=0) == ()
    assert SECONDS / 100 / 1e-4 < FEWEST_DRAWS


def test_a_quick_audit_catches_a_card_that_promises_ten_times_too_much() -> None:
    card = card_of(Laplace.for_epsilon(5.0, sensitivity=1.0), 5.0)
    lying = card_of(Laplace.for_epsilon(0.5, sensitivity=1.0), 0.5)
    swapped = replace(lying, parts=(replace(lying.parts[0], mechanism=card.parts[0].mechanism),))
    assert not quick_audit(swapped, seed=0)[0].passed
