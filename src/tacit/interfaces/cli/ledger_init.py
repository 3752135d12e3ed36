"""``tacit ledger init``: make the account of a private data set; apart from what reads it, which needs no schema."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.data.schemas.file import read_schema
from tacit.interfaces.cli.parameters import option
from tacit.privacy.budget import Budget, cautions
from tacit.privacy.ledger import Ledger
from tacit.workflows.tables import table_identity


def init(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to make; it must not exist yet.")],
    *,
    epsilon: Annotated[float, option("The whole budget: epsilon of all releases together.")],
    unit: Annotated[
        str,
        typer.Option(
            help="What one epsilon protects: [bold]entry[/], [bold]record[/], [bold]person[/] or [bold]pair[/]."
        ),
    ],
    delta: Annotated[float, typer.Option(help="The whole budget of delta; 0 for pure epsilon.")] = 1e-6,
    relation: Annotated[
        str | None,
        option(
            "Neighbouring tables: [bold]add-remove[/] (one unit more or less; the default for records and persons) "
            "or [bold]replace[/] (one unit exchanged, the number of rows public; desks need it)."
        ),
    ] = None,
    name: Annotated[str, option("A name for the data set.")] = "",
    schema: Annotated[
        Path | None,
        option(
            "The table's schema: releases of another table are then refused, and so is a second ledger for this "
            "table in the same folder.",
            "--schema",
            "-s",
            metavar="TOML",
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        option("[bold]second-ledger[/]: though there is one.", "--allow", metavar="WHAT"),
    ] = None,
) -> None:
    """Make a ledger with a budget that cannot be changed later.

    Keep one ledger for each private data set, on a local disk, and give it to every release from that data set.

    [bold]Example:[/] tacit ledger init patients.ledger --epsilon 3 --delta 1e-6 --unit record --name patients
    """
    table = None if schema is None else table_identity(read_schema(schema), name)
    budget = Budget(epsilon, delta, unit=unit, relation=relation)
    ledger = Ledger.create(path, budget, name=name, table=table, allow=allow or ())
    for words in cautions(budget):
        typer.echo(f"warning: {words}", err=True)
    typer.echo(f"made {path}: {ledger.budget}. Its budget is fixed; its identifier is {ledger.identifier}.")
