from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tacit.interfaces.cli.option_groups import with_option_groups


@dataclass(frozen=True, kw_only=True)
class Promise:
    """Options of an owner."""

    epsilon: Annotated[float, typer.Option(help="What is spent.")]
    unit: Annotated[str, typer.Option("--unit", "-u", help="Whom it protects.")] = "record"


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @with_option_groups
    def release(table: str, *, promise: Promise, force: bool = False) -> None:
        """Release a table."""
        typer.echo(f"{table} {promise} {force}")

    return app


def test_the_fields_of_a_group_are_options_and_come_back_as_one(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["a.csv", "--epsilon", "2", "-u", "person", "--force"])
    assert result.output.strip() == "a.csv Promise(epsilon=2.0, unit='person') True"


def test_defaults_are_those_of_the_group(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["a.csv", "--epsilon", "2"])
    assert result.output.strip() == "a.csv Promise(epsilon=2.0, unit='record') False"


def test_a_field_without_a_default_must_be_given(app: typer.Typer) -> None:
    result = CliRunner().invoke(app, ["a.csv"])
    assert result.exit_code == 2
    assert "--epsilon" in result.output


def test_help_shows_them_like_any_other(app: typer.Typer) -> None:
    text = CliRunner().invoke(app, ["--help"]).output
    assert "What is spent." in text
    assert "Whom it protects." in text
    assert "promise" not in text


def test_a_command_without_groups_stays_as_it_is() -> None:
    app = typer.Typer()
    app.command()(with_option_groups(_plain))
    assert CliRunner().invoke(app, ["--count", "3"]).output == "3\n"


def _plain(*, count: int = 1) -> None:
    typer.echo(str(count))
