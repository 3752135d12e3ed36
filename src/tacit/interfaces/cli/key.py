"""``tacit key``: make and read the keys that sign releases."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError, ReleaseError
from tacit.releases.signature import (
    generate_key,
    key_owner,
    key_text,
    load_key,
    load_public_key,
    save_key,
    save_public_key,
)

PRIVATE, PUBLIC = ".key", ".pub"


def new(
    name: Annotated[
        Path,
        typer.Argument(metavar="NAME", help="Writes NAME.key and NAME.pub; neither may be there.", show_default=False),
    ],
    owner: Annotated[str, typer.Option(help="Whose key it is; stands in the public file.", show_default=False)] = "",
) -> None:
    """Make a key pair: the private key signs releases, the public key goes to receivers.

    NAME.key can be read by you alone: keep it, and a copy of it, where nobody else reads. Give NAME.pub to receivers on
    a way that they trust, and tell them its digits by another.

    [bold]Example:[/] tacit key new clinic-a --owner "Clinic A"
    then: tacit release ... --sign clinic-a.key, and receivers: tacit card clinic-a.tacit --key clinic-a.pub
    """
    private, public = (name.with_name(name.name + ending) for ending in (PRIVATE, PUBLIC))
    if public.exists():
        raise InputError(f"{public} exists already: receivers may hold it. Choose another name.")
    key = generate_key()
    save_key(key, private)
    save_public_key(key.public_key(), public, owner=owner)
    typer.echo(f"made {private} (private: keep it to yourself) and {public} (for receivers).")
    typer.echo(f"public key {key_text(key.public_key())}")


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A private or public key (PEM).", show_default=False)],
) -> None:
    """Show whose key a file holds and its digits, to compare over the telephone.

    [bold]Example:[/] tacit key show clinic-a.pub
    """
    try:
        public, kind = load_public_key(file), "public"
    except ReleaseError:
        public, kind = load_key(file).public_key(), "private"
    owner = key_owner(file)
    typer.echo(f"{kind} key{f' of {owner}, as the file says' if owner else ''}: {key_text(public)}")
