"""``tacit audit``: empirical audits of the package itself and of a release."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.evaluation.card_audit import CardAudit
    from tacit.evaluation.self_audit import Verdict


def audit(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A release (*.tacit) to audit.", show_default=False)
    ] = None,
    package: Annotated[
        bool, typer.Option("--self", help="Audit every mechanism and estimator of the package.")
    ] = False,
    draws: Annotated[int, typer.Option(help="Draws on each side, for a release.")] = 20_000,
    seed: Annotated[int | None, typer.Option(help="Repeat an audit; without it the noise is fresh.")] = None,
) -> None:
    """Try to catch a mechanism giving away more than it claims.

    The distinguishing game draws many outputs on two neighbouring inputs and computes a lower bound on epsilon that
    holds with 99.9 % confidence: a bound above the claim refutes it. [bold]--self[/] also runs broken controls, which
    must be caught. Exits with 1 if anything is not as it should be.

    [bold]Examples:[/] tacit audit --self    tacit audit clinic-a.tacit
    """
    if package == (file is not None):
        raise InputError("give either a release FILE or --self.")
    if file is None:
        _audit_package(seed)
    else:
        _audit_release(file, draws, seed)


def _audit_package(seed: int | None) -> None:
    from tacit.evaluation.self_audit import self_audit  # noqa: PLC0415 - keeps the command line quick to start

    verdicts: list[Verdict] = []
    with Live(_package_table(verdicts), console=Console(), auto_refresh=False) as live:
        for verdict in self_audit(seed):
            verdicts.append(verdict)
            live.update(_package_table(verdicts), refresh=True)
    wrong = [verdict for verdict in verdicts if not verdict.as_it_should]
    typer.echo(f"{len(verdicts) - len(wrong)} of {len(verdicts)} audits are as they should be.")
    if wrong:
        raise typer.Exit(1)


def _package_table(verdicts: Iterable["Verdict"]) -> Table:
    table = _table("self-audit: lower bounds hold with 99.9 % confidence")
    for verdict in verdicts:
        result = verdict.result
        caught = "caught" if verdict.as_it_should else "NOT CAUGHT"
        passed = "passes" if verdict.as_it_should else "FAILS"
        colour = "green" if verdict.as_it_should else "bold red"
        shown = caught if verdict.control else passed
        table.add_row(
            result.what,
            f"{result.claimed:.3g}",
            f"{result.lower_bound:.3f}",
            f"{result.draws:,}",
            f"[{colour}]{shown}[/]",
        )
    return table


def _audit_release(file: Path, draws: int, seed: int | None) -> None:
    from tacit.evaluation.card_audit import audit_card  # noqa: PLC0415 - keeps the command line quick to start
    from tacit.release.file import read_release  # noqa: PLC0415 - keeps the command line quick to start

    found = audit_card(read_release(file).card, draws=draws, seed=seed)
    Console().print(_release_table(found))
    verdict = "adds up" if found.adds_up else "DOES NOT ADD UP"
    typer.echo(f"the card claims epsilon {found.claimed:.6g}; its events cost {found.recomputed:.6g}: {verdict}.")
    if not found.passed:
        raise typer.Exit(1)


def _release_table(found: "CardAudit") -> Table:
    table = _table("audit of the release: the mechanisms as its card describes them")
    for result in found.results:
        shown = "[green]passes[/]" if result.passed else "[bold red]FAILS[/]"
        table.add_row(result.what, f"{result.claimed:.3g}", f"{result.lower_bound:.3f}", f"{result.draws:,}", shown)
    return table


def _table(title: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("what")
    for name in ("claimed epsilon", "lower bound", "draws a side"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    return table
