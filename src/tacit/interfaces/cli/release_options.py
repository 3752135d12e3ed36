"""The options that commands share which hand out knowledge of a private table: ``release`` and ``fabricate``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.cli.json_output import AsJson
from tacit.interfaces.cli.parameters import ChargedLedger, Delta, NoiseSeed, option
from tacit.interfaces.cli.signing import Sign, key_file
from tacit.interfaces.cli.spend import PersonColumn, RowsPerPerson, warn
from tacit.privacy.budget import Budget
from tacit.privacy.card_facts import CardFacts
from tacit.privacy.ledger import Ledger, as_ledger
from tacit.workflows.tables import Contribution, as_schema, contribution, with_person

_PANEL = "What the card says beside the guarantee (or [card] in the schema's file)"


def _fact(words: str) -> Any:
    return typer.Option(help=words, show_default=False, rich_help_panel=_PANEL)


@dataclass(frozen=True, kw_only=True)
class FactOptions:
    """What the owner says about the release on its card."""

    owner: Annotated[str, _fact("Who keeps the table: the controller.")] = ""
    dataset: Annotated[str, _fact("What the table is called.")] = ""
    purpose: Annotated[str, _fact("What the release is made for.")] = ""
    legal_note: Annotated[str, _fact("The legal basis, an approval, a contract.")] = ""
    period: Annotated[str, _fact("From when to when the rows are.")] = ""

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
            help="What becomes of cells that the schema does not foresee: [bold]refuse[/] the table, [bold]clip[/] to "
            "the middle or the first category, a [bold]category[/] of its own, or by each column's rule for "
            "[bold]missing[/] cells. Public, and on the card.",
            show_default="as the schema says",
        ),
    ] = None
    ledger: ChargedLedger = None
    allow: Annotated[
        list[str] | None,
        option(
            "What the ledger then takes, and its line says: [bold]no-guarantee[/] (a seed, a printed algorithm) "
            "or [bold]other-table[/] (than the ledger was made for).",
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
            help="Play the distinguishing game on every part and print its results on the card.",
            show_default="where it costs seconds",
        ),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be spent; spend and write nothing.")] = (
        False
    )
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    workers: Annotated[int | None, option("Read the table with so many processes.", metavar="N")] = None
    dask: Annotated[str | None, option("Read it on a Dask cluster; noise stays here.", metavar="ADDRESS")] = None

    as_json: AsJson = False

    def require_output(self, output: Path | None, *, example: str) -> None:
        """Raise InputError unless there is a place for the result, or a dry run that needs none."""
        if output is None and not self.dry_run:
            raise InputError(f"output must be given: -o {example}. `--dry-run` needs none.")

    def signing_key(self) -> Any:
        """Return the key that signs, with its passphrase asked for; None in a dry run, which writes nothing."""
        return None if self.dry_run else key_file(self.sign)

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

    def promise(
        self, schema: Path, epsilon: float, unit: str | None, account: Ledger | Path | None
    ) -> tuple[Schema, Budget, Contribution]:
        """Return the schema with these options' rules, what is promised, and which rows of a person are read."""
        rules = with_person(as_schema(schema, self.bad_records), self.person)
        kept = contribution(
            rules, unit=unit, rows=self.rows_per_person, ledger=as_ledger(account), random_state=self.seed
        )
        return rules, Budget(epsilon, self.delta, unit=kept.unit), kept
