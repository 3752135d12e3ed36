"""A running process notices that its own last charge was taken back."""

import shutil
from pathlib import Path

import pytest

from tacit import Budget, Ledger
from tacit.errors import LedgerTamperedError
from tacit.privacy.events import ApproximateEvent

HALF = ApproximateEvent(0.5)


@pytest.mark.parametrize("ask", ["charge", "spent", "left", "lines", "statement", "verify"])
def test_a_rollback_of_the_last_charge_is_noticed_by_whoever_made_it(tmp_path: Path, ask: str) -> None:
    path, backup = tmp_path / "x.ledger", tmp_path / "backup"
    ledger = Ledger.create(path, Budget(1, unit="record"))
    shutil.copy(path, backup)
    ledger.charge(HALF, unit="record", purpose="first")
    shutil.copy(backup, path)
    given = {"event": ApproximateEvent(1.0), "unit": "record", "purpose": "again"} if ask == "charge" else {}
    with pytest.raises(LedgerTamperedError, match="line 1"):
        getattr(ledger, ask)(**given)


def test_a_rollback_with_another_charge_in_its_place_is_noticed(tmp_path: Path) -> None:
    path, backup = tmp_path / "x.ledger", tmp_path / "backup"
    ledger = Ledger.create(path, Budget(1, unit="record"))
    shutil.copy(path, backup)
    ledger.charge(HALF, unit="record", purpose="first")
    shutil.copy(backup, path)
    Ledger(path).charge(ApproximateEvent(0.1), unit="record", purpose="instead")
    with pytest.raises(LedgerTamperedError):
        ledger.charge(HALF, unit="record", purpose="second")
