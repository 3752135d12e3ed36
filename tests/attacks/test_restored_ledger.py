"""A ledger that was put back to an earlier moment is unbroken: what was handed out since then tells."""

import shutil
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import tacit
from tacit.errors import InputError, LedgerError, LedgerTamperedError
from tacit.interfaces.cli.main import app
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.releases.receipts import release_files, verify_against

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{7 * i % 90},{('no', 'yes')[i % 2]}" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["age,ill", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "a.toml").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def released(name: str, ledger: Ledger | None) -> None:
    tacit.release("a.csv", "a.toml", ledger=ledger, output=name, method="moments", epsilon=0.5, audit=False)


def put_back(path: Path, backup: Path) -> None:
    """Replace a file of SQLite's by an older copy, as restoring a folder does."""
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.copy(backup, path)


def test_a_restored_ledger_is_unbroken_and_lacks_what_was_handed_out(folder: Path) -> None:
    path, backup = folder / "a.ledger", folder / "backup"
    ledger = Ledger.create(path, Budget(2, 1e-5, unit="record"))
    released("first.tacit", ledger)
    shutil.copy(path, backup)
    released("second.tacit", ledger)
    assert run("ledger", "verify", "a.ledger", "--against", "first.tacit", "--against", "second.tacit").exit_code == 0
    put_back(path, backup)
    assert run("ledger", "verify", "a.ledger").stdout.startswith("ok: 1 line,")  # a fresh process sees nothing wrong
    shown = run("ledger", "verify", "a.ledger", "--against", "first.tacit").stdout
    assert "The charge of first.tacit stands in this ledger." in shown
    with pytest.raises(LedgerTamperedError, match=r"second\.tacit was charged on line 2.*restored from an older copy"):
        run("ledger", "verify", "a.ledger", "--against", "first.tacit", "--against", "second.tacit")


def test_a_restored_ledger_with_another_charge_in_that_place_is_noticed_too(folder: Path) -> None:
    path, backup = folder / "a.ledger", folder / "backup"
    ledger = Ledger.create(path, Budget(2, 1e-5, unit="record"))
    shutil.copy(path, backup)
    released("first.tacit", ledger)
    put_back(path, backup)
    (folder / "out").mkdir()
    released("out/instead.tacit", Ledger(path))
    assert len(verify_against(Ledger(path), [folder / "out"])) == 1
    with pytest.raises(LedgerTamperedError, match=r"first\.tacit was charged on line 1"):
        verify_against(Ledger(path), [folder / "first.tacit"])


def test_releases_of_other_ledgers_or_none_are_not_taken_for_proof(folder: Path) -> None:
    one = Ledger.create(folder / "a.ledger", Budget(2, 1e-5, unit="record"))
    other = Ledger.create(folder / "b.ledger", Budget(2, 1e-5, unit="record"))
    released("b.tacit", other)
    released("none.tacit", None)
    with pytest.raises(LedgerError, match="they have two budgets"):
        verify_against(one, [folder / "b.tacit"])
    with pytest.raises(LedgerError, match="charged to no ledger"):
        verify_against(one, [folder / "none.tacit"])
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match="got none"):
        release_files([folder / "empty"])
