"""``tacit reproduce``: run a published or measured table and print it."""

import json
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tacit.experiments.registry import EXPERIMENTS, Experiment, experiment
from tacit.experiments.results import ResultRow


def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The table; without it, the list of all.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Run a table again and print what was measured beside what was published.

    Some tables need the data sets named in the documentation (folder in the environment variable TACIT_DATA).

    [bold]Example:[/] tacit reproduce units
    """
    if not name:
        _list(EXPERIMENTS)
        return
    rows = _measure(experiment(name))
    if as_json:
        typer.echo(json.dumps({"name": name, "rows": [row.to_dict() for row in rows]}, indent=2))
    else:
        Console().print(_table(name, rows))


def _list(experiments: tuple[Experiment, ...]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name")
    table.add_column("what it shows")
    for listed in experiments:
        table.add_row(listed.name, Text(listed.summary))
    Console().print(table)


def _measure(chosen: Experiment) -> list[ResultRow]:
    rows: list[ResultRow] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{chosen.name}: first row")
        for row in chosen.rows():
            rows.append(row)
            progress.update(task, description=f"{chosen.name}: {len(rows)} rows, last {row.method}, {row.setting}")
    return rows


def _table(name: str, rows: list[ResultRow]) -> Table:
    table = Table(title=name, box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("method", "setting", "metric"):
        table.add_column(column)
    for column in ("mean", "std", "runs", "paper"):
        table.add_column(column, justify="right")
    for row in rows:
        spread = f"{row.std:.4f}" if row.runs > 1 else ""
        paper = "" if row.paper is None else f"{row.paper:.4g}"
        table.add_row(Text(row.method), Text(row.setting), row.metric, f"{row.mean:.4f}", spread, str(row.runs), paper)
    return table
