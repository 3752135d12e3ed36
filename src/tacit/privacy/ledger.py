"""The durable account of one private data set: charge before drawing, refuse past the budget."""

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeAlias, Unpack

from tacit import checks
from tacit.errors import BudgetExceededError, InputError, LedgerError, LedgerTamperedError
from tacit.files.hash_chain import Head, Receipt
from tacit.files.notebook_html import html_facts, html_rows
from tacit.files.plain_text import one_line
from tacit.privacy import ledger_file, ledger_rules
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.conversions import Claim, ClaimDetails, converted
from tacit.privacy.events import Event
from tacit.privacy.ledger_file import LedgerFile
from tacit.privacy.ledger_records import KEY_LENGTH, LedgerFacts, LedgerHeader, Line, TableIdentity, line_json, now
from tacit.privacy.ledger_rules import Allowance, Statement, allowances
from tacit.privacy.spending import Spending, digits

__all__ = ["Allowance", "Ledger", "LedgerLike", "Line", "Receipt", "Statement", "as_ledger"]

# Seconds to wait for other writers: enough for many workers that each compose unlike events before they write.
PATIENCE = 60.0

LedgerLike: TypeAlias = "str | os.PathLike[str] | Ledger | None"


class Ledger(LedgerFacts):
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
    allow : iterable of Allowance or str
        What this opener lets the ledger take: ``"no-guarantee"``, ``"other-table"``.

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

    _seen: Head
    _spending: Spending
    _table: TableIdentity | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float = PATIENCE,
        allow: Iterable[Allowance | str] = (),
    ) -> None:
        place, patience = _full(path), checks.positive("timeout", timeout)
        allowed = allowances(allow)
        with ledger_file.reading(place, timeout=patience) as file:
            header = file.header()
            file.require_end(header.start)
        self._settle(place, patience, header, allowed)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Budget,
        *,
        name: str = "",
        timeout: float = PATIENCE,
        table: TableIdentity | None = None,
        allow: Iterable[Allowance | str] = (),
    ) -> Self:
        """Make a ledger with ``budget`` at ``path``, where no file may be, and return it.

        ``table`` names the private table: charges for another one are then refused, and so is a second ledger for
        the same table in the same folder, unless ``allow`` says otherwise.
        """
        if not isinstance(budget, Budget):
            raise InputError(f"budget must be a Budget(epsilon, delta, unit=...); got a {type(budget).__name__}.")
        patience, allowed = checks.positive("timeout", timeout), allowances(allow)
        key = b"" if table is None else os.urandom(KEY_LENGTH)
        mark = "" if table is None else table.fingerprint(key)
        header = LedgerHeader(uuid.uuid4().hex, now(), one_line("name", name), budget, key.hex(), mark)
        if table is not None and Allowance.SECOND_LEDGER not in allowed:
            ledger_rules.require_first(_full(path), table, timeout=patience)
        ledger_file.make(_full(path), header)
        return cls(path, timeout=patience, allow=allowed)

    def for_table(self, table: TableIdentity) -> Self:
        """Return the same ledger, opened for releases of ``table``: a charge that names no other table is for it."""
        opened = type(self).__new__(type(self))
        opened.__dict__.update(self.__dict__, _table=table)
        return opened

    def charge(
        self,
        event: Event,
        *,
        unit: Unit | str,
        purpose: str,
        table: TableIdentity | None = None,
        **details: Unpack[ClaimDetails],
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
        table : TableIdentity, optional
            Which table the release reads; another than the ledger's own is refused unless the ledger allows it.
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
        warning : str
            Why the release guarantees nothing although its event says so; refused unless the ledger allows it.

        Returns
        -------
        Receipt
            The line's number and digest.

        Raises
        ------
        BudgetExceededError
            If it does not fit; the ledger is then as it was.
        """
        return self.charge_claim(Claim.checked(event, unit=unit, **details), purpose=purpose, table=table)

    def charge_claim(self, claim: Claim, *, purpose: str, table: TableIdentity | None = None, key: str = "") -> Receipt:
        """Write ``claim`` down as ``charge`` does.

        With a ``key``, a name that no other charge has, a claim that stands there already is not charged again.
        """
        asked, text = ledger_rules.storable(claim), one_line("purpose", purpose)
        match = self._header.match(table or self._table)
        ledger_rules.require_allowed(asked, match, self._allow, name=self._path.name)
        cost = converted(asked, self.budget.unit, self.budget.relation)
        with ledger_file.exclusive():
            # One transaction from reading the past to writing the line: no other charge can come between.
            with ledger_file.writing(self._path, timeout=self._timeout) as file:
                self._require_own(file)
                self._catch_up(file)
                if key and (before := ledger_rules.charged_before(file.lines_after(self._header.start), key, asked)):
                    return before
                past, receipt = self._spending, None
                if past.fits(cost):
                    receipt = file.append(line_json(self._seen.count + 1, asked, text, match, key), self._seen)
            if receipt is None:
                raise BudgetExceededError(past.refusal(cost))
            # On disk now, and remembered: a copy from before this line is noticed by this process.
            self._seen, self._spending = Head(receipt.line, receipt.digest), past.plus(cost)
        return receipt

    def _repr_html_(self) -> str:
        """Return what is spent and left, and every charge, as a notebook shows it."""
        statement, budget = self.statement(), self.budget
        left = f"epsilon {digits(statement.spent, up=True)} of {budget.epsilon:g}, {digits(statement.left)} is left"
        facts = [("Budget", str(budget)), ("Spent", left), *(("Note", note) for note in statement.notes)]
        lines = [(str(line.number), line.time[:16], line.purpose, line.digest[:8]) for line in statement.lines]
        head = html_facts(f"Ledger: {self.name or self.path.name}", facts)
        return head + html_rows(("line", "time (UTC)", "purpose", "digest"), lines)

    def move_anchor(self, name: str, follow: Callable[[Head | None], Head]) -> Head:
        """Move the anchor ``name`` to the head that ``follow`` gives for the one known so far, and return it.

        An anchor is how far another file's chain of digests has come: kept here, it tells a copy of that file from
        before. ``follow`` gets None the first time, and raises an error if the file is not one that the anchor knows.
        """
        with ledger_file.writing(self._path, timeout=self._timeout) as file:
            self._require_own(file)
            anchor = file.anchor(one_line("name", name))
            head = follow(anchor)
            if anchor is None or head.count > anchor.count:
                file.set_anchor(name, head)
        return head

    def preview(self, claim: Claim) -> Statement:
        """Return the statement as it would be after charging ``claim``, which is not charged.

        Raises
        ------
        BudgetExceededError
            If it would not fit.
        """
        cost = converted(ledger_rules.storable(claim), self.budget.unit, self.budget.relation)
        lines = self.lines()
        spending = ledger_rules.spending_of(lines, self._header)
        if not spending.fits(cost):
            raise BudgetExceededError(spending.refusal(cost))
        return ledger_rules.stated(lines, spending.plus(cost), self._header)

    def spent(self) -> float:
        """Return the epsilon of everything charged, at the ledger's delta."""
        return self._past().epsilon()

    def left(self) -> float:
        """Return an epsilon that one more release without delta may have."""
        return self._past().room()

    def lines(self) -> tuple[Line, ...]:
        """Return all charges, the oldest first, each checked against the digest before it."""
        with self._open() as file:
            lines = tuple(file.lines_after(self._header.start))
            self._require_seen(lines)
            return lines

    def statement(self) -> Statement:
        """Return the charges and their sum as they stood at one moment."""
        lines = self.lines()
        return ledger_rules.stated(lines, ledger_rules.spending_of(lines, self._header), self._header)

    def notes(self, lines: Sequence[Line]) -> tuple[str, ...]:
        """Return what must be said beside the sum of ``lines``: what it assumes, and lines without a guarantee."""
        return ledger_rules.notes(lines, self._header)

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
            lines = tuple(file.lines_after(self._header.start))
            self._require_seen(lines)
        if receipt is not None:
            ledger_rules.require_receipt(lines, receipt)
        ledger_rules.require_within_budget(lines, self._header)
        return lines

    def _settle(self, path: Path, timeout: float, header: LedgerHeader, allow: frozenset[Allowance]) -> None:
        self._path, self._timeout, self._header, self._allow = path, timeout, header, allow
        # What this process has read and checked already; each charge reads on from here.
        self._seen, self._spending = header.start, Spending(header.budget)

    @contextmanager
    def _open(self) -> Iterator[LedgerFile]:
        with ledger_file.reading(self._path, timeout=self._timeout) as file:
            self._require_own(file)
            yield file

    def _past(self) -> Spending:
        with ledger_file.exclusive(), self._open() as file:
            self._catch_up(file)
            return self._spending

    def _require_seen(self, lines: Sequence[Line]) -> None:
        """Refuse lines that lack what this process has read or written before."""
        if self._seen.count:
            ledger_rules.require_receipt(lines, Receipt(self._seen.count, self._seen.digest))

    def _require_own(self, file: LedgerFile) -> None:
        if file.header() != self._header:
            raise LedgerTamperedError(
                f"{self._path} now holds another ledger than the one that was opened: the file was replaced."
            )

    def _catch_up(self, file: LedgerFile) -> None:
        """Read the lines that came since this process last looked; the chain vouches for those before."""
        lines = file.lines_after(self._seen)
        if lines:
            costs = (ledger_rules.cost_of(line, self._header) for line in lines)
            self._seen, self._spending = Head(lines[-1].number, lines[-1].digest), self._spending.plus(*costs)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self._path), self._timeout, self._header.to_json(), sorted(self._allow), self._table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return (self._path, self._header) == (other._path, other._header)

    def __hash__(self) -> int:
        return hash((self._path, self._header.identifier))

    def __repr__(self) -> str:
        return f"<Ledger {str(self._path)!r}: {self.budget}>"


def as_ledger(ledger: LedgerLike) -> Ledger | None:
    """Return ``ledger`` as a ``Ledger``; a path is opened, and None stays None."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    if isinstance(ledger, str | os.PathLike):
        return Ledger(ledger)
    raise InputError(f"ledger must be None, a path or a Ledger; got a {type(ledger).__name__}.")


def _unpickled(
    path: str, timeout: float, header: str, allow: Sequence[str] = (), table: TableIdentity | None = None
) -> Ledger:
    # Nothing is opened: a fitted estimator may be loaded where its ledger is not.
    ledger = Ledger.__new__(Ledger)
    place, read = Path(path), LedgerHeader.from_json(header)
    ledger._settle(place, timeout, read, allowances(allow))  # noqa: SLF001 - the second constructor
    return ledger if table is None else ledger.for_table(table)


def _full(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (TypeError, ValueError, OSError) as problem:
        raise InputError(f"path must be the path of a file; got a {type(path).__name__}: {problem}.") from problem
