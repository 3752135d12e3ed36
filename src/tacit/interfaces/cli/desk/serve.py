"""``tacit desk serve``: the desk over HTTP, which needs a web framework."""

from typing import Annotated

import typer
from threadpoolctl import threadpool_limits

from tacit.interfaces.cli.desk.opening import open_desk
from tacit.interfaces.cli.desk.options import DeskOptions
from tacit.interfaces.cli.option_groups import with_option_groups
from tacit.interfaces.cli.parameters import PrivateTable
from tacit.interfaces.cli.spend import left_words
from tacit.interfaces.desk.app import make_app
from tacit.interfaces.desk.server import make_server, run_server
from tacit.privacy.ledger import Ledger, as_ledger
from tacit.situations.feedback.desk.desk import Desk
from tacit.situations.feedback.desk.providers import new_token


@with_option_groups
def serve(
    table: PrivateTable,
    *,
    options: DeskOptions,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8765,
) -> None:
    """Open the desk over HTTP, and keep it open until Ctrl-C.

    The whole run is charged to the ledger once, before the first answer; a desk that is started again continues where
    it stopped. It speaks plain HTTP: put a proxy with TLS in front of it before you let others in.

    [bold]Example:[/] tacit desk serve patients.csv -s patients.toml -m linear --epsilon 4 --ledger patients.ledger
    """
    book, key = as_ledger(options.ledger), new_token()
    desk = open_desk(table, options, book)
    typer.echo(_opened(desk, book))
    server = make_server(make_app(desk, owner_key=key, ledger=book), host=host, port=port)
    # Products this small gain nothing from more threads, which lose much by waiting for each other on a busy machine.
    with threadpool_limits(limits=1):
        run_server(server, lambda address: typer.echo(f"desk: {address}\nyour page: {address}/owner#{key}"))


def _opened(desk: Desk, book: Ledger | None) -> str:
    with desk.log.reading() as view:
        used, names = view.used(), [provider.name for provider in view.providers()]
    words = f"{used:,} of {desk.terms.queries:,} queries answered so far. {left_words(book) if book else ''}"
    if not names:
        return f"{words}\nNobody may ask yet: tacit desk provider add {desk.log.path.name} NAME --queries 300"
    return f"{words}\nMay ask: {', '.join(names)}."
