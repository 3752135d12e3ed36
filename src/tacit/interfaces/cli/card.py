"""``tacit card``: what a release guarantees, for people and for programs."""

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import ReleaseError
from tacit.interfaces.cli.parameters import argument
from tacit.privacy.card import Card
from tacit.privacy.card_page import WIDTH
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.releases.signature import key_owner, load_public_key


def card(
    file: Annotated[Path, argument("FILE", "A release (*.tacit), a fabricated table, or a privately adopted model.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="PUBLIC", help="Refuse the file unless the owner of this key signed it."),
    ] = None,
) -> None:
    """Show what a release guarantees, what it assumes, and what it does not protect.

    Every hash in the file is checked first, and the signature if there is one. With [bold]--key[/] the last line says
    whose signature it is.

    [bold]Examples:[/] tacit card clinic-a.tacit    tacit card clinic-a.tacit --key clinic-a.pub
    """
    try:
        release = open_release(file, trusted_key=load_public_key(key) if key else None)
    except ReleaseError:
        own = _model_card(file) if key is None else None
        if own is None:
            raise
        typer.echo(own.to_json() if as_json else own.to_text(), nl=as_json)
        return
    if as_json:
        typer.echo(release.card.to_json())
        return
    typer.echo(release.card.to_text(), nl=False)
    for name, text in (("Digest", release.digest or ""), ("Signature", _signature(release, key))):
        typer.echo("\n".join(textwrap.wrap(text, WIDTH, initial_indent=f"{name:<15}", subsequent_indent=" " * 15)))


def _model_card(file: Path) -> Card | None:
    """Return the card of a privately adopted model, which says what its rows are promised; None for any other file."""
    from tacit.models.private_estimator import PrivateEstimator  # noqa: PLC0415 - reading a card needs no models
    from tacit.workflows import models  # noqa: PLC0415 - as above

    classifier = models.read_model(file).classifier if models.is_model_file(file) else None
    return classifier.card_ if isinstance(classifier, PrivateEstimator) else None


def _signature(release: Release, key: Path | None) -> str:
    """Return who signed the file, and whether that was compared with a key that the reader trusts."""
    if release.signer is None:
        return "none: nobody vouches for this file; its hashes only show that it is whole"
    if key is None:
        return f"valid, by the key {release.signer}; give --key to compare it with the owner's"
    owner = key_owner(key)
    whose = f"of {owner}, as {key.name} says" if owner else f"in {key.name}, which names no owner"
    return f"valid, and checked against the key {whose}: {release.signer}"
