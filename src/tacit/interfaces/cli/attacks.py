"""The part of ``tacit audit`` that attacks a release, given rows of its table and rows that were not in it."""

from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.audit.attacks.outcome import FALSE_RATES, AttackOutcome, TrueRate
from tacit.audit.attacks.release_attack import ReleaseAttack
from tacit.files.atomic import write_text
from tacit.interfaces.cli.attack_options import Tables
from tacit.interfaces.cli.outputs import counted, file_size, working
from tacit.pages.attacks import LOW_PROVES_NOTHING, alike_text, attack_page, score_text, verdict
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.attack import attack as attack_file


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
