"""Private keys on the command line: the option that signs, and where a passphrase comes from."""

import os
from pathlib import Path
from typing import Annotated

import typer

from tacit.errors import InputError
from tacit.releases.signature import LockedKey, is_locked

VARIABLE = "TACIT_KEY_PASSPHRASE"
Sign = Annotated[
    Path | None,
    typer.Option(
        metavar="KEY",
        help=f"Sign the file with this Ed25519 private key (PEM); a passphrase is asked for, or taken from {VARIABLE}.",
    ),
]


def key_file(path: Path | None) -> LockedKey | Path | None:
    """Return the private key's file at ``path``, with its passphrase if it has one."""
    if path is None or not is_locked(path):
        return path
    return LockedKey(path, passphrase(f"Passphrase of {path.name}"))


def passphrase(prompt: str, *, new: bool = False) -> str:
    """Return what the environment says, or else what is typed; a ``new`` passphrase is typed twice."""
    stated = os.environ.get(VARIABLE)
    if stated:
        return stated
    try:
        typed: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=new, err=True)
    except typer.Abort as nobody:
        raise InputError(f"the key needs a passphrase and nobody typed one. Set {VARIABLE}.") from nobody
    return typed
