"""``tacit audit desk``: what a desk's answers give away, and what epsilon useful ones need."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tacit.audit.desk_leak import Leak, noisy_leak, rounding_leaks
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.outputs import working
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.terms import DeskTerms
from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE, useful_epsilon, useful_words

DECIMALS = (1, 2, 3, 4)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def audit_desk(
    *,
    rows: Annotated[int, typer.Option(min=2, max=5000, help="Labelled records in the table.")] = 2000,
    queries: Annotated[int, typer.Option(min=1, max=5000, help="Answers of the desk in all.")] = 1000,
    delta: Annotated[float, typer.Option(help="Delta of the noise; 0 selects Laplace noise.")] = 1e-6,
    seed: Annotated[int | None, typer.Option(help="Seed, to repeat an audit.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what rounding alone leaks at a desk, and what epsilon a useful run needs.

    The attacker knows twice as many rows as are in the table, asks for scores of random models, and solves for the rows
    that are in it. The advantage is the true minus the false positive rate: 0 is guessing, 1 is certainty. The rows
    are made up: no private table is read.

    [bold]Example:[/] tacit audit desk --rows 2000 --queries 1000
    """
    counts = tuple(sorted({max(queries // 100, 1), max(queries // 10, 1), queries}))
    with working("attacking rounded scores"):
        leaks = rounding_leaks(rows, queries=counts, decimals=DECIMALS, seed=seed)
    with working("attacking noisy scores"):
        noisy = [noisy_leak(rows, queries=queries, epsilon=epsilon, delta=delta, seed=seed) for epsilon in EPSILONS]
    needed = useful_epsilon(rows, queries, delta=delta)
    if as_json:
        print_json({"rows": rows, "delta": delta, "rounded": leaks, "noisy": noisy, "useful_epsilon": needed})
        return
    Console().print(_rounding_table(counts, leaks))
    Console().print(_noise_table(rows, queries, delta, [leak.advantage for leak in noisy]))
    typer.echo(
        f"{queries:,} queries on {rows:,} records need {useful_words(needed)} at delta {delta:g} for noise of "
        f"{USEFUL_NOISE:g}, with which a search still gains most of what exact scores would give."
    )


def _rounding_table(counts: Sequence[int], leaks: Sequence[Leak]) -> Table:
    table = Table(title="membership advantage without noise", box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("queries", *(f"{digits} decimals" for digits in DECIMALS)):
        table.add_column(name, justify="right")
    for count in counts:
        table.add_row(f"{count:,}", *(f"{leak.advantage:.2f}" for leak in leaks if leak.queries == count))
    return table


def _noise_table(rows: int, queries: int, delta: float, advantages: list[float]) -> Table:
    table = Table(title=f"with noise, {queries:,} queries", box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("epsilon", "noise of a score", "membership advantage"):
        table.add_column(name, justify="right")
    for epsilon, advantage in zip(EPSILONS, advantages, strict=True):
        terms = DeskTerms(Architecture("linear", 1, 1), "accuracy", 15, queries, rows, epsilon=epsilon, delta=delta)
        table.add_row(f"{epsilon:g}", f"{terms.noise:.2g}", f"{advantage:.2f}")
    return table
