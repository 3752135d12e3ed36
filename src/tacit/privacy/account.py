"""An estimator's access to noise: the whole plan is charged first, then each planned step may draw."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import BudgetError, InputError, SensitivityError, TacitError
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import accounting
from tacit.privacy.budget import Budget, Relation, Relations, Unit, relations_of
from tacit.privacy.card import Card
from tacit.privacy.card_content import CENTRAL, Part, coarser_guarantees, group_guarantees, repeated
from tacit.privacy.conversions import Claim, Exact, converted
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.ledger import Ledger, LedgerLike, Receipt, as_ledger
from tacit.privacy.ledger_records import TableIdentity
from tacit.privacy.mechanisms.additive import EntryNoise, Gaussian, Laplace
from tacit.privacy.mechanisms.base import Mechanism, settings_of
from tacit.privacy.stream import NoiseStream
from tacit.version import VERSION

# Sees each query before it is answered: (mechanism, true values, draw) -> answer. Used by audits only.
Observer = Callable[[Mechanism, FloatArray, Callable[[], FloatArray]], FloatArray]
SEEDED = "The noise was drawn from a seed, so whoever knows the seed can take it off again."
# Scores on private rows by which someone chose a setting are a release of their own, which no noise covers.
SETTINGS = "settings were chosen without looking at the private rows, or their choice was paid for"
FAILED = (
    "a query failed after its charge, and nothing was released: what it was asked of is not what was declared of every "
    "table (finite numbers within their bounds). The charge stands. In Python the error's cause says more, for the "
    "owner's eyes alone."
)
# What a promise to a person rests on: rows under another name count as another person's.
ONE_NAME = "every row of a person has the same name in the column that says whose row it is"
_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)


@dataclass(frozen=True)
class Step:
    """One planned query: its mechanism, what it releases, why its sensitivity holds, and how often it runs.

    ``relation`` says which relation ``because`` proves: one, several, or None for the mechanism's own, if it has one,
    and the default of the plan's unit otherwise. ``rows`` is for plans per person: how many rows of one person meet a
    mechanism whose sensitivity is that of one row. A sum of so many rows moves so many times as far, which is also
    what the group costs; a mechanism whose sensitivity already counts all rows of a person has ``rows`` 1.
    """

    mechanism: Mechanism
    what: str
    because: str
    times: int = 1
    relation: Relation | Relations | None = None
    rows: int = 1

    @property
    def event(self) -> Event:
        """What all the repetitions cost one unit together."""
        return accounting.at_group(repeated(self.mechanism.event, self.times), self.rows)

    def relations(self, unit: Unit) -> Relations:
        """Return the relations that the step's inequality proves for one ``unit``."""
        own: Relations | None = getattr(self.mechanism, "relations", None)
        most: Relations = getattr(self.mechanism, "provable_relations", own or tuple(Relation))
        stated = relations_of(unit, self.relation if self.relation is not None else own)
        if not set(stated) <= set(most):
            raise InputError(
                f"relation of the step {self.what!r} must be among {', '.join(most)}, which its mechanism is proved "
                f"for; got {', '.join(stated)}."
            )
        return stated

    def claim(self, unit: Unit) -> Claim:
        """Return the step's event with whom it speaks of."""
        return Claim(self.event, unit, self.relations(unit))


@dataclass(frozen=True)
class Plan:
    """What a release will draw: its promise, its steps, and the facts that a ledger of another unit needs.

    Parameters
    ----------
    budget : Budget
        The promise.
    steps : tuple of Step
        Everything that will be drawn.
    n_features : int
        How many entries a record has.
    exact : tuple of Exact or None
        What the release publishes without noise; None: not stated.
    rows_per_person : int or None
        The most rows of one person that the release reads; None: no bound.
    warning : str
        Why the stated guarantee does not hold, if it does not.
    """

    budget: Budget
    steps: tuple[Step, ...]
    n_features: int
    exact: tuple[Exact, ...] | None = None
    rows_per_person: int | None = None
    warning: str = ""

    @property
    def claim(self) -> Claim:
        """What a ledger of the plan's unit is charged."""
        return plan_claim(self.steps, self.budget, exact=self.exact, rows_per_person=self.rows_per_person)

    def open(
        self, *, ledger: LedgerLike = None, random_state: int | None = None, purpose: str = "", key: str = ""
    ) -> "Account":
        """Charge the ledger with the whole plan, then return the account that may draw it; see ``Account.open``."""
        return Account.open(
            self.steps,
            budget=self.budget,
            ledger=ledger,
            random_state=random_state,
            purpose=purpose,
            # Only entries have to be converted for a ledger that counts records.
            n_features=self.n_features if self.budget.unit is Unit.ENTRY else None,
            exact=self.exact,
            rows_per_person=self.rows_per_person,
            warning=self.warning,
            key=key,
        )


