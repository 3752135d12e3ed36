"""The durable account of one private data set: charge before drawing, refuse past the budget."""

import json
import os
import uuid
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeAlias

from tacit import checks
from tacit.errors import BudgetExceededError, InputError, LedgerError, LedgerTamperedError, UnknownEventError
from tacit.privacy import accounting, events, ledger_file
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.conversions import Claim, Exact, converted
from tacit.privacy.events import Event
from tacit.privacy.hash_chain import Head, Receipt, canonical, one_line
from tacit.privacy.ledger_file import LedgerFile
from tacit.privacy.ledger_records import Charter, Line, line_json, now
from tacit.privacy.spending import Spending

__all__ = ["Ledger", "LedgerLike", "Line", "Receipt", "Statement", "as_ledger"]

# Seconds to wait for other writers: enough for many workers that each compose unlike events before they write.
PATIENCE = 60.0
ASSUMED = (
    "this ledger was made before relations were stated: its budget and {count} of its lines are taken to speak of "
    "{relation} neighbours. Linear releases and desks charged at that time are proved for replace alone."
)
OLD_ENTRIES = (
    "no guarantee: line {number} was charged per entry before it was stated what leaves exactly. Such releases publish "
    "labels and class counts, which tells records apart with certainty."
)

LedgerLike: TypeAlias = "str | os.PathLike[str] | Ledger | None"


@dataclass(frozen=True)
class Statement:
    """All charges of a ledger at one moment, the epsilon spent and the epsilon left at the ledger's delta.

    ``notes`` are sentences that must stand beside the sum: what it rests on, and lines that it cannot vouch for.
    """

    lines: tuple[Line, ...]
    spent: float
    left: float
    notes: tuple[str, ...] = ()


