"""The ``tacit`` command: gathers the subcommands and turns errors into one clear line and a non-zero exit."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import tacit
from tacit.errors import TacitError
from tacit.interfaces.cli import (
    adopt,
    audit,
    card,
    demo,
    desk,
    desk_audit,
    fabricate,
    infer,
    ledger,
    predict,
    release,
    report,
    reproduce,
    schema,
    tune,
)
from tacit.interfaces.cli.two_words import TwoWords

app = typer.Typer(
    name="tacit",
    cls=TwoWords,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(schema.app)
app.add_typer(ledger.app)
app.add_typer(desk.app)
app.command()(release.release)
app.command()(fabricate.fabricate)
app.command()(adopt.adopt)
app.command()(predict.predict)
app.command()(infer.infer)
app.command()(report.report)
app.command()(card.card)
app.command()(audit.audit)
app.command("audit desk")(desk_audit.audit_desk)
app.command()(tune.tune)
app.command("tune ask")(tune.ask)
app.command("tune tell")(tune.tell)
app.command()(reproduce.reproduce)
app.command()(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tacit {tacit.__version__}")
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
