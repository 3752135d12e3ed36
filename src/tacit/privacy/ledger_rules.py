"""What a ledger takes, what its lines cost, and what must be said beside their sum."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from tacit import checks
from tacit.errors import InputError, LedgerError, LedgerTamperedError, UnknownEventError
from tacit.files.hash_chain import Receipt, canonical
from tacit.files.plain_text import one_line
from tacit.privacy import accounting, events, ledger_file
from tacit.privacy.budget import Unit
from tacit.privacy.conversions import Claim, converted
from tacit.privacy.events import Event
from tacit.privacy.ledger_records import LONGEST_WARNING, LedgerHeader, Line, TableIdentity, TableMatch
from tacit.privacy.spending import Spending
from tacit.records import record

ASSUMED = (
    "this ledger was made before relations were stated: its budget and {count} of its lines are taken to speak of "
    "{relation} neighbours. Linear releases and desks charged at that time are proved for replace alone."
)
OLD_ENTRIES = (
    "no guarantee: line {number} was charged per entry before it was stated what leaves exactly. Such releases publish "
    "labels and class counts, which tells records apart with certainty."
)


class Allowance(StrEnum):
    """What a ledger takes only if its opener says so; the line then says it too."""

    NO_GUARANTEE = "no-guarantee"
    """charges of releases whose stated guarantee does not hold: seeded noise, printed algorithms that leak"""
    OTHER_TABLE = "other-table"
    """charges for another table than the one that the ledger was made for"""
    SECOND_LEDGER = "second-ledger"
    """a ledger for a table that has one in the same folder"""


@record
class Statement:
    """All charges of a ledger at one moment, the epsilon spent and the epsilon left at the ledger's delta.

    ``notes`` are sentences that must stand beside the sum: what it rests on, and lines that it cannot vouch for.
    """

    lines: tuple[Line, ...]
    spent: float
    left: float
    notes: tuple[str, ...] = ()

    @property
    def caution(self) -> str:
        """One sentence for a summary: how many lines guarantee nothing; empty if all of them do."""
        count = sum(note.startswith("no guarantee") for note in self.notes)
        if not count:
            return ""
        return f"{count} of its {len(self.lines)} lines have no guarantee: the sum does not hold for their releases."


def allowances(allow: Iterable[Allowance | str]) -> frozenset[Allowance]:
    """Return what is allowed, one or several."""
    several = (allow,) if isinstance(allow, str) else allow
    return frozenset(checks.one_of("allow", each, list(Allowance)) for each in several)


def require_allowed(claim: Claim, match: TableMatch, allow: frozenset[Allowance], *, name: str) -> None:
    """Refuse a charge on the ledger ``name`` that guarantees nothing, or is for another table, unless allowed."""
    if claim.warning and Allowance.NO_GUARANTEE not in allow:
        raise LedgerError(
            f"a release that guarantees nothing does not belong on a ledger: {claim.warning} Nothing was charged. Draw "
            "without a seed and with sound accounting, or allow it (--allow no-guarantee; in Python "
            "Ledger(path, allow=['no-guarantee'])): its line then says so."
        )
    if match is TableMatch.OTHER and Allowance.OTHER_TABLE not in allow:
        raise LedgerError(
            f"the ledger {name} was made for another table: its schema or its name differs. Nothing was charged. Give "
            "this table's own ledger, or allow it (--allow other-table; in Python "
            "Ledger(path, allow=['other-table'])): its line then says so."
        )


def require_first(path: Path, table: TableIdentity, *, timeout: float) -> None:
    """Refuse a second ledger beside one for the same ``table``: each would promise its own budget for all releases."""
    for other in sorted(path.parent.glob("*.ledger")):
        try:
            with ledger_file.reading(other.resolve(), timeout=timeout) as file:
                match = file.header().match(table)
        except LedgerError:
            continue  # no ledger, or one of which nothing can be said
        if match is TableMatch.SAME:
            raise LedgerError(
                f"{other} is the ledger of this table already: a second budget would be spent on the same rows. Open "
                "that one; or allow a second one (--allow second-ledger) if the tables differ after all."
            )


def storable(claim: Claim) -> Claim:
    """Return ``claim`` as it will be read back, so that what is charged is what is written."""
    warning = " ".join(claim.warning.split())
    if len(warning) > LONGEST_WARNING:
        warning = f"{warning[: LONGEST_WARNING - 1]}…"
    return replace(claim, event=_stored_event(claim.event), warning=one_line("warning", warning))


def charged_before(lines: Iterable[Line], key: str, claim: Claim) -> Receipt | None:
    """Return the receipt of the line with ``key``, None if there is none; one of another claim is refused."""
    for line in lines:
        if line.key == key:
            if line.claim != claim:
                raise LedgerError(
                    f"line {line.number} of the ledger has the same key and charged something else. Nothing was "
                    "charged. Give the settings of that charge again, or begin anew under another name."
                )
            return line.receipt
    return None


def cost_of(line: Line, header: LedgerHeader) -> Event:
    """Return what ``line`` costs the unit of a ledger with ``header`` under its relation."""
    if line.relation_assumed and not header.relation_assumed:
        raise LedgerTamperedError(f"line {line.number} of the ledger states no relation: it was edited.")
    if _old_entries(line, header):
        # Counted as it was charged then; a note says that nothing is proved for it.
        return accounting.at_record(line.event, line.n_features or 1)
    try:
        return converted(line.claim, header.budget.unit, header.budget.relation)
    except InputError as problem:
        raise LedgerTamperedError(
            f"line {line.number} of the ledger has a unit that no charge could have had: it was edited."
        ) from problem


def spending_of(lines: Iterable[Line], header: LedgerHeader) -> Spending:
    """Return what ``lines`` have spent of the header's budget."""
    return Spending(header.budget).plus(*(cost_of(line, header) for line in lines))


