"""``tacit card``: what a release guarantees, for people and for programs."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.releases.sidecar import open_release
from tacit.releases.signature import load_public_key


def card(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A release (*.tacit) or a fabricated table.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="PUBLIC", help="Refuse the file unless the owner of this key signed it."),
    ] = None,
) -> None:
    """Show what a release guarantees: unit, epsilon, mechanism, assumptions, what is not protected.

    Every hash in the file is checked before anything is shown.

    [bold]Example:[/] tacit card clinic-a.tacit
    """
    release = open_release(file, trusted_key=load_public_key(key) if key else None)
    typer.echo(release.card.to_json() if as_json else release.card.to_text(), nl=as_json)
