"""What commands that spend from a ledger share: warnings, and what is left."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tacit.interfaces.cli.parameters import option
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger
from tacit.privacy.spending import digits

NO_LEDGER = (
    "no --ledger: this spend stands on the release's card alone, and nothing stops a second release of the same rows. "
    "`tacit ledger init` makes an account."
)
SEEDED = "--seed: whoever knows the seed can draw the noise again. The release is NOT PRIVATE, and its card says so."

PersonColumn = Annotated[
    str | None,
    option("The column that says whose row it is; epsilon then protects a person. Never released.", metavar="COLUMN"),
]
RowsPerPerson = Annotated[
    int | None,
    option("The most rows of one person that are read, a public number; chosen by a key, not by values.", metavar="K"),
]
NeighbourRelation = Annotated[
    str | None,
    typer.Option(
        "--relation",
        help="For linear weights: [bold]replace[/] (one record exchanged, the number of rows public) or "
        "[bold]add-remove[/] (one more or less, their number hidden).",
        show_default="as the ledger has it",
    ),
]


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Print warnings raised in the block as lines on stderr."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in raised:
        typer.echo(str(warning.message), err=True)


def warn(ledger: Path | None, seed: int | None) -> None:
    """Say on stderr what weakens the spend: no ledger, or a seed."""
    console = Console(stderr=True)
    for warned, words in ((ledger is None, NO_LEDGER), (seed is not None, SEEDED)):
        if warned:
            console.print(Text.assemble(("warning: ", "bold yellow"), words), highlight=False, soft_wrap=True)


def void_words(card: Card) -> list[str]:
    """Return what must be said beside an epsilon that does not hold; nothing if it does."""
    return [f"warning: NO GUARANTEE. {card.warning}"] if card.warning else []


def left_words(book: Ledger) -> str:
    """Return what the ledger has spent and has left, in one sentence."""
    statement = book.statement()
    spent, left = digits(statement.spent, up=True), digits(statement.left)
    words = f"The ledger has spent epsilon {spent} of {book.budget.epsilon:g}; {left} is left."
    return f"{words} {statement.caution}".rstrip()