class Ledger:
    """The account of one private data set, in one file that outlives processes.

    A charge is on disk before ``charge`` returns, and is refused if everything charged so far and the new event
    together exceed the budget. Copies, pickles, clones and forked workers of a ledger all write to the same file.

    What is charged next may be chosen after seeing everything released before: the ledger stops by privacy filters,
    for which its budget holds against any such choice (``tacit.privacy.filters``). The first charge is a plan that is
    fixed in advance and may take the whole budget by the tightest accounting. Whatever fits one plan is therefore
    cheapest when it is charged as one.

    Each line is bound to all before it by a chain of digests. ``verify`` finds lines that were edited, removed,
    inserted or reordered. Whoever can write the file can also replace it as a whole, by an older copy or by a chain
    computed anew: keep the receipts, which the cards of releases carry, and verify against them.

    Parameters
    ----------
    path : str or path-like
        A file made by ``Ledger.create`` or ``tacit ledger init``, on a local disk.
    timeout : float
        Seconds to wait while others write.

    Attributes
    ----------
    path : Path
        Where the ledger is, in full.
    budget : Budget
        What may be spent in all; fixed when the ledger was made.
    name, identifier, created : str
        What the owner calls it, its random identifier, and when it was made.

    Examples
    --------
    >>> import tempfile
    >>> from tacit.privacy.events import LaplaceEvent
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(f"{folder.name}/patients.ledger", Budget(1, unit="record"))
    >>> ledger.charge(LaplaceEvent(scale=4, sensitivity=1), unit="record", purpose="mean age").line
    1
    >>> ledger.spent(), ledger.left()
    (0.25, 0.75)
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = PATIENCE) -> None:
        place, patience = _full(path), checks.positive("timeout", timeout)
        with ledger_file.reading(place, timeout=patience) as file:
            charter = file.charter()
            file.require_end(charter.start)
        self._settle(place, patience, charter)

    @classmethod
    def create(cls, path: str | os.PathLike[str], budget: Budget, *, name: str = "", timeout: float = PATIENCE) -> Self:
        """Make a ledger with ``budget`` at ``path``, where no file may be, and return it."""
        if not isinstance(budget, Budget):
            raise InputError(f"budget must be a Budget(epsilon, delta, unit=...); got a {type(budget).__name__}.")
        patience = checks.positive("timeout", timeout)
        ledger_file.make(_full(path), Charter(uuid.uuid4().hex, now(), one_line("name", name), budget))
        return cls(path, timeout=patience)

    @property
    def path(self) -> Path:
        """Where the ledger is, in full."""
        return self._path

    @property
    def budget(self) -> Budget:
        """What may be spent in all."""
        return self._charter.budget

    @property
    def name(self) -> str:
        """What the owner calls the data set."""
        return self._charter.name

    @property
    def identifier(self) -> str:
        """A random name that no other ledger has."""
        return self._charter.identifier

    @property
    def created(self) -> str:
        """When the ledger was made (UTC)."""
        return self._charter.created

    @property
    def relation_assumed(self) -> bool:
        """Whether the ledger is of a format that did not state its relation."""
        return self._charter.relation_assumed

    def charge(
        self,
        event: Event,
        *,
        unit: Unit | str,
        purpose: str,
        relation: Relation | str | Iterable[Relation | str] | None = None,
        exact: Iterable[Exact | str] | None = None,
        n_features: int | None = None,
        noise_per_entry: bool = False,
        rows_per_person: int | None = None,
    ) -> Receipt:
        """Write ``event`` down, durably, if it fits what is left; only then may its noise be drawn.

        Parameters
        ----------
        event : Event
            What is about to be released, of one ``unit``.
        unit : Unit or str
            What the event speaks of. Where the ledger counts other units, or under another relation, the charge is
            converted (``tacit.privacy.conversions``) or refused with the way out.
        purpose : str
            One line for whoever reads the ledger; no private value belongs here.
        relation : Relation or str or several, optional
            Every relation for which the event is proved; by default one record more or less, one entry or pair
            exchanged.
        exact : iterable of Exact or str, optional
            What leaves without noise: ``"row count"``, ``"labels"``, ``"class counts"``.
        n_features : int, optional
            Entries in one record; needed to charge an event per entry on a ledger per record.
        noise_per_entry : bool
            Whether every entry has independent noise of its own, so that a record's entries compose.
        rows_per_person : int, optional
            The most rows of one person that the release reads; needed to charge an event per record or entry on a
            ledger per person.

        Returns
        -------
        Receipt
            The line's number and digest.

        Raises
        ------
        BudgetExceededError
            If it does not fit; the ledger is then as it was.
        """
        claim = Claim.checked(
            event,
            unit=unit,
            relation=relation,
            exact=exact,
            n_features=n_features,
            noise_per_entry=noise_per_entry,
            rows_per_person=rows_per_person,
        )
        return self.charge_claim(claim, purpose=purpose)

    def charge_claim(self, claim: Claim, *, purpose: str) -> Receipt:
        """Write ``claim`` down as ``charge`` does."""
        asked, text = replace(claim, event=_as_stored(claim.event)), one_line("purpose", purpose)
        cost = converted(asked, self.budget.unit, self.budget.relation)
        # One transaction from reading the past to writing the line: no other charge can come between.
        with ledger_file.writing(self._path, timeout=self._timeout) as file:
            self._require_own(file)
            self._catch_up(file)
            if self._spending.fits(cost):
                return file.append(line_json(self._seen.count + 1, asked, text), self._seen)
            refusal = self._spending.refusal(cost)
        raise BudgetExceededError(refusal)

    def preview(self, claim: Claim) -> Statement:
        """Return the statement as it would be after charging ``claim``, which is not charged.

        Raises
        ------
        BudgetExceededError
            If it would not fit.
        """
        cost = converted(replace(claim, event=_as_stored(claim.event)), self.budget.unit, self.budget.relation)
        lines = self.lines()
        spending = self._spending_of(lines)
        if not spending.fits(cost):
            raise BudgetExceededError(spending.refusal(cost))
        spending.add(cost)
        return self._stated(lines, spending)

    def spent(self) -> float:
        """Return the epsilon of everything charged, at the ledger's delta."""
        return self._past().epsilon()

    def left(self) -> float:
        """Return an epsilon that one more release without delta may have."""
        return self._past().room()

    def lines(self) -> tuple[Line, ...]:
        """Return all charges, the oldest first, each checked against the digest before it."""
        with self._open() as file:
            return tuple(file.lines_after(self._charter.start))

    def statement(self) -> Statement:
        """Return the charges and their sum as they stood at one moment."""
        lines = self.lines()
        return self._stated(lines, self._spending_of(lines))

    def notes(self, lines: Sequence[Line]) -> tuple[str, ...]:
        """Return what must be said beside the sum of ``lines``: what it assumes, and lines without a guarantee."""
        found = []
        if self.relation_assumed or any(line.relation_assumed for line in lines):
            count = sum(line.relation_assumed for line in lines)
            found.append(ASSUMED.format(count=count, relation=self.budget.relation))
        return (*found, *(note for line in lines if (note := self._void(line))))

    def verify(self, receipt: Receipt | None = None) -> tuple[Line, ...]:
        """Check the whole file, and that ``receipt`` was written by this very ledger; return its lines.

        Raises
        ------
        LedgerTamperedError
            With the first line that was edited, removed, inserted or moved, that goes past the budget, or that is
            not the one the receipt was given for.
        LedgerError
            If the file is damaged.
        """
        with self._open() as file:
            if not file.is_intact():
                raise LedgerError(ledger_file.DAMAGED.format(path=self._path))
            lines = tuple(file.lines_after(self._charter.start))
            if self._seen.count:
                _require_receipt(lines, Receipt(self._seen.count, self._seen.digest))
        if receipt is not None:
            _require_receipt(lines, receipt)
        self._require_within_budget(lines)
        return lines

    def _settle(self, path: Path, timeout: float, charter: Charter) -> None:
        self._path, self._timeout, self._charter = path, timeout, charter
        # What this process has read and checked already; each charge reads on from here.
        self._seen, self._spending = charter.start, Spending(charter.budget)

    @contextmanager
    def _open(self) -> Iterator[LedgerFile]:
        with ledger_file.reading(self._path, timeout=self._timeout) as file:
            self._require_own(file)
            yield file

    def _past(self) -> Spending:
        with self._open() as file:
            self._catch_up(file)
            return self._spending

    def _require_own(self, file: LedgerFile) -> None:
        if file.charter() != self._charter:
            raise LedgerTamperedError(
                f"{self._path} now holds another ledger than the one that was opened: the file was replaced."
            )

    def _catch_up(self, file: LedgerFile) -> None:
        """Read the lines that came since this process last looked; the chain vouches for those before."""
        for line in file.lines_after(self._seen):
            self._spending.add(self._cost(line))
            self._seen = Head(line.number, line.digest)

    def _stated(self, lines: tuple[Line, ...], spending: Spending) -> Statement:
        return Statement(lines, spending.epsilon(), spending.room(), self.notes(lines))

    def _cost(self, line: Line) -> Event:
        """Return what ``line`` costs the ledger's unit under its relation."""
        if line.relation_assumed and not self.relation_assumed:
            raise LedgerTamperedError(f"line {line.number} of the ledger states no relation: it was edited.")
        if self._void(line):
            # Counted as it was charged then; the sum says that nothing is proved for it.
            return accounting.at_record(line.event, line.n_features or 1)
        try:
            return converted(line.claim, self.budget.unit, self.budget.relation)
        except InputError as problem:
            raise LedgerTamperedError(
                f"line {line.number} of the ledger has a unit that no charge could have had: it was edited."
            ) from problem

    def _void(self, line: Line) -> str:
        """Return why ``line`` guarantees nothing here, or nothing."""
        if line.relation_assumed and line.unit is Unit.ENTRY and self.budget.unit is Unit.RECORD:
            return OLD_ENTRIES.format(number=line.number)
        return ""

    def _spending_of(self, lines: Sequence[Line]) -> Spending:
        spending = Spending(self.budget)
        for line in lines:
            spending.add(self._cost(line))
        return spending

    def _require_within_budget(self, lines: Sequence[Line]) -> None:
        def too_much(count: int) -> bool:
            return count > 0 and not self._spending_of(lines[:count]).is_within()

        if too_much(len(lines)):
            # Costs only grow, so the lines up to the first one too many are within the budget.
            first = bisect_left(range(len(lines)), True, key=too_much)
            past = f"line {first} of the ledger goes past the budget of {self.budget}"
            if any(line.relation_assumed for line in lines[:first]):
                raise LedgerError(
                    f"{past} by the rules of this version; an older one charged it. Charge no more on it."
                )
            raise LedgerTamperedError(f"{past}: it cannot have been charged.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self._path), self._timeout, self._charter.to_json())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return (self._path, self._charter) == (other._path, other._charter)

    def __hash__(self) -> int:
        return hash((self._path, self._charter.identifier))

    def __repr__(self) -> str:
        return f"<Ledger {str(self._path)!r}: {self.budget}>"


def as_ledger(ledger: LedgerLike) -> Ledger | None:
    """Return ``ledger`` as a ``Ledger``; a path is opened, and None stays None."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    if isinstance(ledger, str | os.PathLike):
        return Ledger(ledger)
    raise InputError(f"ledger must be None, a path or a Ledger; got a {type(ledger).__name__}.")


def _unpickled(path: str, timeout: float, charter: str) -> Ledger:
    # Nothing is opened: a fitted estimator may be loaded where its ledger is not.
    ledger = Ledger.__new__(Ledger)
    ledger._settle(Path(path), timeout, Charter.from_json(charter))  # noqa: SLF001 - the second constructor
    return ledger


def _require_receipt(lines: Sequence[Line], receipt: Receipt) -> None:
    if not 1 <= receipt.line <= len(lines):
        raise LedgerTamperedError(
            f"line {receipt.line}, of which there is a receipt, is not in the ledger: it holds {len(lines)} lines. "
            "It was rewritten, replaced by an older copy, or the receipt is of another ledger."
        )
    if lines[receipt.line - 1].receipt != receipt:
        raise LedgerTamperedError(
            f"line {receipt.line} of the ledger is not the one that the receipt was given for: "
            "the ledger was rewritten, or the receipt is of another ledger."
        )


def _as_stored(event: Event) -> Event:
    """Return ``event`` as it will be read back, so that what is charged is what is written."""
    if not isinstance(event, Event):
        raise UnknownEventError(f"event must be one of tacit's events; got a {type(event).__name__}.")
    try:
        return events.from_dict(json.loads(canonical(events.to_dict(event))))
    except (AttributeError, TypeError) as problem:
        raise UnknownEventError(f"event must be made of tacit's events and numbers: {problem}.") from problem


def _full(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (TypeError, ValueError, OSError) as problem:
        raise InputError(f"path must be the path of a file; got a {type(path).__name__}: {problem}.") from problem
