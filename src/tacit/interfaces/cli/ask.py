"""``tacit ask``: counts from a release of tables."""

from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.interfaces.cli.parameters import argument
from tacit.models.marginals.asking import CountLine, CountTable
from tacit.workflows.ask import ask as ask_release


def ask(
    release: Annotated[Path, argument("RELEASE", "A release of method marginals.")],
    question: Annotated[str, argument("COLUMNS", 'Columns to count, such as "sex x income".')],
    *,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Count only rows that meet it, such as age=60-70; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Count rows by one or more columns from a release of method marginals.

    One or two columns, with or without the label, are counted with the noise of their table and have 95 % intervals.
    More columns, and all counts with --where, are estimated by the model fitted to all tables, without an interval.
    Counts are consistent: none is below 0, and those that the schema's constraints rule out are 0. Asking costs no
    budget.

    [bold]Example:[/] tacit ask clinic-a.tacit "sex x income" --where age=60-70
    """
    counts = ask_release(release, question, where=where or ())
    if as_json:
        typer.echo(dumps(_content(counts)))
        return
    Console().print(_table(counts))
    if counts.half_width is None:
        typer.echo("Estimated by the model fitted to all tables: no interval is known.")
        return
    typer.echo(
        f"Each interval holds the true count 95 times of 100 (noise of ±{counts.half_width:,.0f} rows). Counts of one "
        "and of two columns add up to the same totals; --json also prints them as the noise left them."
    )


def _content(counts: CountTable) -> dict[str, Any]:
    """Return an answer as JSON-ready values."""
    lines = [
        {
            "cells": list(line.cells),
            "rows": line.rows,
            "interval": None if line.interval is None else list(line.interval),
            "noisy": line.noisy,
            "ruled_out": line.ruled_out,
        }
        for line in counts.lines()
    ]
    return {"columns": list(counts.columns), "counts": lines}


def _table(counts: CountTable) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for column in counts.columns:
        table.add_column(column)
    table.add_column("rows", justify="right")
    with_remarks = counts.half_width is not None or bool(counts.ruled_out.any())
    if with_remarks:
        table.add_column("" if counts.half_width is None else "95 % interval", justify="right")
    for line in counts.lines():
        table.add_row(*line.cells, f"{line.rows:,.0f}", *([_remark(line)] if with_remarks else []))
    return table


def _remark(line: CountLine) -> str:
    """Return what stands beside a count: its interval, or why it is 0."""
    if line.ruled_out:
        return "ruled out"
    return "" if line.interval is None else f"{line.interval[0]:,.0f} to {line.interval[1]:,.0f}"
