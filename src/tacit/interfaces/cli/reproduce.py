"""``tacit reproduce``: run published or measured tables and print them."""

import json
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tacit.errors import InputError, TacitError
from tacit.experiments.paper_pages import write_pages
from tacit.experiments.recorded import RecordedTable, duration, papers_folder, run_table, write_recorded
from tacit.experiments.registry import EXPERIMENTS, Experiment, experiment
from tacit.experiments.results import ResultRow
from tacit.experiments.table_layout import layout
from tacit.interfaces.cli.parameters import argument


def reproduce(
    name: Annotated[str, argument("[NAME]", "The measurement; if not given, all are listed.")] = "",
    *,
    every: Annotated[bool, typer.Option("--all", help="Run all, one after the other.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer seeds and rows: a check that it runs, not a result.")
    ] = False,
    draws: Annotated[
        int | None, typer.Option(help="Only the first N draws; the table says so.", show_default=False)
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Store the figures and rewrite the pages of docs/papers.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Run a measurement again and print it beside what was published.

    Some need public data sets, which are read from the folder in the environment variable TACIT_DATA or fetched.

    [bold]Example:[/] tacit reproduce units
    """
    if not name and not every:
        _list(EXPERIMENTS)
        return
    _check(name, every=every, quick=quick, draws=draws, write=write)
    folder = papers_folder() if write else None
    measured: list[RecordedTable] = []
    failed = []
    for chosen in EXPERIMENTS if every else (experiment(name),):
        try:
            table = _measure(chosen, quick, draws)
        except (TacitError, ImportError) as problem:
            # Of many tables some may lack their data or an optional library: the others are worth having.
            if not every:
                raise
            failed.append(f"{chosen.name}: {problem}")
            continue
        _show(table, as_json)
        measured.append(table)
        if folder is not None:
            write_recorded(table, folder)
            write_pages(folder)
    if every:
        typer.echo(_total(measured), err=True)
    if failed:
        raise InputError(f"{len(failed)} tables could not be run. " + " ".join(failed))


def _check(name: str, *, every: bool, quick: bool, draws: int | None, write: bool) -> None:
    """Raise InputError if two options exclude each other."""
    if name and every:
        raise InputError(f"NAME and --all exclude each other; got {name!r} and --all.")
    if draws is not None and (every or quick):
        raise InputError("--draws is for one table that is run in full; leave --all and --quick out.")
    if quick and write:
        raise InputError("figures of a quick run are no results and are not kept. Leave --quick or --write out.")


def _total(measured: list[RecordedTable]) -> str:
    """Return in words how long all tables took, and the three that took longest."""
    longest = sorted(measured, key=lambda table: -table.seconds)[:3]
    names = ", ".join(f"{table.name} {duration(table.seconds)}" for table in longest)
    return f"{len(measured)} tables in {duration(sum(table.seconds for table in measured))}; longest: {names}."


def _list(experiments: tuple[Experiment, ...]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name")
    table.add_column("what it shows")
    for listed in experiments:
        table.add_row(listed.name, Text(listed.summary))
    Console().print(table)


def _measure(chosen: Experiment, quick: bool, draws: int | None) -> RecordedTable:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{chosen.name}: first row")

        def watch(row: ResultRow) -> None:
            progress.update(task, description=f"{chosen.name}: last {row.method}, {row.setting}")

        return run_table(chosen, quick=quick, draws=draws, watch=watch)


def _show(table: RecordedTable, as_json: bool) -> None:
    if as_json:
        content = {"name": table.name, "seconds": table.seconds, "quick": table.quick, "caption": table.caption()}
        typer.echo(json.dumps(content | {"rows": [row.to_dict() for row in table.rows]}, indent=2))
    else:
        Console().print(_table(table))


def _table(recorded: RecordedTable) -> Table:
    columns, lines = layout(recorded.rows)
    table = Table(
        title=recorded.name,
        caption=recorded.caption(),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    for column in columns:
        words = column in {"method", "setting", "metric"}
        table.add_column(column, justify="left" if words else "right")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table
