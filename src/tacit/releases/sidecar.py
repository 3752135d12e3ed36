"""The release beside a fabricated table, ``rows.csv.tacit`` beside ``rows.csv``, tied to it by a digest."""

import hashlib
from pathlib import Path

from tacit.errors import InputError, ReleaseError
from tacit.releases.file import Release, read_release
from tacit.releases.signature import TrustedKey

SUFFIX = ".tacit"
TABLES = (".csv", ".parquet")


def is_table(path: Path) -> bool:
    """Return whether ``path`` has the name of a fabricated table, rather than of a release."""
    return path.name.lower().endswith(TABLES)


def release_path(table: Path) -> Path:
    """Return the path of the release of the table at ``table``."""
    return table.with_name(table.name + SUFFIX)


def table_path(path: Path) -> Path:
    """Return the table of ``path``, which is the table itself or the release beside it."""
    return path if is_table(path) else path.with_name(path.name.removesuffix(SUFFIX))


def open_release(path: Path, *, trusted_key: TrustedKey | None = None) -> Release:
    """Return the release in the file at ``path``, or the one beside the fabricated table at ``path``."""
    if not is_table(path):
        return read_release(path, trusted_key=trusted_key)
    sidecar = release_path(path)
    if path.is_file() and not sidecar.is_file():
        raise InputError(
            f"{path.name}: there is no {sidecar.name} beside it. Only a fabricated table has a card, in that release."
        )
    release = read_release(sidecar, trusted_key=trusted_key)
    if not path.is_file():
        raise InputError(f"{path}: no such file, though its release is there. Check the path.")
    if release.settings.get("table_sha256") != digest(path):
        raise ReleaseError(f"{path.name}: not the table that {sidecar.name} belongs to: one of them was changed.")
    return release


def digest(path: Path) -> str:
    """Return the SHA-256 of the file at ``path``, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
