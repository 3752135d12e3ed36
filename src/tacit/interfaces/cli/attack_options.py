"""The options of ``tacit audit`` that ask for attacks on a release."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.interfaces.cli.outputs import require_output
from tacit.interfaces.cli.parameters import schema_option


@dataclass(frozen=True)
class Tables:
    """What an attack is given: files of members and of non-members, and their schema if not the release's own."""

    members: Path
    non_members: Path
    schema: Path | None


@dataclass(frozen=True, kw_only=True)
class AttackOptions:
    """What attacks are given, how hard they try, and where their curves go."""

    members: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="For the attack: rows that the release was made of.")
    ] = None
    non_members: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="For the attack: rows of the same kind that were not in the table."),
    ] = None
    schema: Annotated[Path | None, schema_option("The schema of both tables, if the release carries none.")] = None
    shadows: Annotated[
        int, typer.Option(min=0, help="How often each row is in a shadow table; 0 leaves out the shadow attack.")
    ] = 32
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="Write a page with the attacks' ROC curves.")] = (
        None
    )

    def tables(self) -> Tables | None:
        """Return the tables if attacks are asked for; refuse half of them."""
        if self.members is not None and self.non_members is not None:
            return Tables(self.members, self.non_members, self.schema)
        if any(option is not None for option in (self.members, self.non_members, self.schema, self.report)):
            raise InputError("attacks need both --members and --non-members: rows of the table, and rows not in it.")
        return None


def require_page(page: Path | None, tables: Tables, release: Path, *, force: bool) -> None:
    """Refuse a page that cannot be written, before the work starts."""
    if page is not None:
        inputs = [release, tables.members, tables.non_members, *([tables.schema] if tables.schema else [])]
        require_output(page, force=force, inputs=inputs)
