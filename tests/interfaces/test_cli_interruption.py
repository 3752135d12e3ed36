from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tacit import Budget, Ledger, PrivateNearestMean
from tacit.interfaces.cli.main import app, done_until_now
from tacit.privacy.account import Plan

START = datetime(2000, 1, 1, tzinfo=UTC)


def charged_ledger(path: Path) -> Ledger:
    ledger = Ledger.create(path, Budget(5, 1e-5, unit="record"))
    PrivateNearestMean(1.0, bounds=(0, 1), ledger=ledger).fit([[0.1], [0.9]], [0, 1])
    return ledger


def test_a_charge_and_an_output_since_the_start_are_named(tmp_path: Path) -> None:
    ledger, output = charged_ledger(tmp_path / "a.ledger"), tmp_path / "a.tacit"
    output.write_text("")
    options = {"ledger": ledger.path, "output": output}
    charged, written = done_until_now(options, START)
    assert "was charged, line 1 (class means): that is spent." in charged
    assert "was written, whole" in written
    later = datetime(2999, 1, 1, tzinfo=UTC)
    assert [each.split()[-2:] for each in done_until_now(options, later)] == [["not", "charged."], ["not", "written."]]


def test_without_either_nothing_was_done() -> None:
    assert done_until_now({}, START) == ["Nothing was charged and nothing was written."]


def test_ctrl_c_after_the_charge_says_that_it_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{place / 10},{'no' if place < 5 else 'yes'}" for place in range(10))
    Path("a.csv").write_text(f"x,ill\n{rows}\n")
    columns = '[columns.x]\nkind = "numeric"\nbounds = [0, 1]\n[columns.ill]\nkind = "label"\nclasses = ["no", "yes"]\n'
    Path("a.toml").write_text(f"version = 1\n{columns}")
    Ledger.create("a.ledger", Budget(5, 1e-5, unit="record"))
    whole = Plan.open

    def interrupted(self: Plan, **settings: Any) -> Any:
        whole(self, **settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(Plan, "open", interrupted)
    command = "release a.csv -s a.toml --epsilon 1 --ledger a.ledger --method moments -o a.tacit"
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 130, done.output
    assert "a.ledger was charged, line 1" in done.stderr
    assert "a.tacit was not written." in done.stderr
    assert len(Ledger("a.ledger").lines()) == 1
    assert not Path("a.tacit").exists()
