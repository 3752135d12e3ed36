"""``tacit ledger`` makes, shows and verifies a ledger in words a reader understands."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.errors import BudgetError, InputError, LedgerError, LedgerTamperedError, TacitError
from tacit.files.hash_chain import Head
from tacit.interfaces.cli.main import app
from tacit.privacy import ledger_file
from tacit.privacy.budget import Budget
from tacit.privacy.conversions import Claim
from tacit.privacy.events import (
    ApproximateEvent,
    GaussianEvent,
    LaplaceEvent,
    ParallelEvent,
    RepeatedEvent,
    SequentialEvent,
)
from tacit.privacy.ledger import Ledger, Receipt
from tacit.privacy.ledger_records import TableMatch, line_json


def tacit_ledger(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["ledger", *map(str, arguments)], env={"COLUMNS": "150"})


def refused(error: type[TacitError], *arguments: object) -> str:
    """Return the message with which a command fails; the command line prints it and exits with 2."""
    result = tacit_ledger(*arguments)
    assert isinstance(result.exception, error), result.output
    assert result.exit_code != 0
    return str(result.exception)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "patients.ledger"


@pytest.fixture
def receipt(path: Path) -> Receipt:
    ledger = Ledger.create(path, Budget(2, 1e-6, unit="record", relation="replace"), name="patients [2024]")
    ledger.charge(LaplaceEvent(4, 1), unit="record", relation="replace", purpose="mean [bold]age[/bold]")
    means = SequentialEvent((GaussianEvent(20, 1), GaussianEvent(20, 1), RepeatedEvent(ApproximateEvent(0.01), 3)))
    ledger.charge(means, unit="record", purpose="class means")
    parts = ParallelEvent((LaplaceEvent(1000, 1), LaplaceEvent(1000, 1)))
    return ledger.charge(parts, unit="entry", purpose="pixels", n_features=5, exact=["row count"])


def test_init_makes_a_ledger_with_the_budget_given(path: Path) -> None:
    result = tacit_ledger("init", path, "--epsilon", 3, "--delta", 1e-6, "--unit", "entry", "--name", "patients")
    assert result.exit_code == 0, result.output
    ledger = Ledger(path)
    assert ledger.budget == Budget(3, 1e-6, unit="entry")
    assert ledger.name == "patients"
    assert "epsilon 3, delta 1e-06 per entry" in result.output
    assert ledger.identifier in result.output


def test_init_has_no_default_for_epsilon_or_unit(path: Path) -> None:
    for given in (["--epsilon", "1"], ["--unit", "record"]):
        result = tacit_ledger("init", path, *given)
        assert result.exit_code == 2
        assert "Missing option" in result.output
    assert not path.exists()


def test_init_refuses_what_is_no_budget_and_never_overwrites(path: Path) -> None:
    assert "epsilon must be" in refused(BudgetError, "init", path, "--epsilon", -1, "--unit", "record")
    assert "unit must be one of" in refused(BudgetError, "init", path, "--epsilon", 1, "--unit", "row")
    assert not path.exists()
    tacit_ledger("init", path, "--epsilon", 1, "--unit", "record")
    assert "never overwritten" in refused(LedgerError, "init", path, "--epsilon", 9, "--unit", "record")
    assert Ledger(path).budget.epsilon == 1


def test_show_lists_every_charge_as_it_was_written(path: Path, receipt: Receipt) -> None:
    result = tacit_ledger("show", path)
    assert result.exit_code == 0, result.output
    for words in (
        "patients [2024]",
        "mean [bold]age[/bold]",
        "laplace scale=4 sensitivity=1",
        "sequential (2 x gaussian sigma=20",
        "3 x approximate",
        "parallel (2 x laplace scale=1000",
        "entry of 5",
        receipt.digest[:8],
    ):
        assert words in result.output


def test_show_gives_what_is_spent_and_left(path: Path, receipt: Receipt) -> None:
    output = tacit_ledger("show", path).output
    ledger = Ledger(path)
    assert f"of 2 is spent (at delta 1e-06), {ledger.left():.4f}"[:-2] in output
    bar = next(line for line in output.splitlines() if "█" in line)
    assert len(bar) == 60
    assert bar.count("█") == pytest.approx(60 * ledger.spent() / 2, abs=1)


def test_show_of_an_unused_ledger_says_so(path: Path) -> None:
    Ledger.create(path, Budget(1, unit="pair"))
    output = tacit_ledger("show", path).output
    assert "Nothing has been charged." in output
    assert "epsilon 0 of 1 is spent, 1 is left." in output
    assert "░" * 60 in output


def test_show_prints_thousands_of_lines_without_laying_out_a_table(path: Path) -> None:
    ledger = Ledger.create(path, Budget(50, 1e-6, unit="record"))
    header = ledger._header
    head = header.start
    with ledger_file.writing(path, timeout=5) as file:
        for number in range(1, 3001):
            claim = Claim.checked(LaplaceEvent(1000 + number, 1), unit="record")
            receipt = file.append(line_json(number, claim, f"charge {number}", TableMatch.NOT_STATED), head)
            head = Head(receipt.line, receipt.digest)
    start = time.process_time()
    shown = tacit_ledger("show", path).output
    assert time.process_time() - start < 1.0
    assert f"charge 2999  laplace scale=3999 sensitivity=1  record  {ledger.lines()[2998].digest[:8]}" in shown
    assert "is spent (at delta 1e-06)" in shown


@pytest.mark.parametrize("paged", [True, False])
def test_many_lines_are_paged_on_a_terminal_alone(
    path: Path, receipt: Receipt, paged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []
    monkeypatch.setattr("tacit.interfaces.cli.ledger.MOST_ROWS", 2)
    monkeypatch.setattr("rich.console.Console.is_terminal", paged)
    monkeypatch.setattr("typer.echo_via_pager", pages.extend)
    shown = tacit_ledger("show", path).output
    rows = [line for line in (pages if paged else shown.splitlines()) if receipt.digest[:8] in line]
    assert len(rows) == 1
    assert len(pages) == (3 if paged else 0)
    assert "is spent (at delta 1e-06)" in shown


def test_show_as_json_is_for_programs(path: Path, receipt: Receipt) -> None:
    shown: dict[str, Any] = json.loads(tacit_ledger("show", path, "--json").output)
    ledger = Ledger(path)
    assert shown["budget"] == {"epsilon": 2.0, "delta": 1e-6, "unit": "record", "relation": "replace"}
    assert (shown["name"], shown["identifier"]) == ("patients [2024]", ledger.identifier)
    assert (shown["spent"], shown["left"]) == (ledger.spent(), ledger.left())
    assert [line["number"] for line in shown["lines"]] == [1, 2, 3]
    assert shown["lines"][0]["event"] == {"event": "laplace", "scale": 4, "sensitivity": 1}
    assert (shown["lines"][2]["n_features"], shown["lines"][2]["digest"]) == (5, receipt.digest)


def test_verify_passes_a_sound_ledger_and_gives_its_last_receipt(path: Path, receipt: Receipt) -> None:
    result = tacit_ledger("verify", path)
    assert result.exit_code == 0
    assert "ok: 3 lines, unbroken and within epsilon 2, delta 1e-06 per record (replace)." in result.output
    assert str(receipt) in result.output


def test_verify_compares_with_a_receipt(path: Path, receipt: Receipt) -> None:
    result = tacit_ledger("verify", path, "--receipt", receipt)
    assert result.exit_code == 0
    assert "The receipt of line 3 stands in this ledger." in result.output
    wrong = Receipt(2, receipt.digest)
    assert "line 2 of the ledger is not the one" in refused(LedgerTamperedError, "verify", path, "--receipt", wrong)
    assert "receipt must be LINE:DIGEST" in refused(InputError, "verify", path, "--receipt", "3")


@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_broken_ledger_fails_with_the_line_that_is_wrong(path: Path, receipt: Receipt, command: str) -> None:
    damaged = path.read_bytes().replace(b"class means", b"class meanz")
    path.write_bytes(damaged)
    assert "line 2 of the ledger does not follow" in refused(LedgerTamperedError, command, path)


@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_missing_ledger_fails_and_is_not_made(path: Path, command: str) -> None:
    assert "there is no ledger at" in refused(LedgerError, command, path)
    assert not path.exists()


@pytest.mark.parametrize("command", ["init", "show", "verify"])
def test_the_help_of_each_command_has_an_example(command: str) -> None:
    result = tacit_ledger(command, "--help")
    assert result.exit_code == 0
    assert f"Example: tacit ledger {command} patients.ledger" in result.output
