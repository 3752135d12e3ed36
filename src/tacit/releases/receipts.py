"""What releases that were handed out say about the ledger they were charged to: an older copy of it lacks them."""

from collections.abc import Iterable
from pathlib import Path

from tacit.errors import InputError, LedgerError, LedgerTamperedError
from tacit.files.hash_chain import Receipt
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger, Line
from tacit.releases.sidecar import SUFFIX, open_release

OLDER = (
    "{name} was charged on line {line} of this ledger, and the ledger does not hold that charge: it was restored from "
    "an older copy, or rewritten. What was spent since then is not counted in it. Bring back the newest copy, and "
    "charge nothing on this one."
)


def release_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files of releases at ``paths``; a folder stands for all that lie in it."""
    files = [each for path in paths for each in (sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path])]
    if not files:
        raise InputError("against must name releases (*.tacit) or a folder that holds some; got none.")
    return files


def receipt_of(card: Card, ledger: Ledger, name: str) -> Receipt:
    """Return the receipt that ``card`` carries; raise LedgerError if its release was not charged to ``ledger``."""
    entry = card.ledger if card.joint is None else card.joint.receipt_of(ledger.identifier)
    if entry is None:
        raise LedgerError(f"{name} was charged to no ledger, so that it says nothing about this one.")
    if entry["identifier"] != ledger.identifier:
        raise LedgerError(
            f"{name} was charged to the ledger {entry['identifier']}; this one is {ledger.identifier}. If it is the "
            "account of the same rows, they have two budgets."
        )
    return Receipt.parse(f"{entry['line']}:{entry['digest']}")


def verify_against(ledger: Ledger, paths: Iterable[Path]) -> tuple[Line, ...]:
    """Return the ledger's lines after checking that it holds the charge of every release at ``paths``.

    A ledger that was put back to an earlier moment is whole in itself, and a desk's log put back with it agrees with
    it. What was handed out since then does not: each card carries the number and digest of its line.

    Raises
    ------
    LedgerTamperedError
        With the first release whose charge is not in the ledger.
    LedgerError
        If a release was charged elsewhere.
    """
    lines = ledger.verify()
    held = {line.receipt for line in lines}
    for path in release_files(paths):
        receipt = receipt_of(open_release(path).card, ledger, path.name)
        if receipt not in held:
            raise LedgerTamperedError(OLDER.format(name=path.name, line=receipt.line))
    return lines
