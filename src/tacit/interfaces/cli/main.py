"""The ``tacit`` command: lists its commands, calls one, and turns errors into one clear line and a non-zero exit."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tacit.errors import TacitError
from tacit.interfaces.cli.lazy_group import LazyGroup
from tacit.version import VERSION

app = typer.Typer(
    name="tacit",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"tacit {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Learn from data that one may not see.

    An owner keeps a private table and hands out a release; a receiver adopts it; a reviewer reads the card and
    runs the audit again.

    [bold]Start with:[/] tacit demo    or    tacit schema draft patients.csv -o patients.toml
    """


def run() -> None:
    """Run the command line; an error raised on purpose is printed as one line and exits with 2."""
    try:
        app()
    except TacitError as problem:
        line = Text.assemble(("error: ", "bold red"), str(problem))
        Console(stderr=True).print(line, highlight=False, soft_wrap=True)
        sys.exit(2)
