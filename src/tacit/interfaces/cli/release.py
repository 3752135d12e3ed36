"""``tacit release``: hand out knowledge of a private table."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.dry_run import print_dry_run
from tacit.interfaces.cli.json_output import print_json
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.outputs import file_size, working
from tacit.interfaces.cli.parameters import PrivateTable, option, output_option, schema_option
from tacit.interfaces.cli.spend import (
    FactOptions,
    NeighbourRelation,
    SpendOptions,
    left_words,
    spend_facts,
    void_words,
    warnings_on_stderr,
)
from tacit.kinds.registry import DEFAULT_RULE, all_kinds, kind_of
from tacit.privacy.ledger import Ledger, as_ledger
from tacit.releases.file import Release
from tacit.workflows.release import plan_release
from tacit.workflows.release import release as make_and_write

METHODS = "\n\n".join(f"[bold]{kind.method}[/]: {kind.summary}" for kind in all_kinds())


@with_option_groups
def release(
    table: PrivateTable,
    *,
    schema: Annotated[Path, schema_option()],
    epsilon: Annotated[float, option("Privacy loss to spend.")],
    unit: Annotated[
        str | None,
        typer.Option(
            help="What epsilon protects: [bold]record[/], [bold]entry[/], [bold]person[/] or, for pairs, "
            "[bold]pair[/]; person if the schema has a column of that kind.",
            show_default="record",
        ),
    ] = None,
    relation: NeighbourRelation = None,
    method: Annotated[str | None, option(f"What is released; by default {DEFAULT_RULE}.\n\n{METHODS}")] = None,
    spend: SpendOptions,
    output: Annotated[Path | None, output_option("TACIT", "The release to write.")] = None,
    card: FactOptions,
) -> None:
    """Make a private release of a table: the file to hand out, with its card.

    Schema, rows, output and key are checked first, then the ledger is charged, then noise is drawn. If the charge is
    refused, nothing is drawn and nothing is written.

    [bold]Example:[/] tacit release patients.csv -s patients.toml --epsilon 1 --ledger patients.ledger -o clinic-a.tacit
    """
    spend.require_output(output, example="clinic-a.tacit")
    facts, key, account = card.facts(), spend.signing_key(), spend.opened_ledger()
    with working("reading the schema") as stage, warnings_on_stderr():
        if spend.dry_run:
            terms = spend.terms(schema, epsilon, unit, account)
            planned = plan_release(table, terms, method=method, relation=relation, progress=stage)
            planned.warn()
        else:
            settings = {"method": method, "relation": relation, "ledger": account, **spend.arguments()}
            settings |= {"facts": facts, "signing_key": key, "output": output, "progress": stage}
            result = make_and_write(table, schema, epsilon=epsilon, unit=unit, **settings)
    if spend.dry_run:
        print_dry_run(planned.plan, as_ledger(account), as_json=spend.as_json)
    elif output is not None and spend.as_json:
        print_json({"kind": result.kind, **spend_facts(result.card, output, as_ledger(account))})
    elif output is not None:
        typer.echo(_summary(result, output, as_ledger(account)))


def _summary(release: Release, output: Path, account: Ledger | None) -> str:
    card = release.card
    lines = [
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    ]
    lines += void_words(card)
    if quality := kind_of(release).quality_words(release):
        lines.append(quality)
    if account is not None:
        lines.append(left_words(account))
    if any(not audit.passed for audit in card.audits):
        lines.append("warning: the audit contradicts the card. It is printed there; do not hand this out.")
    lines.append(f"Read its card before you hand it out: tacit card {output}")
    own = " --epsilon 1 --ledger ours.ledger" if "prior" in kind_of(release).teaches else ""
    lines.append(f"The receiver then runs: tacit adopt {output.name} ours.csv --schema ours.toml{own} -o model.tacit")
    return "\n".join(lines)
