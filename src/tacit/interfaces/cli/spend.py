"""What commands that spend from a ledger share: reading the rows, warnings, the dry run, what is left."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.interfaces.cli.outputs import counted, working

if TYPE_CHECKING:
    from tacit.data.encoding import Encoded
    from tacit.data.schema import Schema
    from tacit.privacy.account import Plan
    from tacit.privacy.ledger import Ledger

NO_LEDGER = (
    "no --ledger: this spend stands on the release's card alone, and nothing stops a second release of the same rows. "
    "`tacit ledger init` makes an account."
)
SEEDED = "--seed: whoever knows the seed can draw the noise again. The release is NOT PRIVATE, and its card says so."


def signing_key(path: Path | None) -> Any:
    """Return the Ed25519 key in the file at ``path``, if one is given."""
    if path is None:
        return None
    from tacit.release.signature import load_key  # noqa: PLC0415 - keeps the command line quick to start

    return load_key(path)


def labelled_rows(table: Path, rules: "Schema") -> "Encoded":
    """Return the labelled rows: one row more or less in the table is at most one more or less among them."""
    from tacit.data.encoding import encode_file  # noqa: PLC0415 - keeps the command line quick to start

    with working(f"reading {table.name}"):
        rows = encode_file(table, rules, labels="required")
    labelled = rows.y >= 0
    if labelled.all():
        return rows
    typer.echo(f"{counted(int((~labelled).sum()), 'row')} without a label left out.", err=True)
    return replace(rows, X=rows.X[labelled], y=rows.y[labelled])


def warn(book: "Ledger | None", seed: int | None) -> None:
    """Say on stderr what weakens the spend: no ledger, or a seed."""
    console = Console(stderr=True)
    for given, words in ((book is None, NO_LEDGER), (seed is not None, SEEDED)):
        if given:
            console.print(Text.assemble(("warning: ", "bold yellow"), words), highlight=False, soft_wrap=True)


def rehearse(plan: "Plan", book: "Ledger | None") -> None:
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
    """Return what the ledger would have left, as it would account for the charge itself."""
    from tacit.errors import BudgetExceededError, InputError  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.account import plan_claim  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.privacy.spending import digits  # noqa: PLC0415 - keeps the command line quick to start

    try:
        after = book.preview(plan_claim(plan.steps, plan.budget, n_features=plan.n_features, exact=plan.exact))
    except (BudgetExceededError, InputError) as refused:
        return Text(str(refused), style="bold red")
    spent, left = digits(after.spent, up=True), digits(after.left)
    return Text(f"ledger {book.path.name}: epsilon {spent} of {book.budget.epsilon:g} would be spent, {left} left.")


def left_words(book: "Ledger") -> str:
    """Return what the ledger has spent and has left, in one sentence."""
    from tacit.privacy.spending import digits  # noqa: PLC0415 - keeps the command line quick to start

    statement = book.statement()
    spent, left = digits(statement.spent, up=True), digits(statement.left)
    words = f"The ledger has spent epsilon {spent} of {book.budget.epsilon:g}; {left} is left."
    return f"{words} {statement.caution}".rstrip()
