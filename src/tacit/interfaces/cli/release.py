"""``tacit release``: hand out knowledge of a private table."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.checks import one_of
from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.outputs import counted, file_size, require_output, working

if TYPE_CHECKING:
    from tacit.data.encoding import Encoded
    from tacit.data.schema import Schema
    from tacit.privacy.account import Plan
    from tacit.privacy.ledger import Ledger
    from tacit.release.file import Release

# What each method hands out, and the module whose ``plan_release`` and ``make_release`` do it.
METHODS = {"moments": "tacit.scenarios.transfer.owner"}

# Room for a release beside the class covariances of an entry-level one.
ROOM = 8 << 20

NO_LEDGER = (
    "no --ledger: this spend stands on the release's card alone, and nothing stops a second release of the same rows. "
    "`tacit ledger init` makes an account."
)
SEEDED = "--seed: whoever knows the seed can draw the noise again. The release is NOT PRIVATE, and its card says so."


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
    unit: Annotated[str, typer.Option(help="What epsilon protects: [bold]record[/] or [bold]entry[/].")] = "record",
    method: Annotated[str, typer.Option(help="What is handed out: [bold]moments[/] of the classes.")] = "moments",
    ledger: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The table's account; charged before anything is drawn.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the file with this Ed25519 private key (PEM).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeatable noise for tests: NOT private, and marked so.", show_default=False)
    ] = None,
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
    key = _signing_key(sign)
    book = as_ledger(ledger)
    rows = _encoded(table, rules)
    _warn(book, seed)
    if dry_run:
        _rehearse(plan, book)
        return
    made = _draw(owner, rows, rules, plan, ledger=book, random_state=seed, purpose=f"release {_name(output)}")
    _deliver(made, output, key, book)


def _owner(method: str) -> Any:
    return importlib.import_module(METHODS[one_of("method", method, list(METHODS))])


def _room(rules: "Schema", plan: "Plan") -> int:
    """Return bytes that the file may take: one float32 covariance of the columns for each class, per entry."""
    return ROOM + 4 * len(rules.classes) * len(rules.encoded_names) ** 2 * (plan.budget.unit == "entry")


def _name(output: Path | None) -> str:
    return "" if output is None else output.name


def _signing_key(path: Path | None) -> Any:
    if path is None:
        return None
    from tacit.release.signature import load_key  # noqa: PLC0415 - keeps the command line quick to start

    return load_key(path)


def _encoded(table: Path, rules: "Schema") -> "Encoded":
    """Return the labelled rows: one row more or less in the table is at most one more or less among them."""
    from tacit.data.encoding import encode_file  # noqa: PLC0415 - keeps the command line quick to start

    with working(f"reading {table.name}"):
        rows = encode_file(table, rules, labels="required")
    labelled = rows.y >= 0
    if labelled.all():
        return rows
    typer.echo(f"{counted(int((~labelled).sum()), 'row')} without a label left out.", err=True)
    return replace(rows, X=rows.X[labelled], y=rows.y[labelled])


def _warn(book: "Ledger | None", seed: int | None) -> None:
    console = Console(stderr=True)
    for given, words in ((book is None, NO_LEDGER), (seed is not None, SEEDED)):
        if given:
            console.print(Text.assemble(("warning: ", "bold yellow"), words), highlight=False, soft_wrap=True)


def _draw(owner: Any, rows: "Encoded", rules: "Schema", plan: "Plan", **settings: Any) -> "Release":
    budget = plan.budget
    with working("charging, then drawing noise"):
        made: Release = owner.make_release(
            rows.X, rows.y, rules, unit=budget.unit, epsilon=budget.epsilon, delta=budget.delta, **settings
        )
    return made


def _rehearse(plan: "Plan", book: "Ledger | None") -> None:
    """Print what would be drawn and spent."""
    table = Table(title="dry run: what would be released", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for header in ("what", "noise", "because"):
        table.add_column(header, overflow="fold")
    for step in plan.steps:
        table.add_row(Text(step.what), Text(_mechanism(step.mechanism)), Text(step.because))
    console = Console()
    console.print(table)
    console.print(Text(f"would spend {plan.budget}; nothing was spent, nothing was written."))
    if book is not None:
        console.print(_left_after(plan, book))


def _mechanism(mechanism: Any) -> str:
    from tacit.privacy.mechanisms.base import settings_of  # noqa: PLC0415 - keeps the command line quick to start

    settings = settings_of(mechanism)
    name = settings.pop("mechanism")
    shown = (f"{key} {value:.6g}" if isinstance(value, float) else f"{key} {value}" for key, value in settings.items())
    return f"{name}: {', '.join(shown)}"


def _left_after(plan: "Plan", book: "Ledger") -> Text:
    """Return what the ledger would have left, computed as the ledger itself composes charges."""
    from tacit.privacy import accounting  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.account import plan_event  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.spending import (  # noqa: PLC0415 - keeps the command line quick to start
        Spending,
        digits,
        in_unit,
        pure_room,
        refusal,
    )

    per = book.budget.unit
    spending = Spending()
    for line in book.lines():
        spending.add(in_unit(line.event, unit=line.unit, ledger_unit=per, n_features=line.n_features))
    cost = in_unit(plan_event(plan.steps), unit=plan.budget.unit, ledger_unit=per, n_features=plan.n_features)
    after = spending.composed(cost)
    if not accounting.fits(after, book.budget):
        return Text(refusal(spending.composed(), cost, book.budget), style="bold red")
    spent = digits(accounting.epsilon(after, delta=book.budget.delta), up=True)
    left = digits(pure_room(after, book.budget))
    return Text(f"ledger {book.path.name}: epsilon {spent} of {book.budget.epsilon:g} would be spent, {left} left.")


def _deliver(made: "Release", output: Path | None, key: Any, book: "Ledger | None") -> None:
    from tacit.release.file import write_release  # noqa: PLC0415 - keeps the command line quick to start

    if output is None:
        return
    try:
        write_release(made, output, signing_key=key)
    except ReleaseError as problem:
        stands = "" if book is None else " The charge stands on the ledger: the noise was drawn."
        raise ReleaseError(f"{problem}{stands}") from problem
    typer.echo(_summary(made, output, book))


def _summary(made: "Release", output: Path, book: "Ledger | None") -> str:
    from tacit.privacy.spending import digits  # noqa: PLC0415 - keeps the command line quick to start

    card = made.card
    parts = [
        f"wrote {output} ({file_size(output)}): {card.title}, at epsilon {card.epsilon:g}, delta {card.delta:g} "
        f"per {card.unit}."
    ]
    if book is not None:
        statement = book.statement()
        parts.append(
            f"The ledger has spent epsilon {digits(statement.spent, up=True)} of {book.budget.epsilon:g}; "
            f"{digits(statement.left)} is left."
        )
    parts.append(f"Read its card before you hand it out: tacit card {output}")
    parts.append(f"The receiver then runs: tacit adopt {output.name} ours.csv --schema ours.toml -o model.tacit")
    return "\n".join(parts)
