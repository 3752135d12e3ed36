"""``tacit fabricate``: hand out a table of invented rows that stand for private ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.outputs import counted, file_size, require_output, working
from tacit.interfaces.cli.spend import labelled_rows, left_words, rehearse, signing_key, warn

if TYPE_CHECKING:
    from tacit.data.schema import Schema
    from tacit.kinds.fabricated_rows.make import Fabricated
    from tacit.privacy.ledger import Ledger

# Bytes that a cell of a written table may take, for the check of the disk before anything is spent.
CELL = 20


def fabricate(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
    ],
    *,
    schema: Annotated[
        Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
    ],
    epsilon: Annotated[float, typer.Option(help="Privacy loss to spend on these rows.", show_default=False)],
    delta: Annotated[float, typer.Option(help="Probability with which more may be lost.")] = 1e-6,
    unit: Annotated[str, typer.Option(help="What epsilon protects: [bold]record[/] or [bold]entry[/].")] = "record",
    method: Annotated[
        str,
        typer.Option(
            help="[bold]moments[/]: drawn from noisy class moments; [bold]hull[/]: noisy rows smoothed, per entry."
        ),
    ] = "moments",
    accounting: Annotated[
        str,
        typer.Option(
            help="[bold]sound[/], or [bold]paper[/]: as printed; its guarantee does not hold, and it says so."
        ),
    ] = "sound",
    rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many rows; as many as the table has, about.", show_default=False),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before anything is drawn.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the release with this Ed25519 private key (PEM).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeatable noise for tests: NOT private, and marked so.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be spent; spend and write nothing.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .parquet file.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Fabricate a table: invented rows with the schema's columns and types, to be used like the private ones.

    Writes the table and, beside it, its release with the card (fabricated.csv.tacit): hand out both. Everything is
    checked first, then the ledger is charged, then noise is drawn. A refused charge draws and writes nothing.

    [bold]Example:[/] tacit fabricate patients.csv -s patients.toml --epsilon 1 --ledger p.ledger -o fabricated.csv
    """
    from tacit.data.schema_file import read_schema  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.kinds.fabricated_rows import make as owner  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.ledger import as_ledger  # noqa: PLC0415 - keeps the command line quick to start

    owner.FabricationSettings(method, accounting)
    rules = read_schema(schema)
    plan = owner.plan_fabrication(rules, unit=unit, epsilon=epsilon, delta=delta, method=method)
    if output is None and not dry_run:
        raise InputError("output must be given: -o fabricated.csv. `--dry-run` needs none.")
    inputs = [each for each in (table, schema, ledger, sign) if each]
    key, book = signing_key(sign), as_ledger(ledger)
    given = labelled_rows(table, rules)
    if output is not None:
        _require_outputs(output, rules, rows or len(given.y), force=force, inputs=inputs)
    warn(book, seed)
    if dry_run:
        rehearse(plan, book)
        return
    with working("charging, drawing noise, inventing rows"):
        made = owner.fabricate(
            given.X,
            given.y,
            rules,
            unit=plan.budget.unit,
            epsilon=plan.budget.epsilon,
            delta=plan.budget.delta,
            rows=rows,
            method=method,
            accounting=accounting,
            n_jobs=-1,
            ledger=book,
            random_state=seed,
            purpose=f"fabricate {output.name if output else ''}",
        )
    if output is not None:
        _deliver(made, output, key, book)


def _require_outputs(output: Path, rules: "Schema", n_rows: int, *, force: bool, inputs: list[Path]) -> None:
    """Refuse a name that is no table, and two files that cannot be written."""
    from tacit.releases.sidecar import is_table, release_path  # noqa: PLC0415 - keeps the command line quick to start

    if not is_table(output):
        raise InputError(f"output {output.name} must end in .csv or .parquet.")
    size = CELL * n_rows * (len(rules.features) + 1)
    require_output(output, force=force, inputs=inputs, size=size)
    require_output(release_path(output), force=force, inputs=inputs)


def _deliver(made: "Fabricated", output: Path, key: Any, book: "Ledger | None") -> None:
    from tacit.releases.sidecar import release_path  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.workflows.fabricated_tables import write_fabricated  # noqa: PLC0415 - keeps the command line quick to start

    try:
        with working(f"writing {output.name}"):
            write_fabricated(made, output, signing_key=key)
    except ReleaseError as problem:
        stands = "" if book is None else " The charge stands on the ledger: the noise was drawn."
        raise ReleaseError(f"{problem}{stands}") from problem
    card = made.card
    parts = [
        f"wrote {output} ({file_size(output)}): {counted(len(made.y), 'fabricated row')}, at epsilon {card.epsilon:g}, "
        f"delta {card.delta:g} per {card.unit}, and {release_path(output).name} with the card.",
        *([left_words(book)] if book is not None else []),
        f"Read its card before you hand both out: tacit card {output}",
        f"Compare with your own rows, for your eyes only: tacit report {output} --originals TABLE -o report.html",
    ]
    typer.echo("\n".join(parts))
