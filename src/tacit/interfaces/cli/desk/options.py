"""The options that the commands of ``tacit desk`` share."""

from pathlib import Path
from typing import Annotated

import typer

Table = Annotated[
    Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
]
SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
]
ModelFile = Annotated[
    Path, typer.Option("--model", "-m", metavar="TOML", help="linear, or a file that declares it.", show_default=False)
]
LogFile = Annotated[
    Path | None, typer.Option("--log", metavar="PATH", help="The desk's log; by default TABLE with .desk as ending.")
]
LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="The desk's log.", show_default=False)]
Metric = Annotated[str, typer.Option(help="[bold]accuracy[/] or [bold]balanced_accuracy[/] (without noise only).")]
Queries = Annotated[int, typer.Option(help="Answers that are given in all, to all providers.")]
Decimals = Annotated[int, typer.Option(help="Digits after the point of an answer.")]
Epsilon = Annotated[
    float | None, typer.Option(help="What all answers together may cost; without it no noise and no promise.")
]
Delta = Annotated[float, typer.Option(help="Probability with which more may be lost; 0 takes Laplace noise.")]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", metavar="PATH", help="The table's account; charged before the desk opens.")
]
