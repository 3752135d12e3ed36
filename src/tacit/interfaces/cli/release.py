"""``tacit release``: hand out knowledge of a private table."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.checks import one_of
from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.outputs import file_size, require_output, working
from tacit.interfaces.cli.spend import labelled_rows, left_words, rehearse, signing_key, warn

if TYPE_CHECKING:
    from tacit.data.encoding import Encoded
    from tacit.data.schema import Schema
    from tacit.privacy.account import Plan
    from tacit.privacy.ledger import Ledger
    from tacit.releases.file import Release

# What each method hands out, and the module whose ``plan_release`` and ``make_release`` do it.
METHODS = {
    "linear": "tacit.kinds.linear.make",
    "moments": "tacit.kinds.class_moments.make",
    "pairs": "tacit.kinds.pair_metric.make",
}

# Room for a release beside the class covariances of an entry-level one.
ROOM = 8 << 20


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
        str, typer.Option(help="What epsilon protects: [bold]record[/], [bold]entry[/] or, for pairs, [bold]pair[/].")
    ] = "record",
    method: Annotated[
        str,
        typer.Option(
            help="What is handed out: [bold]moments[/] of the classes, [bold]linear[/] weights, or the metric of "
            "[bold]pairs[/]."
        ),
    ] = "moments",
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before anything is drawn.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the file with this Ed25519 private key (PEM).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeatable noise for tests: NOT private, and marked so.", show_default=False)
    ] = None,
    audit: Annotated[
        bool, typer.Option("--audit", help="Play the distinguishing game first, and print its results on the card.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be spent; spend and write nothing.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="TACIT", help="Where the release goes.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Release knowledge of a private table: the file to hand out, with its card.

    The schema, the rows, the output and the key are checked first, then the ledger is charged, then noise is drawn.
    A refused charge draws and writes nothing.

    [bold]Example:[/] tacit release patients.csv -s patients.toml --epsilon 1 --ledger patients.ledger -o clinic-a.tacit
    """
    from tacit.data.schema_file import read_schema  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.ledger import as_ledger  # noqa: PLC0415 - keeps the command line quick to start

    owner = _owner(method)
    rules = read_schema(schema)
    plan: Plan = owner.plan_release(rules, unit=unit, epsilon=epsilon, delta=delta)
    if output is not None:
        inputs = [each for each in (table, schema, ledger, sign) if each]
        require_output(output, force=force, inputs=inputs, size=_room(rules, plan))
    elif not dry_run:
        raise InputError("output must be given: -o clinic-a.tacit. `--dry-run` needs none.")
    key = signing_key(sign)
    book = as_ledger(ledger)
    rows = labelled_rows(table, rules)
    warn(book, seed)
    if dry_run:
        rehearse(plan, book)
        return
    made = _draw(owner, rows, rules, plan, ledger=book, random_state=seed, purpose=f"release {_name(output)}")
    _deliver(_audited(made) if audit else made, output, key, book)


def _owner(method: str) -> Any:
    return importlib.import_module(METHODS[one_of("method", method, list(METHODS))])


def _room(rules: "Schema", plan: "Plan") -> int:
    """Return bytes that the file may take: one float32 covariance of the columns for each class, per entry."""
    return ROOM + 4 * len(rules.classes) * len(rules.encoded_names) ** 2 * (plan.budget.unit == "entry")


def _name(output: Path | None) -> str:
    return "" if output is None else output.name


def _draw(owner: Any, rows: "Encoded", rules: "Schema", plan: "Plan", **settings: Any) -> "Release":
    budget = plan.budget
    with working("charging, then drawing noise"):
        made: Release = owner.make_release(
            rows.X, rows.y, rules, unit=budget.unit, epsilon=budget.epsilon, delta=budget.delta, **settings
        )
    return made


def _audited(made: "Release") -> "Release":
    """Return the release with the results of its mechanisms' games on its card; they spend nothing."""
    from tacit.audit.card_audit import audit_card  # noqa: PLC0415 - keeps the command line quick to start

    with working("auditing the mechanisms on its card"):
        found = audit_card(made.card)
    if not found.passed:
        typer.echo("warning: the audit contradicts the card. It is printed there; do not hand this out.", err=True)
    return replace(made, card=made.card.with_audits(found.results))


def _deliver(made: "Release", output: Path | None, key: Any, book: "Ledger | None") -> None:
    from tacit.releases.file import write_release  # noqa: PLC0415 - keeps the command line quick to start

    if output is None:
        return
    try:
        write_release(made, output, signing_key=key)
    except ReleaseError as problem:
        stands = "" if book is None else " The charge stands on the ledger: the noise was drawn."
        raise ReleaseError(f"{problem}{stands}") from problem
    typer.echo(_summary(made, output, book))


def _summary(made: "Release", output: Path, book: "Ledger | None") -> str:
    card = made.card
    parts = [
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    ]
    if book is not None:
        parts.append(left_words(book))
    parts.append(f"Read its card before you hand it out: tacit card {output}")
    own = " --epsilon 1 --ledger ours.ledger" if made.kind == "linear" else ""
    parts.append(f"The receiver then runs: tacit adopt {output.name} ours.csv --schema ours.toml{own} -o model.tacit")
    return "\n".join(parts)
