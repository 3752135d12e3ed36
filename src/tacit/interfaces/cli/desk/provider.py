"""``tacit desk provider``: who may ask a desk, and how often."""

from typing import Annotated

import typer

from tacit.interfaces.cli.desk.opening import existing_log
from tacit.interfaces.cli.desk.options import LogPath
from tacit.interfaces.cli.parameters import argument, option
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, new_token, token_digest


def add(
    log: LogPath,
    name: Annotated[str, argument("NAME", "A name of letters, digits, dots and dashes.")],
    queries: Annotated[int, option("Answers to this provider in all.")],
) -> None:
    """Let a provider in, and print the token, which is shown this once.

    [bold]Example:[/] tacit desk provider add patients.desk ann --queries 300
    """
    token = new_token()
    with DeskLog(log).writing() as view:
        view.add(Provider(name, token_digest(token), queries))
    typer.echo(f"{name} may ask {queries:,} queries. The token, of which only a digest is kept:", err=True)
    typer.echo(token)


def revoke(log: LogPath, name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)]) -> None:
    """Revoke a provider's token; an open desk notices within a second.

    [bold]Example:[/] tacit desk provider revoke patients.desk ann
    """
    with existing_log(log).writing() as view:
        view.revoke(name)
    typer.echo(f"{name} may ask no longer.")
