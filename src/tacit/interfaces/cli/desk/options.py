"""The options that the commands of ``tacit desk`` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.interfaces.cli.spend import PersonColumn, RowsPerPerson

TableArgument = Annotated[
    Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
]
LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="The desk's log.", show_default=False)]


@dataclass(frozen=True, kw_only=True)
class DeskOptions:
    """What a desk answers with: files, terms, and the account that pays."""

    schema: Annotated[
        Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
    ]
    model: Annotated[
        Path,
        typer.Option("--model", "-m", metavar="TOML", help="linear, or a file that declares it.", show_default=False),
    ]
    metric: Annotated[
        str, typer.Option(help="[bold]accuracy[/] or [bold]balanced_accuracy[/] (without noise only).")
    ] = "accuracy"
    queries: Annotated[int, typer.Option(help="Answers that are given in all, to all providers.")] = 1000
    decimals: Annotated[int, typer.Option(help="Digits after the point of an answer.")] = 2
    epsilon: Annotated[
        float | None, typer.Option(help="What all answers together may cost; without it no noise and no promise.")
    ] = None
    delta: Annotated[float, typer.Option(help="Probability with which more may be lost; 0 takes Laplace noise.")] = 1e-6
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before the desk opens.")
    ] = None
    person: PersonColumn = None
    rows_per_person: RowsPerPerson = None
    log: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The desk's log; by default TABLE with .desk as ending.")
    ] = None

    def terms(self) -> dict[str, Any]:
        """Return what the desk's terms are made of."""
        return {name: getattr(self, name) for name in ("metric", "queries", "decimals", "epsilon", "delta")}
