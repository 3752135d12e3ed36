"""``tacit desk show``: what a desk has answered."""

import typer

from tacit.interfaces.cli.desk.opening import existing_log
from tacit.interfaces.cli.desk.options import (
    LogPath,
)


def show(log: LogPath) -> None:
    """Show what a desk has answered, and check that nothing in its log was changed.

    [bold]Example:[/] tacit desk show patients.desk
    """
    with existing_log(log).reading() as view:
        opened, entries = view.opened(), view.verify()
        shares = [(asker.name, view.used(asker.name), asker.queries) for asker in view.providers()]
    if opened is None:
        typer.echo("The desk has not opened yet.")
    else:
        terms = opened[1]
        promise = "no epsilon" if terms.epsilon is None else f"epsilon {terms.epsilon:g}, delta {terms.delta:g}"
        typer.echo(f"{terms.metric} on {terms.n_rows:,} records, {terms.decimals} decimals, {promise}.")
        typer.echo(f"{len(entries):,} of {terms.queries:,} queries answered; the log is unbroken.")
    for name, used, share in shares:
        typer.echo(f"  {name}: {used:,} of {share:,}")
