"""``tacit compare``: a fabricated table beside the private one."""

import math
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.audit.table_comparison import TableComparison
from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.parameters import argument, schema_option
from tacit.interfaces.cli.spend import warnings_on_stderr
from tacit.workflows.compare import compare as compare_tables

MOST_PAIRS = 5


def compare(
    real: Annotated[Path, argument("REAL", "The private table.")],
    fabricated: Annotated[Path, argument("FABRICATED", "The fabricated table, made by any tool.")],
    *,
    schema: Annotated[Path, schema_option("The schema of both tables.")],
    holdout: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="Real rows that the fabricated table was not made of; learners and attacks are measured on them.",
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="Write a page with charts.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing page.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Compare a fabricated table with the private one; for the owner's eyes only.

    Computes total variation of one to three columns, correlations, impossible combinations, learners trained on
    fabricated and tested on real rows, distances to the closest record, and a membership attack. All figures are
    exact, from private rows: hand out neither them nor the page.

    [bold]Example:[/] tacit compare patients.csv rows.csv -s patients.toml --holdout later.csv --report page.html
    """
    with working("reading the tables") as stage, warnings_on_stderr():
        comparison = compare_tables(
            real, fabricated, schema, holdout=holdout, report=report, force=force, progress=stage
        )
    if as_json:
        typer.echo(dumps(comparison.to_dict()))
        return
    Console().print(_table(comparison))
    for line in _lines(comparison):
        typer.echo(line)
    if report is not None:
        typer.echo(f"wrote {report} ({file_size(report)}).")
    typer.echo("Computed from private rows without noise: keep these figures and the page inside your walls.")


def _table(comparison: TableComparison) -> Table:
    title = f"{comparison.n_fabricated:,} fabricated rows beside {comparison.n_real:,} private ones"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("", "fabricated", "real rows"):
        table.add_column(name, justify="left" if not name else "right")
    for count, value in comparison.variations.items():
        reference = comparison.held_out_variations.get(count)
        name = f"total variation, {count} column{'s' * (count > 1)}"
        table.add_row(name, f"{value:.4f}", "" if reference is None else f"{reference:.4f}")
    table.add_row("correlations, mean difference", f"{comparison.correlation_gap:.4f}", "")
    table.add_row("rows with an impossible combination", f"{100 * comparison.impossible:.2f} %", "")
    table.add_row("rows that break a constraint", f"{100 * comparison.broken:.2f} %", "")
    for learner, areas in comparison.learned.items():
        table.add_row(f"AUC on real rows, {learner}", _area(areas.fabricated), _area(areas.real))
    if comparison.closeness is not None:
        near = comparison.closeness
        low, high = near.attack.area_interval
        table.add_row("rows nearer to private than held-out rows", f"{100 * near.nearer_share:.1f} %", "50 %")
        table.add_row("median distance to the closest record", f"{near.to_private:.3f}", f"{near.to_held_out:.3f}")
        table.add_row("membership attack, AUC", f"{near.attack.area:.3f} ({low:.3f}-{high:.3f})", "0.500")
    return table


def _area(area: float) -> str:
    return "–" if math.isnan(area) else f"{area:.4f}"


def _lines(comparison: TableComparison) -> list[str]:
    worst = [
        f"{a} with {b} ({100 * each.share:.2f} %)" for each in comparison.impossible_pairs for a, b in [each.columns]
    ]
    lines = [f"Impossible combinations: {'; '.join(worst[:MOST_PAIRS])}."] if worst else []
    if comparison.closeness is None:
        lines.append("Closeness and the membership attack need real rows the table was not made of: --holdout TABLE.")
    return lines
