"""The private predictor of behaviour: two private layers on tuples, and what its promise means for a person."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import BudgetError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.privacy import accounting
from tacit.privacy.account import Plan, plan_event
from tacit.privacy.budget import Budget
from tacit.privacy.card import Card, Guarantee
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release
from tacit.situations.behaviour.tuples import (
    BehaviourLog,
    Tuples,
    bounded_contributions,
    bounded_friendships,
    make_tuples,
    units_of_one_person,
    units_of_one_value,
)

HIDDEN = (20, 10)
# Rows of q numbers in [0, 1] are shortened to a quarter of sqrt(q), a public number below the length of most.
ROW_SHARE = 0.25
ADJACENCY = "two sets of tuples are neighbours if one of them has one tuple more (a person at one time, with the past)"

PERSON_ADJACENCY = (
    "two logs are neighbours if one of them has one person more, with all their tuples and what these add to the "
    "tuples of those whom the person influences"
)


@dataclass(frozen=True)
class BehaviourPredictor:
    """A fitted predictor: the model, what it protects, and how far back it looks.

    Parameters
    ----------
    model : PrivateAutoencoderClassifier
    card : Card
        The promise: for a tuple, with what it means for one value of a person; or for a whole person.
    past : int
    """

    model: PrivateAutoencoderClassifier
    card: Card
    past: int

    def predict(self, X: FloatArray) -> IntArray:
        """Return the outcome foreseen for tuples [T, q], as ``make_tuples`` makes them with the same ``past``."""
        return np.asarray(self.model.predict(X), dtype=np.int64)

    def release(self) -> Release:
        """Return the file to hand out, with the card of people."""
        return replace(self.model.release(), card=self.card)


def learn_behaviour(
    log: BehaviourLog,
    *,
    past: int,
    epsilon: float,
    delta: float = 1e-5,
    unit: str = "tuple",
    most_influenced: int = 3,
    most_tuples: int | None = None,
    hidden: Sequence[int] = HIDDEN,
    ledger: Ledger | str | PathLike[str] | None = None,
    random_state: int | None = None,
) -> BehaviourPredictor:
    """Return a predictor of the next outcome, learned from the tuples of ``log``.

    ``unit="tuple"`` protects a tuple at (epsilon, delta). ``unit="person"`` buys the promise for a person with all
    their attributes and outcomes: nobody influences more than ``most_influenced`` others, nobody has more than
    ``most_tuples`` tuples, and the noise is raised until so many tuples together cost epsilon, which is what the ledger
    is charged for one person. Who is friends with whom is public.
    """
    checks.one_of("unit", unit, ("tuple", "person"))
    if unit == "person" and most_tuples is None:
        raise BudgetError("unit='person' needs most_tuples, a public bound on the tuples of one person; got None.")
    tuples = bounded_tuples(log, past=past, most_influenced=most_influenced, most_tuples=most_tuples)
    degree = most_influenced if len(log.friendships) else 0
    model = PrivateAutoencoderClassifier(
        epsilon,
        bounds=(0, 1),
        delta=delta,
        hidden=hidden,
        row_norm=row_norm(tuples.X.shape[1]),
        classes=(0, 1),
        ledger=ledger,
        random_state=random_state,
    )
    if unit == "person" and most_tuples is not None:
        size = units_of_one_person(most_tuples, degree)
        promise = Budget(epsilon, delta, unit="person")
        model.set_params(epsilon=epsilon_of_one(tuples.X.shape[1], model, promise, size))
        model.fit(tuples.X, tuples.y, charge=person_charge(model, tuples.X.shape[1], promise, (most_tuples, degree)))
        return BehaviourPredictor(model, _person_card(model.card_), past)
    model.fit(tuples.X, tuples.y)
    return BehaviourPredictor(model, people_card(model.card_, past, degree, most_tuples), past)


def person_charge(
    model: PrivateAutoencoderClassifier, n_features: int, promise: Budget, bounds: tuple[int, int]
) -> Plan:
    """Return what a fit of ``model`` costs one person, of bounded tuples and influence, as the ledger is charged.

    ``bounds`` are the most tuples of a person and the most others whom they influence.
    """
    most, degree = bounds
    size = units_of_one_person(most, degree)
    steps = tuple(
        replace(
            step,
            rows=size,
            because=f"{step.because}; a person has at most {most} tuples and influences at most {degree} others: "
            f"{size} tuples come or go with them",
        )
        for step in model.plan(n_features, 2)
    )
    return Plan(promise, steps, n_features, (), rows_per_person=most)


def _person_card(card: Card) -> Card:
    return replace(card, adjacency=PERSON_ADJACENCY, not_protected=(*card.not_protected, "who is friends with whom"))


def row_norm(n_features: int) -> float:
    """Return the public length that tuples of ``n_features`` numbers are shortened to."""
    return ROW_SHARE * math.sqrt(n_features)


def bounded_tuples(log: BehaviourLog, *, past: int, most_influenced: int, most_tuples: int | None) -> Tuples:
    """Return the tuples of ``log`` with both bounds applied."""
    friendships = bounded_friendships(log.friendships, most=most_influenced)
    tuples = make_tuples(replace(log, friendships=friendships), past=past)
    return tuples if most_tuples is None else bounded_contributions(tuples, most=most_tuples)


def epsilon_of_one(n_features: int, model: PrivateAutoencoderClassifier, budget: Budget, size: int) -> float:
    """Return the largest epsilon of one tuple, to a thousandth and rounded down, with ``size`` of them in ``budget``.

    It is searched below ``budget.epsilon``, over which a group's cost only grows.
    """
    tried = PrivateAutoencoderClassifier(**model.get_params())

    def cost(epsilon: float) -> bool:
        event = plan_event(tried.set_params(epsilon=epsilon).plan(n_features, 2))
        return accounting.fits(accounting.at_group(event, size), budget)

    return largest_that_fits(cost, budget.epsilon)


def largest_that_fits(fits: Callable[[float], bool], largest: float) -> float:
    """Return a number within a thousandth below the largest one up to ``largest`` that fits."""
    if fits(largest):
        return largest
    low = largest
    while not fits(low):
        low /= 2
        if low < largest * 2.0**-30:
            raise BudgetError("no noise keeps this promise for so many tuples: lower most_tuples or most_influenced.")
    high = 2 * low
    while high - low > 1e-3 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def people_card(card: Card, past: int, degree: int, most_tuples: int | None) -> Card:
    """Return ``card`` of tuples with what it guarantees to one value, and to a person if contributions are bounded."""
    value = units_of_one_value(past, degree)
    if most_tuples is not None:
        value = min(value, 2 * most_tuples * (1 + degree))
    people = [_guarantee(f"value of a person at one time, in {value // 2} tuples", card, value)]
    if most_tuples is not None:
        name = f"person with at most {most_tuples} tuples who influences at most {degree} others"
        people.append(_guarantee(name, card, units_of_one_person(most_tuples, degree)))
    unprotected = (*card.not_protected, "who is friends with whom", "a person, beyond the lines above that name one")
    return replace(card, adjacency=ADJACENCY, coarser=tuple(people), not_protected=unprotected)


def _guarantee(name: str, card: Card, size: int) -> Guarantee:
    epsilon = accounting.epsilon(accounting.at_group(card.event, size), delta=card.delta)
    return Guarantee(name, epsilon if math.isfinite(epsilon) else None, card.delta)
