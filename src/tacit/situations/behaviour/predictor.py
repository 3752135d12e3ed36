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
from tacit.privacy.account import SEEDED, plan_event
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.card_content import Guarantee
from tacit.privacy.conversions import Claim
from tacit.privacy.events import Event
from tacit.privacy.ledger import Ledger, as_ledger
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


@dataclass(frozen=True)
class BehaviourPredictor:
    """A fitted predictor: the model, what it protects, and how far back it looks.

    Parameters
    ----------
    model : PrivateAutoencoderClassifier
    card : Card
        The tuple-level promise, with what it means for one value of a person and for a whole person.
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


def _tuple_model(
    n_columns: int, epsilon: float, delta: float, hidden: Sequence[int], random_state: int | None
) -> PrivateAutoencoderClassifier:
    """Return the unfitted model of tuples with ``n_columns`` columns, private for one tuple."""
    return PrivateAutoencoderClassifier(
        epsilon,
        bounds=(0, 1),
        delta=delta,
        hidden=hidden,
        row_norm=row_norm(n_columns),
        classes=(0, 1),
        random_state=random_state,
    )


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
    ``most_tuples`` tuples, and the noise is raised until so many tuples together cost epsilon. Who is friends with whom
    is public.

    The ledger is that of the log: it is charged what one row of the log, or one person with a ledger per person, loses
    by all the tuples that they enter, whichever of the two promises was made.
    """
    checks.one_of("unit", unit, ("tuple", "person"))
    if unit == "person" and most_tuples is None:
        raise BudgetError("unit='person' needs most_tuples, a public bound on the tuples of one person; got None.")
    tuples = bounded_tuples(log, past=past, most_influenced=most_influenced, most_tuples=most_tuples)
    degree = most_influenced if len(log.friendships) else 0
    model = _tuple_model(tuples.X.shape[1], epsilon, delta, hidden, random_state)
    if unit == "person" and most_tuples is not None:
        size = units_of_one_person(most_tuples, degree)
        model.set_params(epsilon=epsilon_of_one(tuples.X.shape[1], model, Budget(epsilon, delta, unit="record"), size))
    # Charged here, not by the model, which knows tuples alone; the charge stands before anything is drawn.
    entry = _charged(as_ledger(ledger), model, tuples.X.shape[1], PersonBounds(past, degree, most_tuples))
    model.fit(tuples.X, tuples.y)
    card = replace(people_card(model.card_, past, degree, most_tuples), ledger=entry)
    return BehaviourPredictor(model, card, past)


@dataclass(frozen=True)
class PersonBounds:
    """How many tuples one value, and one person, can be in: public numbers."""

    past: int
    degree: int
    most_tuples: int | None

    def value_units(self) -> int:
        """Return how many tuples come or go when one row of the log changes, comes or goes."""
        units = units_of_one_value(self.past, self.degree)
        return units if self.most_tuples is None else min(units, 2 * self.most_tuples * (1 + self.degree))

    def claim(self, event: Event, unit: Unit) -> Claim:
        """Return what a ledger per ``unit`` of the log is charged for tuples with ``event``.

        A row of the log, a person at one time, enters the tuples that `tuples_with_one_value` counts: they come or go
        with it, or are replaced. A person's rows enter all of the person's tuples and those of whom they influence.
        """
        if unit is not Unit.PERSON:
            group = accounting.at_group(event, self.value_units())
            return Claim.checked(group, unit=Unit.RECORD, relation=Relation.ADD_REMOVE)
        if self.most_tuples is None:
            raise BudgetError(
                "most_tuples must be given with a ledger per person: a public bound on the tuples of one person; got "
                "None. Nothing was charged."
            )
        group = accounting.at_group(event, units_of_one_person(self.most_tuples, self.degree))
        return Claim.checked(group, unit=Unit.PERSON, relation=Relation.ADD_REMOVE)


def _charged(
    book: Ledger | None, model: PrivateAutoencoderClassifier, n_features: int, bounds: PersonBounds
) -> dict[str, str | int] | None:
    """Charge the ledger with what the model's plan costs one unit of the log; return what its card says of that."""
    if book is None:
        return None
    claim = bounds.claim(plan_event(model.plan(n_features, 2)), book.budget.unit)
    if model.random_state is not None:
        claim = replace(claim, warning=SEEDED)
    receipt = book.charge_claim(claim, purpose="predictor of behaviour")
    return {"identifier": book.identifier, "line": receipt.line, "digest": receipt.digest}


def row_norm(n_features: int) -> float:
    """Return the public length that tuples of ``n_features`` numbers are shortened to."""
    return ROW_SHARE * math.sqrt(n_features)


def bounded_tuples(
    log: BehaviourLog, *, past: int, most_influenced: int, most_tuples: int | None, influence: str = "outcomes"
) -> Tuples:
    """Return the tuples of ``log`` with both bounds applied."""
    friendships = bounded_friendships(log.friendships, most=most_influenced)
    tuples = make_tuples(replace(log, friendships=friendships), past=past, influence=influence)
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
    value = PersonBounds(past, degree, most_tuples).value_units()
    people = [_guarantee(f"value of a person at one time, in {value // 2} tuples", card, value)]
    if most_tuples is not None:
        name = f"person with at most {most_tuples} tuples who influences at most {degree} others"
        people.append(_guarantee(name, card, units_of_one_person(most_tuples, degree)))
    unprotected = (*card.not_protected, "who is friends with whom", "a person, beyond the lines above that name one")
    return replace(card, adjacency=ADJACENCY, coarser=tuple(people), not_protected=unprotected)


def _guarantee(name: str, card: Card, size: int) -> Guarantee:
    epsilon = accounting.epsilon(accounting.at_group(card.event, size), delta=card.delta)
    return Guarantee(name, epsilon if math.isfinite(epsilon) else None, card.delta)
