"""The options that the commands of ``tacit desk`` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.interfaces.cli.parameters import argument, option, schema_option
from tacit.interfaces.cli.spend import PersonColumn, RowsPerPerson

LogPath = Annotated[Path, argument("LOG", "The desk's log.")]


@dataclass(frozen=True, kw_only=True)
class DeskOptions:
    """What a desk answers with: files, terms, and the account that pays."""

    schema: Annotated[Path, schema_option()]
    model: Annotated[
        Path, option("[bold]linear[/], or a TOML file that declares the model.", "--model", "-m", metavar="TOML")
    ]
    metric: Annotated[
        str, typer.Option(help="[bold]accuracy[/] or [bold]balanced_accuracy[/] (without noise only).")
    ] = "accuracy"
    queries: Annotated[int, typer.Option(help="Answers to all providers together.")] = 1000
    decimals: Annotated[int, typer.Option(help="Decimals of an answer.")] = 2
    epsilon: Annotated[
        float | None,
        typer.Option(help="Privacy loss of all answers together; without it there is no noise and no guarantee."),
    ] = None
    delta: Annotated[
        float, typer.Option(help="Probability that the loss exceeds epsilon; 0 selects Laplace noise.")
    ] = 1e-6
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's ledger; charged before the desk opens.")
    ] = None
    person: PersonColumn = None
    rows_per_person: RowsPerPerson = None
    log: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The desk's log; by default TABLE with the ending .desk.")
    ] = None

    def terms(self) -> dict[str, Any]:
        """Return what the desk's terms are made of."""
        return {name: getattr(self, name) for name in ("metric", "queries", "decimals", "epsilon", "delta")}
