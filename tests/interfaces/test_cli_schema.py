"""``tacit schema``: drafting and checking."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.data.schemas.file import read_schema
from tacit.errors import InputError, SchemaError
from tacit.interfaces.cli.main import app

TABLE = "id;age;sex;ill\n" + "".join(f"{i};{20 + i};{'mf'[i % 2]};{i % 2}\n" for i in range(30))
SCHEMA = """
version = 1

[columns.id]
kind = "ignored"

[columns.age]
kind = "numeric"
bounds = [25, 100]

[columns.sex]
kind = "categorical"
categories = ["f", "m"]

[columns.ill]
kind = "label"
classes = ["0", "1"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.csv").write_text(TABLE)
    (tmp_path / "ours.toml").write_text(SCHEMA)
    return tmp_path


def tacit(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["schema", *arguments], env={"COLUMNS": "100"})


def test_a_draft_is_written_marked_and_warned_of(folder: Path) -> None:
    result = tacit("draft", "ours.csv", "--label", "ill", "-o", "draft.toml")
    assert result.exit_code == 0
    assert "READ FROM YOUR ROWS" in result.stderr
    assert "wrote draft.toml: 1 ignored, 1 numeric, 1 categorical, 1 label." in result.stderr
    text = (folder / "draft.toml").read_text()
    assert text.startswith("# DRAFT, NOT YET FIT FOR A RELEASE.")
    schema = read_schema(folder / "draft.toml")
    assert schema.bounds_from_data
    assert schema.classes == ("0", "1")


def test_without_an_output_only_the_draft_is_printed_on_stdout(folder: Path) -> None:
    result = tacit("draft", "ours.csv")
    assert result.stdout.startswith("# DRAFT")
    assert "No label: name the column to predict with --label" in result.stderr
    (folder / "printed.toml").write_text(result.stdout)
    assert read_schema(folder / "printed.toml").bounds_from_data


def test_corrections_are_not_overwritten_unless_asked(folder: Path) -> None:
    refused = tacit("draft", "ours.csv", "-o", "ours.toml")
    assert isinstance(refused.exception, InputError)
    assert "--force" in str(refused.exception)
    assert (folder / "ours.toml").read_text() == SCHEMA
    assert tacit("draft", "ours.csv", "-o", "ours.toml", "--force").exit_code == 0
    assert read_schema(folder / "ours.toml").bounds_from_data


def test_pictures_are_drafted_from_the_arrays_asked_for(folder: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (6, 4, 5)).astype(np.uint8)
    np.savez(folder / "t.npz", x=pixels, y=np.array([0, 1] * 3), x_test=pixels[:2])
    assert tacit("draft", "t.npz", "--only", "x", "--only", "y", "--label", "y", "-o", "t.toml").exit_code == 0
    schema = read_schema(folder / "t.toml")
    assert schema.image is not None
    assert schema.image.shape == (4, 5)
    assert '[columns."x{0..19}"]' in (folder / "t.toml").read_text()
    assert tacit("check", "t.npz", "-s", "t.toml").exit_code == 0


def test_a_check_counts_what_the_schema_does_not_foresee(folder: Path) -> None:
    result = tacit("check", "ours.csv", "--schema", "ours.toml")
    assert result.exit_code == 0
    assert "ours.csv: 30 rows, 3 columns used" in result.stdout
    assert [line.split() for line in result.stdout.splitlines() if line.strip().startswith("age")] == [
        ["age", "·", "5", "·", "·", "·"]
    ]
    assert "Classes: 0 15, 1 15" in result.stdout
    assert "The table fits its schema." in result.stdout
    assert "for the owner only" in result.stdout


def test_a_check_fails_where_encoding_would_stop(folder: Path) -> None:
    (folder / "ours.csv").write_text(TABLE.replace("0;20;m", "0;;Smith-4711"))
    result = tacit("check", "ours.csv", "--schema", "ours.toml")
    assert result.exit_code == 1
    assert "2 cells are refused" in result.stdout
    assert "Smith" not in result.output


def test_a_check_says_when_there_is_one_class_only(folder: Path) -> None:
    (folder / "ours.csv").write_text("id,age,sex,ill\n1,30,m,0\n2,40,f,0\n")
    assert "Only 1 of the 2 classes has rows" in tacit("check", "ours.csv", "-s", "ours.toml").stdout


def test_a_check_reminds_of_a_draft(folder: Path) -> None:
    tacit("draft", "ours.csv", "-o", "draft.toml")
    assert "still a draft; every private release refuses it" in tacit("check", "ours.csv", "-s", "draft.toml").stdout


def test_a_check_uses_the_given_separator(folder: Path) -> None:
    assert isinstance(tacit("check", "ours.csv", "-s", "ours.toml", "--separator", ",").exception, SchemaError)


def test_a_broken_schema_is_named(folder: Path) -> None:
    (folder / "ours.toml").write_text(SCHEMA.replace("[25, 100]", "[100, 25]"))
    problem = tacit("check", "ours.csv", "--schema", "ours.toml").exception
    assert isinstance(problem, SchemaError)
    assert str(problem).startswith("ours.toml: column 'age': bounds must be")


@pytest.mark.parametrize("command", ["draft", "check"])
def test_the_help_teaches_by_an_example(command: str) -> None:
    result = tacit(command, "--help")
    assert result.exit_code == 0
    assert f"tacit schema {command} patients.csv" in result.stdout
