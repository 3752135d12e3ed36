"""What commands share that spend from a ledger: options, warnings, what was spent and what is left."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from tacit.errors import InputError
from tacit.interfaces.cli.json_output import AsJson
from tacit.interfaces.cli.parameters import ChargedLedger, Delta, NoiseSeed, option
from tacit.interfaces.cli.signing import Sign, key_file
from tacit.privacy.card import Card
from tacit.privacy.card_facts import CardFacts
from tacit.privacy.ledger import Ledger
from tacit.privacy.spending import digits, reserve_words
from tacit.workflows.release import OwnerTerms, owner_terms

NO_LEDGER = (
    "no --ledger: nothing adds this charge to other releases of the same rows, or stops further ones. "
    "`tacit ledger init` makes a ledger."
)
SEEDED = "--seed: whoever knows the seed can draw the noise again. The release is NOT PRIVATE, and its card says so."

PersonColumn = Annotated[
    str | None,
    option(
        "The column that names the person of a row; epsilon then protects persons. It is never released.",
        metavar="COLUMN",
    ),
]
RowsPerPerson = Annotated[
    int | None,
    option("Read at most K rows of each person, chosen by a key and not by values. Public.", metavar="K"),
]
NeighbourRelation = Annotated[
    str | None,
    typer.Option(
        "--relation",
        help="For method linear: [bold]replace[/] (one record exchanged; the number of rows is public) or "
        "[bold]add-remove[/] (one record more or less; the number is hidden).",
        show_default="as the ledger has it",
    ),
]
_PANEL = r"What the card says beside the guarantee (or \[card] in the schema's file)"


def _fact(words: str) -> Any:
    return typer.Option(help=words, show_default=False, rich_help_panel=_PANEL)


@dataclass(frozen=True, kw_only=True)
class FactOptions:
    """What the owner says about the release on its card."""

    owner: Annotated[str, _fact("Who keeps the table (the controller).")] = ""
    dataset: Annotated[str, _fact("The name of the data set.")] = ""
    purpose: Annotated[str, _fact("The purpose of the release.")] = ""
    legal_note: Annotated[str, _fact("The legal basis, an approval, a contract.")] = ""
    period: Annotated[str, _fact("The period of the rows.")] = ""

    def facts(self) -> CardFacts:
        """Return the facts for the card."""
        return CardFacts(self.owner, self.dataset, self.purpose, self.legal_note, self.period)


@dataclass(frozen=True, kw_only=True)
class SpendOptions:
    """What is protected, which account pays, and how noise is drawn."""

    delta: Delta = 1e-6
    person: PersonColumn = None
    rows_per_person: RowsPerPerson = None
    bad_records: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="How cells that the schema does not allow are read: [bold]refuse[/] the table, [bold]clip[/] (as the "
            "middle of the bounds or the first category), [bold]category[/] (as one of its own) or "
            "[bold]missing[/] (by the column's rule for missing cells). Stands on the card.",
            show_default="as the schema says",
        ),
    ] = None
    ledger: ChargedLedger = None
    allow: Annotated[
        list[str] | None,
        option(
            "Charge the ledger for what it would refuse: [bold]no-guarantee[/] (a seeded release, an algorithm as "
            "published) or [bold]other-table[/] (than the ledger was made for). Its line says so.",
            "--allow",
            metavar="WHAT",
        ),
    ] = None
    sign: Sign = None
    seed: NoiseSeed = None
    audit: Annotated[
        bool | None,
        typer.Option(
            "--audit/--no-audit",
            help="Play the distinguishing game on every part and print the results on the card.",
            show_default="where it takes seconds",
        ),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be spent; spend and write nothing.")] = (
        False
    )
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    workers: Annotated[int | None, option("Read the table with N processes.", metavar="N")] = None
    dask: Annotated[str | None, option("Read the table on a Dask cluster; noise is drawn here.", metavar="ADDRESS")] = (
        None
    )

    as_json: AsJson = False

    def require_output(self, output: Path | None, *, example: str) -> None:
        """Raise InputError unless there is a place for the result, or a dry run that needs none."""
        if output is None and not self.dry_run:
            raise InputError(f"output must be given: -o {example}. `--dry-run` needs none.")

    def signing_key(self) -> Any:
        """Return the key that signs, with its passphrase asked for; None in a dry run, which writes nothing."""
        return None if self.dry_run or self.sign is None else key_file(self.sign)

    def opened_ledger(self) -> Ledger | Path | None:
        """Return the ledger, which takes what ``allow`` says, after warning of what weakens the spend.

        It stays a path where nothing has to be allowed, and is opened later: the outputs are checked first.
        """
        warn(self.ledger, self.seed)
        if self.ledger is None and self.allow:
            raise InputError("--allow says what a ledger takes: give --ledger with it.")
        return Ledger(self.ledger, allow=self.allow) if self.ledger is not None and self.allow else self.ledger

    def arguments(self) -> dict[str, Any]:
        """Return what the workflows `release` and `fabricate` take alike, as these options say it."""
        names = ("delta", "person", "rows_per_person", "bad_records", "audit", "force", "workers", "dask")
        return {name: getattr(self, name) for name in names} | {"random_state": self.seed}

    def terms(self, schema: Path, epsilon: float, unit: str | None, account: Ledger | Path | None) -> OwnerTerms:
        """Return the terms of a release or a fabrication with these options, on which a dry run plans."""
        names = ("delta", "person", "rows_per_person", "bad_records")
        options = {name: getattr(self, name) for name in names} | {"random_state": self.seed, "facts": None}
        return owner_terms(schema, epsilon=epsilon, unit=unit, ledger=account, **options)


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
    return " ".join(
        filter(None, [words, reserve_words(statement.spent, statement.left, book.budget.epsilon), statement.caution])
    )


def spend_facts(card: Card, output: Path, account: Ledger | None) -> dict[str, Any]:
    """Return what was written, what it promises, and what the ledger has left."""
    return {
        "output": output,
        "bytes": output.stat().st_size,
        "title": card.title,
        "epsilon": card.epsilon,
        "delta": card.delta,
        "unit": card.unit,
        "relation": card.relation,
        "guarantee_holds": card.holds,
        "audits_passed": all(audit.passed for audit in card.audits),
        "ledger": None if account is None else balance(account, account.statement()),
    }


def balance(account: Ledger, statement: Any) -> dict[str, Any]:
    """Return budget, spent and left of a ledger by ``statement``, as it is or as it would be."""
    return {
        "path": account.path,
        "budget": account.budget.epsilon,
        "spent": statement.spent,
        "left": statement.left,
        "refused": None,
    }
