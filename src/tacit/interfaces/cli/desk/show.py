"""``tacit desk show``: what a desk has answered."""

from typing import Annotated

import typer

from tacit.files.hash_chain import Receipt
from tacit.interfaces.cli.desk.opening import existing_log
from tacit.interfaces.cli.desk.options import LogPath
from tacit.interfaces.cli.json_output import AsJson, print_json
from tacit.interfaces.cli.parameters import option


def show(
    log: LogPath,
    receipt: Annotated[
        str,
        option("A receipt that a provider got with scores; fails if the log is older.", metavar="NUMBER:DIGEST"),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show what a desk has answered, and check that nothing in its log was changed.

    An older copy of log and ledger together is unbroken too: compare it with a receipt that a provider got with scores
    ([bold]--receipt[/]).

    [bold]Example:[/] tacit desk show patients.desk --receipt 120:9f86d081884c7d65...
    """
    with existing_log(log).reading() as view:
        opened, entries, head = view.opened(), view.verify(), view.head()
        if receipt:
            view.require_receipt(Receipt.parse(receipt))
        shares = [(asker.name, view.used(asker.name), asker.queries) for asker in view.providers()]
    if as_json:
        last = f"{head.count}:{head.digest}" if head.count else None
        askers = [{"name": name, "used": used, "queries": share} for name, used, share in shares]
        terms = None if opened is None else opened[1]
        print_json({"answered": len(entries), "last_receipt": last, "providers": askers, "terms": terms})
        return
    if opened is None:
        typer.echo("The desk has not opened yet.")
    else:
        terms = opened[1]
        promise = "no epsilon" if terms.epsilon is None else f"epsilon {terms.epsilon:g}, delta {terms.delta:g}"
        typer.echo(f"{terms.metric} on {terms.n_rows:,} records, {terms.decimals} decimals, {promise}.")
        typer.echo(f"{len(entries):,} of {terms.queries:,} queries answered; the log is unbroken.")
    if receipt:
        typer.echo(f"The receipt of answer {Receipt.parse(receipt).line} stands in this log.")
    elif head.count:
        typer.echo(f"The last answer's receipt is {head.count}:{head.digest}")
    for name, used, share in shares:
        typer.echo(f"  {name}: {used:,} of {share:,}")
