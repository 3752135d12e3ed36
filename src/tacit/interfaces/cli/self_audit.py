"""``tacit audit --self``: the audits of every mechanism and estimator of the package."""

from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tacit.audit.self_audit import Verdict, self_audit
from tacit.interfaces.cli.audit_results import result_figures, verdict_table
from tacit.interfaces.cli.json_output import print_json


def audit_package(seed: int | None, *, as_json: bool) -> None:
    """Run and show the audits; exit with 1 if one is not as it should be."""
    verdicts: list[Verdict] = []
    if as_json:
        verdicts = list(self_audit(seed))
        print_json({"as_expected": all(each.as_expected for each in verdicts), "audits": [*map(_figures, verdicts)]})
        if not all(each.as_expected for each in verdicts):
            raise typer.Exit(1)
        return
    with Live(_package_table(verdicts), console=Console(), auto_refresh=False) as live:
        for verdict in self_audit(seed):
            verdicts.append(verdict)
            live.update(_package_table(verdicts), refresh=True)
    wrong = [verdict for verdict in verdicts if not verdict.as_expected]
    typer.echo(f"{len(verdicts) - len(wrong)} of {len(verdicts)} audits are as they should be.")
    if wrong:
        raise typer.Exit(1)


def _figures(verdict: Verdict) -> dict[str, Any]:
    return {**result_figures(verdict.result), "control": verdict.control, "as_expected": verdict.as_expected}


def _package_table(verdicts: Iterable[Verdict]) -> Table:
    table = verdict_table("self-audit: lower bounds hold with 99.9 % confidence")
    for verdict in verdicts:
        result = verdict.result
        caught = "caught" if verdict.as_expected else "NOT CAUGHT"
        passed = "passes" if verdict.as_expected else "FAILS"
        colour = "green" if verdict.as_expected else "bold red"
        word = caught if verdict.control else passed
        table.add_row(
            Text(result.what),
            f"{result.claimed:.3g}",
            f"{result.lower_bound:.3f}",
            f"{result.draws:,}",
            f"[{colour}]{word}[/]",
        )
    return table
