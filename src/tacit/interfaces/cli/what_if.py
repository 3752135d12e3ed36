"""``tacit what-if``: what epsilon buys, before anything is spent."""

import math
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.errors import InputError
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import working
from tacit.interfaces.cli.parameters import argument, schema_option
from tacit.workflows import what_if as simulation

STAND_INS = (
    "note: simulated on the rows you gave, exactly and without protection. They must be public or fabricated, never "
    "the private table itself; the private table may behave otherwise."
)


def what_if(
    table: Annotated[Path, argument("TABLE", "Public or fabricated rows, in place of the private ones.")],
    *,
    schema: Annotated[Path, schema_option("The schema of the rows.")],
    epsilon: Annotated[
        str, typer.Option(metavar="LIST", help="Values of epsilon to try, separated by commas.")
    ] = "0.1,0.3,1,3",
    method: Annotated[str | None, typer.Option(help="A method of `tacit release`.")] = None,
    fabricated: Annotated[
        bool, typer.Option("--fabricated", help="Simulate the rows of `tacit fabricate` instead of a release.")
    ] = False,
    draws: Annotated[int, typer.Option(min=1, help="Draws of noise for each epsilon.")] = 5,
    picture: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Write a chart (.png or .svg); needs the extra `plots`.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Simulate what each epsilon buys, on public or fabricated rows; spends nothing.

    [bold]Example:[/] tacit what-if fabricated.csv --schema patients.toml --epsilon 0.1,1,10 --picture what-if.png
    """
    with working(f"reading {table.name}") as stage:
        simulated = simulation.what_if(
            table,
            schema,
            epsilons=_epsilons(epsilon),
            method=method,
            fabricated=fabricated,
            draws=draws,
            picture=picture,
            force=force,
            progress=stage,
        )
    typer.echo(STAND_INS, err=True)
    if as_json:
        means = [{"epsilon": each.epsilon, "mean": each.mean, "refused": each.refused} for each in simulated.epsilons]
        figures = {"measure": simulated.measure.name, "baseline": simulated.baseline}
        print_json({"rows": simulated.n_rows, **figures, "draws": draws, "epsilons": means})
        return
    Console().print(_table(simulated, draws))
    if picture is not None:
        typer.echo(f"drew {picture}.")


def _epsilons(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--epsilon must be numbers separated by commas, like 0.1,1,10; got {text!r}.") from None


def _table(simulated: simulation.WhatIf, draws: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    measure = simulated.measure
    table.title = f"Share {measure.says}; {measure.compared}: {simulated.baseline:.1%}"
    for header in ("epsilon", "mean", "worst draw", f"refused of {draws}"):
        table.add_column(header, justify="right")
    for each in simulated.epsilons:
        kept = [figure for figure in each.figures if not math.isnan(figure)]
        shown = (f"{each.mean:.1%}", f"{min(kept):.1%}") if kept else ("-", "-")
        table.add_row(f"{each.epsilon:g}", *shown, str(each.refused))
    return table
