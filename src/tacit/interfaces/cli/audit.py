"""``tacit audit``: empirical audits of the package itself and of a release."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tacit.audit.card_audit import CardAudit
from tacit.errors import InputError
from tacit.interfaces.cli.attack_options import AttackOptions, Tables, require_page
from tacit.interfaces.cli.audit_results import result_figures, verdict_table
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.parameters import argument
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.audit import audit as audit_release


@with_option_groups
def audit(
    file: Annotated[Path | None, argument("[FILE]", "A release (*.tacit) or fabricated table.")] = None,
    *,
    package: Annotated[
        bool, typer.Option("--self", help="Audit every mechanism and estimator of the package.")
    ] = False,
    draws: Annotated[int, typer.Option(help="Draws on each of the two inputs.")] = 20_000,
    seed: Annotated[int | None, typer.Option(help="Seed, to repeat an audit; without it the noise is fresh.")] = None,
    attacking: AttackOptions,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing page.")] = False,
    as_json: AsJson = False,
) -> None:
    """Test whether a release, or any mechanism of the package, leaks more than it claims.

    The distinguishing game draws many outputs on two neighbouring inputs and computes a lower bound on epsilon that
    holds with 99.9 % confidence: a bound above the claim refutes it. [bold]--self[/] audits the whole package and its
    broken controls, which must be caught. With [bold]--members[/] and [bold]--non-members[/] membership attacks run
    on the release itself. Exits with 1 if an audit fails.

    [bold]Examples:[/] tacit audit --self    tacit audit clinic-a.tacit
    tacit audit clinic-a.tacit --members patients.csv --non-members others.csv --report roc.html
    """
    tables = attacking.tables()
    if package == (file is not None):
        raise InputError("give either a release FILE or --self.")
    if file is None:
        if tables is not None:
            raise InputError("--members and --non-members are for a release FILE, not for --self.")
        from tacit.interfaces.cli.self_audit import audit_package  # noqa: PLC0415 - loads every estimator

        audit_package(seed, as_json=as_json)
        return
    if tables is not None and as_json:
        raise InputError("--json is for the audit of a release or of the package; leave the attacked tables out.")
    if tables is not None:
        require_page(attacking.report, tables, file, force=force)
    release = open_release(file)
    # Attacked first: whatever is wrong with the tables is said before anything is printed.
    show_attack = None if tables is None else _attacked(file, tables, attacking, seed)
    stands = _audit_release(release, draws, seed, as_json=as_json)
    if show_attack is not None:
        stands &= show_attack()
    if not stands:
        raise typer.Exit(1)


def _attacked(file: Path, tables: Tables, attacking: AttackOptions, seed: int | None) -> Callable[[], bool]:
    """Attack the release, and return what shows how far that got."""
    from tacit.interfaces.cli import attacks  # noqa: PLC0415 - loads the estimators that attackers use

    result = attacks.attack(file, tables, shadows=attacking.shadows, seed=seed)
    return partial(attacks.show_attack, result, file, attacking.report)


def _audit_release(release: Release, draws: int, seed: int | None, *, as_json: bool) -> bool:
    outcome = audit_release(release, draws=draws, seed=seed)
    if as_json:
        card = {"claimed": outcome.claimed, "recomputed": outcome.recomputed, "adds_up": outcome.adds_up}
        results = [result_figures(each) for each in outcome.results]
        print_json({**card, "understated": outcome.understated, "passed": outcome.passed, "audits": results})
        return outcome.passed
    Console().print(_release_table(outcome))
    verdict = "adds up" if outcome.adds_up else "DOES NOT ADD UP"
    typer.echo(f"the card claims epsilon {outcome.claimed:.6g}; its events cost {outcome.recomputed:.6g}: {verdict}.")
    for what in outcome.understated:
        typer.echo(f"{what}: the mechanism costs more than the card says. DO NOT TRUST this card.")
    return outcome.passed


def _release_table(outcome: CardAudit) -> Table:
    table = verdict_table("audit of the release: the mechanisms as its card describes them")
    for result in outcome.results:
        word = "[green]passes[/]" if result.passed else "[bold red]FAILS[/]"
        figures = f"{result.claimed:.3g}", f"{result.lower_bound:.3f}", f"{result.draws:,}"
        # As Text: what a card says is shown, never taken for markup.
        table.add_row(Text(result.what), *figures, word)
    return table
