"""``tacit release``: hand out knowledge of a private table."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.signing import Sign, key_file
from tacit.interfaces.cli.spend import (
    Allow,
    Audit,
    BadRecords,
    DaskOption,
    Dataset,
    LegalNote,
    NeighbourRelation,
    Owner,
    Period,
    Person,
    Purpose,
    RowsPerPerson,
    WorkersOption,
    left_words,
    opened_ledger,
    print_dry_run,
    void_words,
    warn,
    warnings_on_stderr,
)
from tacit.kinds.registry import DEFAULT_RULE, all_kinds, kind_of
from tacit.privacy.budget import Budget
from tacit.privacy.card_facts import CardFacts
from tacit.privacy.ledger import Ledger, as_ledger
from tacit.releases.file import Release
from tacit.workflows.release import plan_release
from tacit.workflows.release import release as make_and_write
from tacit.workflows.tables import as_schema, contribution, with_person

METHODS = "; ".join(f"[bold]{kind.method}[/]: {kind.summary}" for kind in all_kinds())


def release(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="The private table (CSV, Parquet, NPZ).", show_default=False)
    ],
    *,
    schema: Annotated[
        Path, typer.Option("--schema", "-s", metavar="TOML", help="Its public facts.", show_default=False)
    ],
    epsilon: Annotated[float, typer.Option(help="Privacy loss to spend on this release.", show_default=False)],
    delta: Annotated[float, typer.Option(help="Probability with which more may be lost.")] = 1e-6,
    unit: Annotated[
        str | None,
        typer.Option(
            help="What epsilon protects: [bold]record[/], [bold]entry[/], [bold]person[/] or, for pairs, "
            "[bold]pair[/]; a person if a column says whose row it is.",
            show_default="record",
        ),
    ] = None,
    person: Person = None,
    rows_per_person: RowsPerPerson = None,
    relation: NeighbourRelation = None,
    bad_records: BadRecords = None,
    method: Annotated[
        str | None,
        typer.Option(help=f"What is handed out. {METHODS}. By default {DEFAULT_RULE}.", show_default=False),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before anything is drawn.")
    ] = None,
    allow: Allow = None,
    sign: Sign = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeatable noise for tests: NOT private, and marked so.", show_default=False)
    ] = None,
    audit: Audit = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be spent; spend and write nothing.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="TACIT", help="Where the release goes.", show_default=False)
    ] = None,
    owner: Owner = "",
    dataset: Dataset = "",
    purpose: Purpose = "",
    legal_note: LegalNote = "",
    period: Period = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    workers: WorkersOption = None,
    dask: DaskOption = None,
) -> None:
    """Release knowledge of a private table: the file to hand out, with its card.

    The schema, the rows, the output and the key are checked first, then the ledger is charged, then noise is drawn.
    A refused charge draws and writes nothing.

    [bold]Example:[/] tacit release patients.csv -s patients.toml --epsilon 1 --ledger patients.ledger -o clinic-a.tacit
    """
    if output is None and not dry_run:
        raise InputError("output must be given: -o clinic-a.tacit. `--dry-run` needs none.")
    facts = CardFacts(owner, dataset, purpose, legal_note, period)
    key = None if dry_run else key_file(sign)
    warn(ledger, seed)
    account = opened_ledger(ledger, allow)
    with working("reading the schema") as stage, warnings_on_stderr():
        if dry_run:
            rules = with_person(as_schema(schema, bad_records), person)
            kept = contribution(rules, unit=unit, rows=rows_per_person, ledger=as_ledger(account), random_state=seed)
            promise = Budget(epsilon, delta, unit=kept.unit)
            planned = plan_release(
                table,
                rules,
                promise,
                method=method,
                kept=kept,
                relation=relation,
                ledger=as_ledger(account),
                progress=stage,
            )
            planned.warn()
        else:
            made = make_and_write(
                table,
                schema,
                epsilon=epsilon,
                delta=delta,
                unit=unit,
                person=person,
                rows_per_person=rows_per_person,
                relation=relation,
                bad_records=bad_records,
                method=method,
                ledger=account,
                random_state=seed,
                audit=audit,
                facts=facts,
                output=output,
                signing_key=key,
                force=force,
                workers=workers,
                dask=dask,
                progress=stage,
            )
    if dry_run:
        print_dry_run(planned.plan, as_ledger(account))
    elif output is not None:
        typer.echo(_summary(made, output, as_ledger(account)))


def _summary(made: Release, output: Path, account: Ledger | None) -> str:
    card = made.card
    lines = [
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    ]
    lines += void_words(card)
    if quality := kind_of(made).quality_words(made):
        lines.append(quality)
    if account is not None:
        lines.append(left_words(account))
    if any(not audit.passed for audit in card.audits):
        lines.append("warning: the audit contradicts the card. It is printed there; do not hand this out.")
    lines.append(f"Read its card before you hand it out: tacit card {output}")
    own = " --epsilon 1 --ledger ours.ledger" if "prior" in kind_of(made).teaches else ""
    lines.append(f"The receiver then runs: tacit adopt {output.name} ours.csv --schema ours.toml{own} -o model.tacit")
    return "\n".join(lines)
