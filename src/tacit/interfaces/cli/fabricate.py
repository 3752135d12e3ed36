"""``tacit fabricate``: hand out a table of invented rows that stand for private ones."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.dry_run import print_dry_run
from tacit.interfaces.cli.json_output import print_json
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import counted, file_size, working
from tacit.interfaces.cli.parameters import argument, option, output_option, schema_option
from tacit.interfaces.cli.spend import (
    FactOptions,
    SpendOptions,
    left_words,
    spend_facts,
    void_words,
    warnings_on_stderr,
)
from tacit.kinds.fabricated_rows.rows import InventedRows
from tacit.privacy.ledger import Ledger, as_ledger
from tacit.releases.sidecar import release_path
from tacit.workflows.fabricate import fabricate as fabricate_and_write
from tacit.workflows.fabricate import fabricate_from, plan_fabrication


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """A release to draw rows from, and which rows."""

    source: Annotated[
        Path | None,
        option(
            "Draw rows from a release of method marginals instead of a table: any number, at no further cost.",
            "--from",
            metavar="RELEASE",
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        option(
            "With --from: a condition that all rows meet, such as [bold]age=60-70[/] or [bold]sex=female[/]; may be "
            "repeated.",
            metavar="CONDITION",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class InventionOptions:
    """How rows are invented."""

    method: Annotated[
        str | None,
        option(
            "[bold]marginals[/]: from noisy tables of columns and pairs\n\n[bold]moments[/]: from noisy class moments"
            "\n\n[bold]hull[/]: noisy rows smoothed, per entry\n\nDefault: marginals for mixed tables (a category, an "
            "integer or a kept missing cell; no picture; at most 200 columns; not per entry), else moments."
        ),
    ] = None
    accounting: Annotated[
        str,
        typer.Option(help="[bold]sound[/], or [bold]paper[/]: as published, which has no guarantee; the card says so."),
    ] = "sound"
    rows: Annotated[int | None, option("How many rows; if not given, about as many as the table has.", metavar="N")] = (
        None
    )


@with_option_groups
def fabricate(
    table: Annotated[
        Path | None,
        argument("TABLE", "The private table: a file or folder, a database query, or - for standard input."),
    ] = None,
    *,
    release: SourceOptions,
    schema: Annotated[Path | None, schema_option()] = None,
    epsilon: Annotated[float | None, option("Privacy loss to spend.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="What epsilon protects: [bold]record[/], [bold]entry[/] or [bold]person[/]; person if the "
            "schema has a column of that kind.",
            show_default="record",
        ),
    ] = None,
    invention: InventionOptions,
    spend: SpendOptions,
    output: Annotated[Path | None, output_option("FILE", "A .csv or .parquet file.")] = None,
    card: FactOptions,
) -> None:
    """Fabricate a table: invented rows with the schema's columns and types.

    Writes the table and, beside it, its release with the card (fabricated.csv.tacit): hand out both. Everything is
    checked first, then the ledger is charged, then noise is drawn. If the charge is refused, nothing is written.

    With --from RELEASE rows are drawn from a release of method marginals: no table, no ledger, no cost.

    [bold]Example:[/] tacit fabricate patients.csv -s patients.toml --epsilon 1 --ledger p.ledger -o fabricated.csv
    """
    spend.require_output(output, example="fabricated.csv")
    key = spend.signing_key()
    if release.source is not None:
        _refuse_beside_source(table, schema, epsilon, spend.ledger, invention.method)
        options = {"rows": invention.rows, "random_state": spend.seed, "signing_key": key, "force": spend.force}
        _draw(release.source, where=release.where or (), output=output, as_json=spend.as_json, **options)
        return
    if table is None or schema is None or epsilon is None or release.where:
        raise InputError(
            "give TABLE, --schema and --epsilon to fabricate from a private table; --from RELEASE to draw from a "
            "release, which alone takes --where."
        )
    settings: dict[str, Any] = {**asdict(invention), "n_jobs": -1}
    facts, account = card.facts(), spend.opened_ledger()
    with working("reading the schema") as stage, warnings_on_stderr():
        if spend.dry_run:
            planned = plan_fabrication(table, spend.terms(schema, epsilon, unit, account), progress=stage, **settings)
            planned.warn()
        else:
            settings |= {"facts": facts, "signing_key": key, "output": output, "progress": stage, **spend.arguments()}
            invented = fabricate_and_write(table, schema, epsilon=epsilon, unit=unit, ledger=account, **settings)
    if spend.dry_run:
        print_dry_run(planned.plan, as_ledger(account), as_json=spend.as_json)
    elif output is not None:
        _tell(invented, output, as_ledger(account), as_json=spend.as_json)


def _refuse_beside_source(*others: object) -> None:
    """Raise InputError if an option that belongs to a private table is given with --from."""
    if any(other is not None for other in others):
        raise InputError(
            "--from draws from a release, at no cost: leave out TABLE, --schema, --epsilon, --ledger and --method."
        )


def _draw(source: Path, *, output: Path | None, as_json: bool, **options: Any) -> None:
    if output is None:
        raise InputError("--dry-run has nothing to show with --from: drawing from a release costs nothing.")
    with working(f"drawing rows from {source.name}"), warnings_on_stderr():
        rows = fabricate_from(source, output=output, **options)
    _tell(rows, output, None, as_json=as_json)


def _tell(rows: InventedRows, output: Path, account: Ledger | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"rows": len(rows.y), "method": rows.method, **spend_facts(rows.card, output, account)})
    else:
        typer.echo(_summary(rows, output, account))


def _summary(rows: InventedRows, output: Path, account: Ledger | None) -> str:
    card = rows.card
    lines = [
        f"wrote {output} ({file_size(output)}): {counted(rows.n_rows, 'fabricated row')}, at epsilon {card.epsilon:g}, "
        f"delta {card.delta:g} per {card.unit}, and {release_path(output).name} with the card.",
        *void_words(card),
        *([left_words(account)] if account is not None else []),
        f"Read its card before you hand both out: tacit card {output}",
        f"Compare with your own rows, for your eyes only: tacit report {output} --originals TABLE -o report.html",
    ]
    return "\n".join(lines)