class Account:
    """The only way from private values to released ones; made by ``Account.open``.

    Parameters
    ----------
    steps : sequence of Step
        The plan.
    budget : Budget
        The promise that the plan must keep.
    stream : NoiseStream
    ledger, receipt
        Where the plan was charged, if anywhere.
    claim : Claim
        What was charged, with the facts that the card states.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        budget: Budget,
        stream: NoiseStream,
        ledger: Ledger | None = None,
        receipt: Receipt | None = None,
        claim: Claim | None = None,
    ) -> None:
        self.steps = tuple(steps)
        self.budget = budget
        self._stream = stream
        self._ledger, self._receipt = ledger, receipt
        self._claim = plan_claim(self.steps, budget) if claim is None else claim
        self._left: Counter[Mechanism] = Counter()
        for step in self.steps:
            self._left[step.mechanism] += step.times

    @classmethod
    def open(
        cls,
        steps: Sequence[Step],
        *,
        budget: Budget,
        ledger: "Ledger | str | os.PathLike[str] | None" = None,
        random_state: int | None = None,
        purpose: str = "",
        n_features: int | None = None,
        exact: Iterable[Exact | str] | None = None,
        rows_per_person: int | None = None,
        warning: str = "",
        table: TableIdentity | None = None,
        key: str = "",
    ) -> "Account":
        """Charge the whole plan and return an account that may draw it; a refused charge draws nothing.

        ``n_features``, ``exact`` and ``rows_per_person`` convert the plan for a ledger of coarser units: how many
        entries a record has, what leaves without noise, and how many rows of one person are read at most. ``warning``
        says why the stated guarantee does not hold, if it does not; like a seed it is refused on a ledger that does
        not allow it. ``table`` is compared with the table that the ledger was made for. With a ``key`` the plan is
        charged once, however often it is opened.
        """
        event = plan_event(steps, budget)
        if not accounting.fits(event, budget):
            needed = accounting.epsilon(event, delta=budget.delta)
            raise BudgetError(f"the planned steps cost epsilon {needed:.6g} at delta {budget.delta:g}, above {budget}.")
        stream = NoiseStream(random_state)
        book = as_ledger(ledger)
        claim = plan_claim(steps, budget, n_features=n_features, exact=exact, rows_per_person=rows_per_person)
        claim = replace(claim, warning=" ".join(each for each in (warning, "" if stream.secure else SEEDED) if each))
        # Charge first: a crash past this line wastes budget but never leaks.
        receipt = book.charge_claim(claim, purpose=purpose, table=table, key=key) if book else None
        return cls(
            steps, budget=budget, stream=stream, ledger=book, receipt=receipt, claim=replace(claim, warning=warning)
        )

    @property
    def receipt(self) -> Receipt | None:
        """The receipt of the charge, None if there is no ledger."""
        return self._receipt

    def release(self, mechanism: Mechanism, values: FloatArray | IntegerSum) -> FloatArray:
        """Return ``values`` as released by ``mechanism``, which must be a step of the plan not yet used up."""
        self._use(mechanism, 1)
        with _said_alike():
            return self._drawn(mechanism, _finite(values))

    def release_each(self, mechanism: Mechanism, values: FloatArray) -> FloatArray:
        """Return each of ``values`` [k] as released by ``mechanism``: k uses of the plan, their noise drawn together.

        The same as k calls of ``release`` with one value each, since noise is drawn coordinate by coordinate.
        """
        if not isinstance(mechanism, Laplace | Gaussian) or mechanism.coordinates != 1 or np.ndim(values) != 1:
            raise InputError("values must be a vector, each a query of one coordinate with Laplace or Gaussian noise.")
        self._use(mechanism, len(values))
        with _said_alike():
            values = checks.finite_array("values", values)
            if _observer.get() is None:
                return self._noisy(mechanism, values)
            return np.array([self._drawn(mechanism, value)[0] for value in values[:, None]])

    def release_blocks(self, mechanism: EntryNoise, blocks: Iterable[FloatArray]) -> Iterator[FloatArray]:
        """Yield ``blocks`` of rows as released by ``mechanism``, whose noise is each entry's own: one use of the plan.

        Each block takes the next part of the noise stream, so that no two share a draw.
        """
        self._use(mechanism, 1)
        for block in blocks:
            with _said_alike():
                noisy = self._drawn(mechanism, checks.finite_array("values", block))
            yield noisy

    def release_repeatedly(self, mechanism: Mechanism, values: FloatArray | IntegerSum, times: int) -> FloatArray:
        """Return ``times`` answers [times, ...] to one query: so many uses of the plan, their noise drawn together.

        The same as so many calls of ``release``, since noise is drawn coordinate by coordinate.
        """
        values = _finite(values)
        if not isinstance(mechanism, Laplace | Gaussian):
            raise InputError(f"mechanism must add Laplace or Gaussian noise to be repeated; got {mechanism.name!r}.")
        self._use(mechanism, checks.whole("times", times))
        if _observer.get() is None:
            if isinstance(values, IntegerSum):
                return self._noisy(mechanism, values.repeated(times))
            return self._noisy(mechanism, np.broadcast_to(values, (times, *values.shape)))
        return np.array([self._drawn(mechanism, values) for _ in range(times)])

    def _use(self, mechanism: Mechanism, times: int) -> None:
        if self._left[mechanism] < times:
            raise BudgetError(f"{mechanism!r} was not planned, or was drawn as often as planned: nothing was drawn.")
        self._left[mechanism] -= times

    def _drawn(self, mechanism: Mechanism, values: FloatArray | IntegerSum) -> FloatArray:
        observer = _observer.get()
        if observer is None:
            return self._noisy(mechanism, values)
        doubles = values.values if isinstance(values, IntegerSum) else values
        return observer(mechanism, doubles, lambda: self._noisy(mechanism, values))

    def _noisy(self, mechanism: Mechanism, values: FloatArray | IntegerSum) -> FloatArray:
        if isinstance(mechanism, Laplace | Gaussian):
            return mechanism.draw(values, self._stream)
        return mechanism.draw(values.values if isinstance(values, IntegerSum) else values, self._stream)

    def card(
        self,
        title: str,
        *,
        adjacency: str,
        assumptions: Sequence[str] = (),
        not_protected: Sequence[str] = (),
        n_features: int | None = None,
        trust: str = CENTRAL,
        warning: str = "",
        groups: Mapping[str, int] | None = None,
    ) -> Card:
        """Return the card of everything in the plan; ``warning`` as given to ``open`` unless it is given here.

        ``groups`` names what is made of several units, and of how many: the card states what each of them loses.
        """
        claim = replace(self._claim, event=plan_event(self.steps, self.budget), relations=(self.budget.relation,))
        if n_features is not None:
            claim = replace(claim, n_features=n_features)
        return Card(
            title=title,
            unit=self.budget.unit,
            relation=self.budget.relation,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            adjacency=person_adjacency(self.budget.relation) if self.budget.unit is Unit.PERSON else adjacency,
            parts=tuple(_part(step, self.budget.unit) for step in self.steps),
            published=claim.exact,
            rows_per_person=claim.rows_per_person,
            coarser=(*coarser_guarantees(claim, self.budget), *group_guarantees(claim, self.budget, groups or {})),
            assumptions=(*assumptions, SETTINGS, *([ONE_NAME] if self.budget.unit is Unit.PERSON else [])),
            not_protected=tuple(not_protected),
            secure=self._stream.secure,
            warning=warning or self._claim.warning,
            trust=trust,
            ledger=self._ledger_entry(),
            made=datetime.now(UTC).date().isoformat(),
            software=f"tacit {VERSION}",
        )

    def _ledger_entry(self) -> dict[str, str | int] | None:
        if self._ledger is None or self._receipt is None:
            return None
        return {
            "identifier": self._ledger.identifier,
            "line": self._receipt.line,
            "digest": self._receipt.digest,
        }


def person_adjacency(relation: Relation) -> str:
    """Return when two tables are neighbours for one person."""
    if relation is Relation.ADD_REMOVE:
        return "two tables are neighbours if one of them has one person more, with all their rows"
    return "two tables are neighbours if all rows of one person are exchanged for as many rows of another"


def plan_event(steps: Sequence[Step], budget: Budget | None = None) -> Event:
    """Return what all ``steps`` cost together, as one event of the unit and relation of ``budget``.

    Each step is converted from the relation that it proves. Without a budget the events are taken as they are.
    """
    if not steps:
        raise InputError("steps must hold at least one planned query; got none.")
    if budget is None:
        return SequentialEvent(tuple(step.event for step in steps))
    of, relation = budget.unit, budget.relation
    return SequentialEvent(tuple(converted(step.claim(of), of, relation) for step in steps))


def plan_claim(
    steps: Sequence[Step],
    budget: Budget,
    *,
    n_features: int | None = None,
    exact: Iterable[Exact | str] | None = None,
    rows_per_person: int | None = None,
) -> Claim:
    """Return what a ledger is charged for ``steps``: proved for every relation that all of them are proved for.

    Steps that have no relation in common are converted to the relation of ``budget``.
    """
    shared = set.intersection(*(set(step.relations(budget.unit)) for step in steps))
    return Claim.checked(
        plan_event(steps) if shared else plan_event(steps, budget),
        unit=budget.unit,
        relation=shared or budget.relation,
        exact=exact,
        n_features=n_features,
        noise_per_entry=all(getattr(step.mechanism, "noise_per_entry", False) for step in steps),
        rows_per_person=rows_per_person,
    )


def _finite(values: FloatArray | IntegerSum) -> FloatArray | IntegerSum:
    return values if isinstance(values, IntegerSum) else checks.finite_array("values", values)


@contextmanager
def _said_alike() -> Iterator[None]:
    """Say the same of whatever fails in the block: which check a table fails may depend on one of its rows."""
    try:
        yield
    except (TacitError, ValueError, ArithmeticError) as problem:
        raise SensitivityError(FAILED) from problem


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Let ``observer`` answer every query of the accounts used inside the block: for audits."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def _part(step: Step, unit: Unit) -> Part:
    mechanism, relations = step.mechanism, step.relations(unit)
    return Part(step.what, settings_of(mechanism), step.because, step.event, mechanism.exact, relations, step.rows)