def stated(lines: tuple[Line, ...], spending: Spending, header: LedgerHeader) -> Statement:
    """Return the statement of ``lines`` after ``spending``."""
    return Statement(lines, spending.epsilon(), spending.room(), notes(lines, header))


def notes(lines: Sequence[Line], header: LedgerHeader) -> tuple[str, ...]:
    """Return what must be said beside the sum of ``lines``: what it assumes, and lines without a guarantee."""
    remarks = []
    if header.relation_assumed:
        count = sum(line.relation_assumed for line in lines)
        remarks.append(ASSUMED.format(count=count, relation=header.budget.relation))
    return (*remarks, *(note for line in lines for note in _notes_of(line, header)))


def _notes_of(line: Line, header: LedgerHeader) -> list[str]:
    remarks = []
    if line.claim.warning:
        remarks.append(f"no guarantee: line {line.number}. {line.claim.warning}")
    if _old_entries(line, header):
        remarks.append(OLD_ENTRIES.format(number=line.number))
    if line.table is TableMatch.OTHER:
        remarks.append(f"line {line.number} was charged for another table than this ledger was made for.")
    return remarks


def _old_entries(line: Line, header: LedgerHeader) -> bool:
    return line.relation_assumed and line.unit is Unit.ENTRY and header.budget.unit is Unit.RECORD


def require_within_budget(lines: Sequence[Line], header: LedgerHeader) -> None:
    """Refuse lines of which the last could not have been charged after those before it."""

    def too_much(count: int) -> bool:
        return count > 0 and not spending_of(lines[:count], header).is_within()

    if too_much(len(lines)):
        # Costs only grow, so the lines before the first one too many are within the budget.
        first = bisect_left(range(len(lines)), True, key=too_much)
        past = f"line {first} of the ledger goes past the budget of {header.budget}"
        if any(line.relation_assumed for line in lines[:first]):
            raise LedgerError(f"{past} by the rules of this version; an older one charged it. Charge no more on it.")
        raise LedgerTamperedError(f"{past}: it cannot have been charged.")


def require_receipt(lines: Sequence[Line], receipt: Receipt) -> None:
    """Refuse lines of which none is the one that ``receipt`` was given for."""
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


def _stored_event(event: Event) -> Event:
    if not isinstance(event, Event):
        raise UnknownEventError(f"event must be one of tacit's events; got a {type(event).__name__}.")
    try:
        return events.from_dict(json.loads(canonical(events.to_dict(event))))
    except (AttributeError, TypeError) as problem:
        raise UnknownEventError(f"event must be made of tacit's events and numbers: {problem}.") from problem
