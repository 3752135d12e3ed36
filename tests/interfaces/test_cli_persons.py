"""Persons on the command line: options, messages that quote no cell, ledger lines."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.interfaces.cli.main import app
from tacit.releases.file import read_release

SCHEMA = """version = 1
[columns.patient]
kind = "ignored"
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"P{i // 4},{7 * i % 90},{('no', 'yes')[i % 2]}" for i in range(80)]
    (tmp_path / "visits.csv").write_text("\n".join(["patient,age,ill", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "visits.toml").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str) -> Result:
    return CliRunner().invoke(app, line.split(), catch_exceptions=False)


RELEASE = "release visits.csv -s visits.toml --epsilon 1 -o a.tacit"
PERSON = "--person patient --rows-per-person 2"


def test_a_release_per_person_stands_on_a_ledger_per_person(folder: Path) -> None:
    assert run("ledger init p.ledger --epsilon 2 --delta 1e-5 --unit person").exit_code == 0
    made = run(f"{RELEASE} {PERSON} --ledger p.ledger")
    assert made.exit_code == 0
    assert "per person" in made.stdout
    assert "40 of 80 rows left out: at most 2 of each person are read." in made.stderr
    shown = json.loads(run("ledger show p.ledger --json").stdout)
    assert shown["lines"][0]["unit"] == "person"
    assert shown["lines"][0]["rows_per_person"] == 2
    assert read_release(folder / "a.tacit").card.rows_per_person == 2
    assert "one person" in run("card a.tacit").stdout


@pytest.mark.usefixtures("folder")
def test_a_dry_run_counts_a_person_s_rows_and_the_ledger_s_room() -> None:
    run("ledger init p.ledger --epsilon 2 --delta 1e-5 --unit person")
    shown = run(f"{RELEASE} {PERSON} --ledger p.ledger --dry-run")
    assert "per person (add-remove)" in shown.stdout
    assert "ledger p.ledger: epsilon" in shown.stdout
    assert "would be spent" in shown.stdout


@pytest.mark.usefixtures("folder")
def test_a_release_per_record_says_what_a_person_loses_without_quoting_a_cell() -> None:
    made = run(RELEASE)
    assert made.exit_code == 0
    assert "column 'patient' repeats like an identifier: 4 rows have the same value in it" in made.stderr
    assert "that person loses epsilon 4.59242" in made.stderr
    assert "--person patient --rows-per-person K" in made.stderr
    assert "P1" not in made.stdout + made.stderr


@pytest.mark.usefixtures("folder")
def test_fabricate_takes_the_same_options() -> None:
    made = run(f"fabricate visits.csv -s visits.toml --epsilon 2 -o f.csv {PERSON}")
    assert made.exit_code == 0
    assert "per person" in made.stdout
    assert "per person" in run(f"fabricate visits.csv -s visits.toml --epsilon 2 {PERSON} --dry-run").stdout


def test_a_draft_says_which_column_repeats(folder: Path) -> None:
    drafted = run("schema draft visits.csv --label ill -o draft.toml")
    assert "column 'patient' repeats like an identifier" in " ".join(drafted.stderr.split())
    assert '[columns.patient]\nkind = "person"' in (folder / "draft.toml").read_text(encoding="utf-8")
    assert "P1" not in drafted.stdout + drafted.stderr
