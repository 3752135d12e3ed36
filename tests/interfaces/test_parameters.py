"""Arguments and options that commands share: how help shows them, and what is required."""

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tacit.interfaces.cli.parameters import argument, option, output_option, schema_option

app = typer.Typer(add_completion=False)


@app.command()
def sample(
    table: Annotated[Path, argument("TABLE", "Rows.")],
    *,
    schema: Annotated[Path, schema_option()],
    output: Annotated[Path | None, output_option("FILE", "Where it goes.")] = None,
    name: Annotated[str, option("What it is called.", "--name", "-n", metavar="WORD")] = "nothing",
) -> None:
    """Print what arrived."""
    typer.echo(f"{table} {schema} {output} {name}")


def test_short_and_long_names_are_the_same() -> None:
    for words in (["-s", "a.toml", "-o", "b", "-n", "c"], ["--schema", "a.toml", "--output", "b", "--name", "c"]):
        assert CliRunner().invoke(app, ["t.csv", *words]).output == "t.csv a.toml b c\n"


@pytest.mark.parametrize("missing", [["t.csv"], ["-s", "a.toml"]])
def test_what_has_no_default_is_required(missing: list[str]) -> None:
    assert CliRunner().invoke(app, missing).exit_code == 2


def test_help_names_what_is_taken_and_no_default() -> None:
    text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120"}).output
    for word in (
        "TABLE",
        "TOML",
        "The schema: the public facts about the table.",
        "FILE",
        "Where it goes.",
        "WORD",
        "What it is called.",
    ):
        assert word in text
    assert "nothing" not in text
