"""The part of ``tacit audit`` that attacks a release, given rows of its table and rows that were not in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.audit.attacks.outcome import FALSE_RATES, AttackOutcome, TrueRate
from tacit.audit.attacks.release_attack import ReleaseAttack
from tacit.errors import InputError
from tacit.files.atomic import write_text
from tacit.interfaces.cli.outputs import counted, file_size, require_output, working
from tacit.interfaces.cli.parameters import schema_option
from tacit.pages.attacks import LOW_PROVES_NOTHING, alike_text, attack_page, score_text, verdict
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.audit import attack as attack_file


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


def attack(file: Path, tables: Tables, *, shadows: int, seed: int | None) -> ReleaseAttack:
    """Return how far attacks on the release at ``file`` get."""
    with working("reading the tables") as stage:
        return attack_file(
            file,
            tables.members,
            tables.non_members,
            schema=tables.schema,
            shadows=shadows,
            seed=seed,
            progress=stage,
        )


def show_attack(result: ReleaseAttack, file: Path, page: Path | None) -> bool:
    """Print what attacks reached and write the page; return whether the card stands."""
    Console().print(_table(result))
    _comment(result)
    if page is not None:
        _write(result, open_release(file), page)
    return not any(result.contradicts(outcome) for outcome in result.outcomes)


def _table(attacks: ReleaseAttack) -> Table:
    title = f"membership attacks: {attacks.n_members:,} members, {attacks.n_non_members:,} others; 95 % intervals"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("attack")
    for name in ("AUC", *(f"found at {100 * rate:g} % false" for rate in FALSE_RATES), "epsilon shown"):
        table.add_column(name, justify="right")
    table.add_column("card")
    for each in attacks.outcomes:
        low, high = each.area_interval
        rates = [_rate(each.true_rate(rate)) for rate in FALSE_RATES]
        verdict = "[bold red]FAILS[/]" if attacks.contradicts(each) else "[green]stands[/]"
        table.add_row(
            each.name, f"{each.area:.3f}\n[dim]{low:.3f}-{high:.3f}[/]", *rates, _shown(each, attacks), verdict
        )
    return table


def _rate(rate: TrueRate) -> str:
    if rate.value is None:
        return f"cannot be measured\n[dim]needs {rate.needed:,} others[/]"
    low, high = rate.interval
    return f"{100 * rate.value:.2f} %\n[dim]{100 * low:.2f}-{100 * high:.2f} %[/]"


def _shown(each: AttackOutcome, attacks: ReleaseAttack) -> str:
    shown = each.epsilon_shown(attacks.claim.delta)
    return "too few rows" if shown is None else f"{shown:.3f}"


def _comment(attacks: ReleaseAttack) -> None:
    claim = attacks.claim
    promised = "no epsilon" if claim.epsilon is None else f"epsilon {claim.epsilon:.4g}, delta {claim.delta:.3g}"
    typer.echo(f"the card promises a record {promised}.")
    typer.echo(f"membership-inference score of the distances: {score_text(attacks.score)}.")
    if attacks.n_shared:
        typer.echo(f"{counted(attacks.n_shared, 'non-member')} equal some member in every column.", err=True)
    if attacks.before is not None:
        typer.echo(alike_text(attacks.before))
    typer.echo(verdict(attacks))
    typer.echo(LOW_PROVES_NOTHING)


def _write(attacks: ReleaseAttack, release: Release, page: Path) -> None:
    write_text(page, attack_page(attacks, release.card))
    typer.echo(f"wrote {page} ({file_size(page)}); keep it as you keep the table: it is computed from private rows.")
