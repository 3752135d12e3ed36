"""``tacit sign``: sign a release after its card was read."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.interfaces.cli.parameters import argument, option
from tacit.interfaces.cli.signing import VARIABLE, key_file
from tacit.workflows.sign import sign as sign_release


def sign(
    file: Annotated[Path, argument("FILE", "A release (*.tacit) or a fabricated table.")],
    key: Annotated[
        Path,
        option(
            f"An Ed25519 private key (PEM); a passphrase is asked for, or taken from {VARIABLE}.",
            "--key",
            metavar="KEY",
        ),
    ],
) -> None:
    """Sign a release that was made before, after reading its card.

    Only the signature is added; the digest stays the same. A release that another key has signed is refused.

    [bold]Example:[/] tacit sign clinic-a.tacit --key clinic-a.key
    """
    release = sign_release(file, key_file(key) or key)
    typer.echo(f"signed {file} by the key {release.signer}; digest {release.digest}.")
