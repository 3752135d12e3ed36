"""``tacit studio``: the whole job in a browser, which needs a web framework."""

import os
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.interfaces.desk.server import Certificate, make_server, run_server
from tacit.interfaces.studio.access import Access, Password
from tacit.interfaces.studio.app import load_pages, make_app
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.gate import LOOPBACK
from tacit.interfaces.studio.jobs import JobStore
from tacit.interfaces.studio.state import Studio

VARIABLE = "TACIT_STUDIO_PASSWORD"
_LOCAL = ("127.0.0.1", "::1", "localhost")
LEAST_PASSWORD = 12
LOAD_SECONDS = 1.5


def studio(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="[FOLDER]", help="The folder of tables, ledgers and releases; by default the current one."
        ),
    ] = Path(),
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 0,
    host: Annotated[
        str, typer.Option(help="Where to listen. Any other needs --certificate, --certificate-key and a password.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name under which browsers reach it; may be repeated."),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="PEM", help="TLS certificate.")] = None,
    certificate_key: Annotated[Path | None, typer.Option(metavar="PEM", help="Its private key.")] = None,
    upload_limit: Annotated[int, typer.Option(min=1, metavar="MB", help="Largest upload.")] = 2048,
    idle_minutes: Annotated[float, typer.Option(min=0.01, help="Lock after so many minutes without a request.")] = 30,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
) -> None:
    """Open the studio: the whole job in a browser, on this machine alone.

    Describe a table, open a ledger, release, adopt and review without a terminal; the files are those of the other
    commands. It prints an address whose token opens one session, and stays open until Ctrl-C.

    [bold]Example:[/] tacit studio patients/
    """
    local = host in _LOCAL
    tls, password = _tls(certificate, certificate_key), _password(required=not local)
    if not local and tls is None:
        raise InputError(
            f"host {host} can be reached by others: give --certificate and --certificate-key, or leave --host out."
        )
    address: list[str] = []

    def announce(token: str) -> None:
        url = f"{address[0]}/enter?token={token}"
        typer.echo(f"studio: {url}")
        if browser:
            webbrowser.open(url)

    access = Access(announce, password=password, idle_seconds=60 * idle_minutes)
    work = WorkFolder.at(folder)
    app = make_app(
        Studio(work, access, JobStore(work.path), upload_limit << 20), hosts=_hosts(host, name or [], local=local)
    )

    def opened(where: str) -> None:
        address.append(where)
        if password is None:
            access.announce_token()
        else:
            typer.echo(f"studio: {where}")
        _load_pages_later()

    run_server(make_server(app, host=host, port=port, certificate=tls), opened)


def _load_pages_later() -> None:
    # After the first page is there, the others are loaded, so that none is waited for.
    later = threading.Timer(LOAD_SECONDS, load_pages)
    later.daemon = True
    later.start()


def _hosts(host: str, names: list[str], *, local: bool) -> tuple[str, ...]:
    return (*(LOOPBACK if local else (host,)), *names)


def _tls(chain: Path | None, key: Path | None) -> Certificate | None:
    if (chain is None) != (key is None):
        raise InputError("--certificate and --certificate-key belong together: give both, or neither.")
    if chain is None or key is None:
        return None
    for file in (chain, key):
        if not file.is_file():
            raise InputError(f"{file}: no such file. Give the certificate and its key as PEM files.")
    return Certificate(chain, key)


def _password(*, required: bool) -> Password | None:
    """Return the password of the environment, or one that is typed where others can come in."""
    text = os.environ.get(VARIABLE)
    if text is None and not required:
        return None
    if text is None:
        try:
            text = typer.prompt("Password of the studio", hide_input=True, confirmation_prompt=True, err=True)
        except typer.Abort as nobody:
            raise InputError(f"a studio that others can reach needs a password. Set {VARIABLE}.") from nobody
    if len(text) < LEAST_PASSWORD:
        raise InputError(f"the password must have at least {LEAST_PASSWORD} characters.")
    return Password.of(text)
