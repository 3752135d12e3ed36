"""A promise that protects little, or a charge that does not belong, is said aloud on the command line."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tacit import Budget, Ledger
from tacit.data.schemas.file import read_schema
from tacit.errors import LedgerError
from tacit.interfaces.cli.main import app
from tacit.workflows.adopt import adopt_privately
from tacit.workflows.tables import table_identity

SCHEMA = """
version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.bp]
kind = "numeric"
bounds = [50, 250]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


def tacit(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "x.toml").write_text(SCHEMA)
    (tmp_path / "other.toml").write_text(SCHEMA.replace("columns.bp", "columns.hr"))
    rows = [f"{20 + i},{100 + i},{'yes' if i % 2 else 'no'}" for i in range(60)]
    (tmp_path / "x.csv").write_text("\n".join(["age,bp,ill", *rows]) + "\n")
    (tmp_path / "other.csv").write_text("\n".join(["age,hr,ill", *rows]) + "\n")
    (tmp_path / "three.csv").write_text("\n".join(["age,bp,ill", *rows[:3]]) + "\n")
    (tmp_path / "clipped.csv").write_text("\n".join(["age,bp,ill", *(f"{row[:2]},9999,no" for row in rows)]) + "\n")
    return tmp_path


def release(files: Path, *options: object, table: str = "x.csv", schema: str = "x.toml") -> Any:
    made = ("release", files / table, "-s", files / schema, "-o", files / "x.tacit", "--force")
    return tacit(*made, *options)


@pytest.mark.parametrize(
    ("options", "table", "words"),
    [
        (("--epsilon", 1, "--delta", 0.5), "x.csv", "delta 0.5 is at least 1 over the number of rows"),
        (("--epsilon", 1, "--delta", 0.02), "x.csv", "delta 0.02 is at least 1 over the number of rows"),
        (("--epsilon", 25), "x.csv", "that is no protection to speak of"),
        (("--epsilon", 1e-7), "x.csv", "does not depend on the table any more"),
        (("--epsilon", 1), "three.csv", "the table has 3 rows"),
        (("--epsilon", 1), "clipped.csv", "column 'bp': every value lies at or beyond a bound"),
    ],
)
def test_a_weak_promise_is_warned_of(files: Path, options: tuple[object, ...], table: str, words: str) -> None:
    result = release(files, *options, table=table)
    assert result.exit_code == 0
    assert words in " ".join(result.output.split())
    assert words not in " ".join(release(files, "--epsilon", 1).output.split())


def test_a_release_fits_a_ledger_made_with_the_defaults(files: Path) -> None:
    assert tacit("ledger", "init", files / "x.ledger", "--epsilon", 1, "--unit", "record").exit_code == 0
    assert release(files, "--epsilon", 1, "--ledger", files / "x.ledger").exit_code == 0


def test_seeded_noise_needs_to_be_allowed_and_the_line_says_so(files: Path) -> None:
    book = files / "x.ledger"
    tacit("ledger", "init", book, "--epsilon", 3, "--unit", "record")
    refused = release(files, "--epsilon", 1, "--seed", 1, "--ledger", book)
    assert refused.exit_code != 0
    assert "--allow no-guarantee" in str(refused.exception)
    assert Ledger(book).lines() == ()
    assert release(files, "--epsilon", 1, "--seed", 1, "--ledger", book, "--allow", "no-guarantee").exit_code == 0
    assert "no guarantee: line 1" in " ".join(tacit("ledger", "verify", book).output.split())


def test_a_ledger_knows_its_table(files: Path) -> None:
    book = files / "x.ledger"
    made = ("ledger", "init", book, "--epsilon", 3, "--unit", "record", "-s", files / "x.toml", "--name", "ward 7")
    assert tacit(*made).exit_code == 0
    assert release(files, "--epsilon", 1, "--ledger", book, "--bad-records", "clip").exit_code == 0
    other = {"table": "other.csv", "schema": "other.toml"}
    refused = release(files, "--epsilon", 1, "--ledger", book, **other)
    assert refused.exit_code != 0
    assert "was made for another table" in str(refused.exception)
    assert len(Ledger(book).lines()) == 1
    assert release(files, "--epsilon", 1, "--ledger", book, "--allow", "other-table", **other).exit_code == 0
    assert "line 2 was charged for another table" in " ".join(tacit("ledger", "show", book).output.split())
    second = ("ledger", "init", files / "y.ledger", *made[3:])
    refused = tacit(*second)
    assert refused.exit_code != 0
    assert "--allow second-ledger" in str(refused.exception)
    assert tacit(*second, "--allow", "second-ledger").exit_code == 0


def test_a_printed_algorithm_says_beside_its_epsilon_that_it_does_not_hold(files: Path) -> None:
    options = ("--epsilon", 1, "--unit", "entry", "--method", "hull", "--no-audit", "-o", files / "f.csv")
    printed = tacit("fabricate", files / "x.csv", "-s", files / "x.toml", *options, "--accounting", "paper").output
    assert "at epsilon 1" in printed
    assert "NO GUARANTEE" in printed
    sound = tacit("fabricate", files / "x.csv", "-s", files / "x.toml", *options, "--force").output
    assert "NO GUARANTEE" not in sound


def test_allowing_without_a_ledger_is_a_mistake(files: Path) -> None:
    refused = release(files, "--epsilon", 1, "--allow", "no-guarantee")
    assert "give --ledger with it" in str(refused.exception)


def test_a_private_adoption_notices_the_wrong_table_too(files: Path) -> None:
    book = files / "x.ledger"
    Ledger.create(
        book,
        Budget(3, 1e-5, unit="record", relation="replace"),
        table=table_identity(read_schema(files / "x.toml"), ""),
    )
    assert release(files, "--epsilon", 1, "--method", "linear", "--ledger", book).exit_code == 0
    with pytest.raises(LedgerError, match="was made for another table"):
        adopt_privately([files / "x.tacit"], files / "other.csv", files / "other.toml", epsilon=0.5, ledger=book)
    assert len(Ledger(book).lines()) == 1
