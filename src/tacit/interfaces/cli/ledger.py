"""``tacit ledger show`` and ``verify``: read and check the account of a private data set."""

import math
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.parameters import argument, option
from tacit.privacy.budget import Budget
from tacit.privacy.events import to_dict
from tacit.privacy.ledger import Ledger, Line, Receipt, Statement
from tacit.privacy.spending import digits, reserve_words
from tacit.releases.receipts import release_files, verify_against

# Width of the bar that shows what is spent.
BAR = 60
# More lines than this are printed one below the other: laying out a table of thousands takes seconds.
MOST_ROWS = 200

LedgerPath = Annotated[Path, argument("PATH", "The ledger's file.")]


def show(
    path: LedgerPath,
    as_json: AsJson = False,
) -> None:
    """Show every charge, what is spent and what is left.

    [bold]Example:[/] tacit ledger show patients.ledger
    """
    ledger = Ledger(path)
    statement = ledger.statement()
    if as_json:
        print_json(_as_dict(ledger, statement))
        return
    console = Console()
    console.print(_title(ledger))
    if len(statement.lines) > MOST_ROWS:
        _print_rows(statement.lines, paged=console.is_terminal)
    else:
        console.print(_table(statement.lines))
    console.print(_bar(statement.spent / ledger.budget.epsilon, ascii_only=console.options.ascii_only))
    console.print(_balance(ledger.budget, statement))
    for note in statement.notes:
        console.print(Text(note, style="bold"))


def verify(
    path: LedgerPath,
    receipt: Annotated[str, option("A receipt, as a release's card prints it.", metavar="LINE:DIGEST")] = "",
    against: Annotated[
        list[Path] | None,
        option("A release that was handed out, or a folder of them; may be given several times.", metavar="RELEASE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that no line was edited, removed, inserted or moved.

    Fails with the first line that was. An older copy of a ledger is unbroken too: compare it with the releases that
    were handed out ([bold]--against[/]), or with a receipt that a card prints.

    [bold]Example:[/] tacit ledger verify patients.ledger --against handed-out/
    or: tacit ledger verify patients.ledger --receipt 3:9f86d081884c7d65...
    """
    expected = Receipt.parse(receipt) if receipt else None
    ledger = Ledger(path)
    lines = ledger.verify(expected)
    files = release_files(against) if against else []
    if files:
        verify_against(ledger, files)
    if as_json:
        last = str(lines[-1].receipt) if lines else None
        content = {"path": path, "lines": len(lines), "last_receipt": last, "notes": ledger.notes(lines)}
        print_json({**content, "found_receipt": receipt or None, "found_releases": files})
        return
    count = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
    typer.echo(f"ok: {count}, unbroken and within {ledger.budget}.")
    for note in ledger.notes(lines):
        typer.echo(note)
    for file in files:
        typer.echo(f"The charge of {file.name} stands in this ledger.")
    if expected:
        typer.echo(f"The receipt of line {expected.line} stands in this ledger.")
    elif lines and not files:
        typer.echo(f"No receipt or release was given to compare with. The last line's is {lines[-1].receipt}")


def _as_dict(ledger: Ledger, statement: Statement) -> dict[str, Any]:
    budget = ledger.budget
    return {
        "path": str(ledger.path),
        "identifier": ledger.identifier,
        "name": ledger.name,
        "created": ledger.created,
        "budget": {
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "unit": budget.unit.value,
            "relation": budget.relation.value,
        },
        "relation_assumed": ledger.relation_assumed,
        "notes": list(statement.notes),
        "spent": statement.spent,
        "left": statement.left,
        "lines": [_line_as_dict(line) for line in statement.lines],
    }


def _line_as_dict(line: Line) -> dict[str, Any]:
    return {
        "number": line.number,
        "time": line.time,
        "purpose": line.purpose,
        "unit": line.unit.value,
        "relations": [each.value for each in line.claim.relations],
        "exact": None if line.claim.exact is None else [each.value for each in line.claim.exact],
        "event": to_dict(line.event),
        "n_features": line.n_features,
        "rows_per_person": line.claim.rows_per_person,
        "warning": line.claim.warning,
        "table": line.table.value,
        "digest": line.digest,
    }


def _title(ledger: Ledger) -> Text:
    title = Text(ledger.name or ledger.path.name, style="bold")
    return title.append(f"  {ledger.budget}, made {ledger.created}", style="not bold")


def _table(lines: tuple[Line, ...]) -> Table | Text:
    if not lines:
        return Text("Nothing has been charged.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("line", "time (UTC)", "purpose", "released", "per", "digest"):
        table.add_column(header, no_wrap=header in ("line", "time (UTC)"), overflow="fold")
    table.columns[3].min_width = len("(sensitivity=1)")
    for line in lines:
        # As Text: what an owner wrote is shown, never taken for markup.
        table.add_row(*(Text(cell) for cell in _cells(line)))
    return table


def _cells(line: "Line") -> tuple[str, ...]:
    """Return number, minute, purpose, what was released, per what, and the beginning of the digest."""
    fields = _line_as_dict(line)
    per = fields["unit"] if line.n_features is None else f"{fields['unit']} of {line.n_features}"
    minute = line.time[:16].replace("T", " ")
    released = ("no guarantee: " if line.claim.warning else "") + _in_words(fields["event"])
    return str(line.number), minute, line.purpose, released, per, line.digest[:8]


def _print_rows(lines: "tuple[Line, ...]", *, paged: bool) -> None:
    """Print every charge on a line of its own, in the order of the table's columns; ``paged``: page by page."""
    rows = ("  ".join(_cells(line)) + "\n" for line in lines)
    if paged:
        typer.echo_via_pager(rows)
    else:
        typer.echo("".join(rows), nl=False)


def _in_words(event: dict[str, Any]) -> str:
    """Return an event in a few words: ``3 x laplace scale=4 sensitivity=1``."""
    inner = event.get("of")
    if isinstance(inner, dict):
        return _times(_in_words(inner), event["count"])
    if isinstance(inner, list):
        counts = Counter(_in_words(part) for part in inner)
        return f"{event['event']} ({', '.join(_times(words, count) for words, count in counts.items())})"
    return " ".join([event["event"], *(f"{key}={value:g}" for key, value in event.items() if key != "event" and value)])


def _times(words: str, count: int) -> str:
    return words if count == 1 else f"{count} x {words}"


def _bar(spent: float, *, ascii_only: bool) -> Text:
    """Return a bar of which the part ``spent`` is filled; readable without colour."""
    full, empty = "#." if ascii_only else "█░"
    filled = min(math.ceil(BAR * spent), BAR)
    return Text(full * filled, style="red").append(empty * (BAR - filled), style="green")


def _balance(budget: Budget, statement: Statement) -> Text:
    at = f" (at delta {budget.delta:g})" if budget.delta else ""
    spent, left = digits(statement.spent, up=True), digits(statement.left)
    words = f"epsilon {spent} of {budget.epsilon:g} is spent{at}, {left} is left."
    return Text(f"{words} {reserve_words(statement.spent, statement.left, budget.epsilon)}".rstrip())
