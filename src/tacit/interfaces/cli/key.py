"""``tacit key``: make and read the keys that sign releases."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.parameters import argument, option
from tacit.interfaces.cli.signing import key_file, passphrase
from tacit.releases.signature import (
    generate_key,
    key_owner,
    key_text,
    load_public_key,
    private_key,
    save_key,
    save_public_key,
)

PRIVATE, PUBLIC = ".key", ".pub"


def new(
    name: Annotated[Path, argument("NAME", "Writes NAME.key and NAME.pub; neither may exist yet.")],
    owner: Annotated[str, option("Whose key it is; written into the public file.")] = "",
    locked: Annotated[
        bool,
        typer.Option(
            "--passphrase",
            help="Lock the private key with a passphrase: asked for twice, or taken from TACIT_KEY_PASSPHRASE.",
        ),
    ] = False,
) -> None:
    """Make a key pair: the private key signs releases, the public key goes to receivers.

    NAME.key is readable by you alone: keep it, and a backup, where nobody else can read. Give NAME.pub to receivers in
    a way that they trust, and let them compare its digits by another, such as the telephone.

    [bold]Example:[/] tacit key new clinic-a --owner "Clinic A" --passphrase
    then: tacit release ... --sign clinic-a.key, and receivers: tacit card clinic-a.tacit --key clinic-a.pub
    """
    private, public = (name.with_name(name.name + ending) for ending in (PRIVATE, PUBLIC))
    if public.exists():
        raise InputError(f"{public} exists already: receivers may hold it. Choose another name.")
    key, words = generate_key(), passphrase(f"New passphrase of {private.name}", new=True) if locked else None
    save_key(key, private, passphrase=words)
    save_public_key(key.public_key(), public, owner=owner)
    opens = "opened by its passphrase" if locked else "without a passphrase"
    typer.echo(f"made {private} (private, {opens}: keep it to yourself) and {public} (for receivers).")
    typer.echo(f"public key {key_text(key.public_key())}")


def show(
    file: Annotated[Path, argument("FILE", "A private or public key (PEM).")],
) -> None:
    """Show whose key a file holds and its digits, to compare over the telephone.

    [bold]Example:[/] tacit key show clinic-a.pub
    """
    try:
        public, kind = load_public_key(file), "public"
    except ReleaseError:
        public, kind = private_key(key_file(file) or file).public_key(), "private"
    owner = key_owner(file)
    typer.echo(f"{kind} key{f' of {owner}, as the file says' if owner else ''}: {key_text(public)}")
