"""Arguments and options that many commands have, said once: what is required shows no default."""

from pathlib import Path
from typing import Annotated, Any

import typer


def argument(metavar: str, words: str) -> Any:
    """Return an argument by position, which has no name but what help calls it."""
    return typer.Argument(metavar=metavar, help=words, show_default=False)


def option(words: str, *names: str, metavar: str | None = None) -> Any:
    """Return an option that is required, or whose default says nothing."""
    return typer.Option(*names, metavar=metavar, help=words, show_default=False)


def schema_option(words: str = "The schema: the public facts about the table.") -> Any:
    """Return ``--schema``: the file of a table's public facts."""
    return option(words, "--schema", "-s", metavar="TOML")


def output_option(metavar: str, words: str) -> Any:
    """Return ``--output``: where the result is written."""
    return option(words, "--output", "-o", metavar=metavar)


PrivateTable = Annotated[
    Path, argument("TABLE", "The private table: a file or folder, a database query, or - for standard input.")
]
Delta = Annotated[float, typer.Option(help="Probability that the loss exceeds epsilon.")]
ChargedLedger = Annotated[
    Path | None, typer.Option(metavar="PATH", help="The table's ledger; charged before noise is drawn.")
]
NoiseSeed = Annotated[int | None, option("Repeatable noise for tests: NOT private, and the card says so.")]
