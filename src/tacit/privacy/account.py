"""An estimator's access to noise: the whole plan is charged first, then each planned step may draw."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import BudgetError, InputError
from tacit.privacy import accounting
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card import CENTRAL, Card, Part, coarser_guarantees, repeated
from tacit.privacy.events import Event, SequentialEvent
from tacit.privacy.ledger import Ledger, LedgerLike, Receipt, as_ledger
from tacit.privacy.mechanisms.additive import Gaussian, Laplace
from tacit.privacy.mechanisms.base import Mechanism, settings_of
from tacit.privacy.stream import NoiseStream
from tacit.version import VERSION

# Sees each query before it is answered: (mechanism, true values, draw) -> answer. Used by audits only.
Observer = Callable[[Mechanism, FloatArray, Callable[[], FloatArray]], FloatArray]
_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)


@dataclass(frozen=True)
class Step:
    """One planned query: its mechanism, what it releases, why its sensitivity holds, and how often it runs."""

    mechanism: Mechanism
    what: str
    because: str
    times: int = 1

    @property
    def event(self) -> Event:
        """What all the repetitions cost together."""
        return repeated(self.mechanism.event, self.times)


@dataclass(frozen=True)
class Plan:
    """What a release will draw: its promise, its steps, and how many entries a record has."""

    budget: Budget
    steps: tuple[Step, ...]
    n_features: int

    def open(self, *, ledger: LedgerLike = None, random_state: int | None = None, purpose: str = "") -> "Account":
        """Charge the ledger with the whole plan, then return the account that may draw it; see ``Account.open``."""
        return Account.open(
            self.steps,
            budget=self.budget,
            ledger=ledger,
            random_state=random_state,
            purpose=purpose,
            # Only entries have to be converted for a ledger that counts records.
            n_features=self.n_features if self.budget.unit is Unit.ENTRY else None,
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
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        budget: Budget,
        stream: NoiseStream,
        ledger: Ledger | None = None,
        receipt: Receipt | None = None,
    ) -> None:
        self.steps = tuple(steps)
        self.budget = budget
        self._stream = stream
        self._ledger, self._receipt = ledger, receipt
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
    ) -> "Account":
        """Charge the whole plan and return an account that may draw it; a refused charge draws nothing.

        ``n_features`` converts an entry-level plan for a ledger that counts records.
        """
        event = plan_event(steps)
        if not accounting.fits(event, budget):
            needed = accounting.epsilon(event, delta=budget.delta)
            raise BudgetError(f"the planned steps cost epsilon {needed:.6g} at delta {budget.delta:g}, above {budget}.")
        stream = NoiseStream(random_state)
        book = as_ledger(ledger)
        # Charge first: a crash past this line wastes budget but never leaks.
        receipt = book.charge(event, unit=budget.unit, purpose=purpose, n_features=n_features) if book else None
        return cls(steps, budget=budget, stream=stream, ledger=book, receipt=receipt)

    def release(self, mechanism: Mechanism, values: FloatArray) -> FloatArray:
        """Return ``values`` as released by ``mechanism``, which must be a step of the plan not yet used up."""
        values = checks.finite_array("values", values)
        self._use(mechanism, 1)
        return self._drawn(mechanism, values)

    def release_each(self, mechanism: Mechanism, values: FloatArray) -> FloatArray:
        """Return each of ``values`` [k] as released by ``mechanism``: k uses of the plan, their noise drawn together.

        The same as k calls of ``release`` with one value each, since noise is drawn coordinate by coordinate.
        """
        values = checks.finite_array("values", values)
        if not isinstance(mechanism, Laplace | Gaussian) or mechanism.coordinates != 1 or values.ndim != 1:
            raise InputError("values must be a vector, each a query of one coordinate with Laplace or Gaussian noise.")
        self._use(mechanism, len(values))
        if _observer.get() is None:
            return mechanism.draw(values, self._stream)
        return np.array([self._drawn(mechanism, value)[0] for value in values[:, None]])

    def _use(self, mechanism: Mechanism, times: int) -> None:
        if self._left[mechanism] < times:
            raise BudgetError(f"{mechanism!r} was not planned, or was drawn as often as planned: nothing was drawn.")
        self._left[mechanism] -= times

    def _drawn(self, mechanism: Mechanism, values: FloatArray) -> FloatArray:
        observer = _observer.get()
        if observer is None:
            return mechanism.draw(values, self._stream)
        return observer(mechanism, values, lambda: mechanism.draw(values, self._stream))

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
    ) -> Card:
        """Return the card of everything in the plan."""
        event = plan_event(self.steps)
        return Card(
            title=title,
            unit=self.budget.unit,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            adjacency=adjacency,
            parts=tuple(_part(step) for step in self.steps),
            coarser=coarser_guarantees(event, unit=self.budget.unit, delta=self.budget.delta, n_features=n_features),
            assumptions=tuple(assumptions),
            not_protected=tuple(not_protected),
            secure=self._stream.secure,
            warning=warning,
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


def plan_event(steps: Sequence[Step]) -> Event:
    """Return what all ``steps`` cost together, as one event."""
    if not steps:
        raise InputError("steps must hold at least one planned query; got none.")
    return SequentialEvent(tuple(step.event for step in steps))


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Let ``observer`` answer every query of the accounts used inside the block: for audits."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def _part(step: Step) -> Part:
    mechanism = step.mechanism
    return Part(step.what, settings_of(mechanism), step.because, step.event, exact=mechanism.exact)
