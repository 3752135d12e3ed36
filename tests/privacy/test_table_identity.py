"""A ledger knows its table by a keyed fingerprint, and says where a charge was for another one."""

from pathlib import Path

import pytest

from tacit.errors import InputError, LedgerError
from tacit.privacy.budget import Budget
from tacit.privacy.events import ApproximateEvent
from tacit.privacy.ledger import Ledger
from tacit.privacy.ledger_records import TableIdentity, TableMatch

BUDGET = Budget(1, unit="record")
PATIENTS = TableIdentity({"columns": {"age": {"kind": "numeric", "bounds": [0, 110]}}}, "patients")
OTHER_NAME = TableIdentity(PATIENTS.schema, "staff")
OTHER_SCHEMA = TableIdentity({"columns": {"age": {"kind": "numeric", "bounds": [0, 99]}}}, "patients")
TENTH = ApproximateEvent(0.1)


def test_a_fingerprint_tells_tables_apart_and_keys_hide_them() -> None:
    prints = [each.fingerprint(b"k" * 32) for each in (PATIENTS, OTHER_NAME, OTHER_SCHEMA)]
    assert len(set(prints)) == 3
    again = TableIdentity({"columns": {"age": {"bounds": [0, 110], "kind": "numeric"}}}, "patients")
    assert again.fingerprint(b"k" * 32) == prints[0]
    assert PATIENTS.fingerprint(b"j" * 32) != prints[0]
    with pytest.raises(InputError, match="table name must be one line"):
        TableIdentity({}, "a\nb").fingerprint(b"k" * 32)


def test_the_fingerprint_in_the_file_says_nothing_without_the_ledger(tmp_path: Path) -> None:
    first = Ledger.create(tmp_path / "a.ledger", BUDGET, table=PATIENTS)
    second = Ledger.create(tmp_path / "b.ledger", BUDGET, table=PATIENTS, allow=["second-ledger"])
    assert first._header.table != second._header.table
    assert Ledger(tmp_path / "a.ledger").budget == BUDGET


@pytest.mark.parametrize("other", [OTHER_NAME, OTHER_SCHEMA], ids=["name", "schema"])
def test_a_charge_for_another_table_is_refused_or_marked(tmp_path: Path, other: TableIdentity) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", BUDGET, table=PATIENTS)
    ledger.charge(TENTH, unit="record", purpose="own", table=PATIENTS)
    with pytest.raises(LedgerError, match=r"made for another table.*allow=\['other-table'\]"):
        ledger.charge(TENTH, unit="record", purpose="wrong", table=other)
    allowing = Ledger(ledger.path, allow=["other-table"])
    allowing.charge(TENTH, unit="record", purpose="wrong", table=other)
    allowing.charge(TENTH, unit="record", purpose="unknown")
    statement = Ledger(ledger.path).statement()
    assert [line.table for line in statement.lines] == [TableMatch.SAME, TableMatch.OTHER, TableMatch.NOT_STATED]
    assert statement.notes == ("line 2 was charged for another table than this ledger was made for.",)


def test_a_second_ledger_for_the_same_table_is_noticed(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "first.ledger", BUDGET, table=PATIENTS)
    (tmp_path / "no.ledger").write_text("something else")
    with pytest.raises(LedgerError, match=r"first\.ledger is the ledger of this table already"):
        Ledger.create(tmp_path / "second.ledger", BUDGET, table=PATIENTS)
    assert not (tmp_path / "second.ledger").exists()
    Ledger.create(tmp_path / "staff.ledger", BUDGET, table=OTHER_NAME)
    Ledger.create(tmp_path / "second.ledger", BUDGET, table=PATIENTS, allow=["second-ledger"])


def test_a_ledger_without_a_table_takes_any_and_says_that_none_was_stated(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", BUDGET)
    ledger.charge(TENTH, unit="record", purpose="", table=PATIENTS)
    assert ledger.lines()[0].table is TableMatch.NOT_STATED
    with pytest.raises(InputError, match="allow must be one of"):
        Ledger(ledger.path, allow=["everything"])
