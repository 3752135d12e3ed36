"""Sign a release that was made before: after its card was read, by whoever answers for it."""

from pathlib import Path

from tacit.errors import ReleaseError
from tacit.files.regular import FilePath
from tacit.releases.file import Release, read_release, write_release
from tacit.releases.sidecar import is_table, open_release, release_path
from tacit.releases.signature import SigningKey, key_text, private_key


def sign(file: FilePath, signing_key: SigningKey) -> Release:
    """Sign the release at ``file``, or the one beside the fabricated table at ``file``, and return it.

    Nothing but the signature is added: the digest stays. A release that another key has signed is refused, so that
    nobody's signature is lost.

    Parameters
    ----------
    file : path
        A release that is not signed yet.
    signing_key : Ed25519 private key, path or LockedKey
    """
    key, place = private_key(signing_key), Path(file)
    release = open_release(place)
    own = key_text(key.public_key())
    if release.signer is not None and release.signer != own:
        raise ReleaseError(f"{place.name} is signed already, by the key {release.signer}. It stays as it is.")
    path = release_path(place) if is_table(place) else place
    if release.signer is None:
        write_release(release, path, signing_key=key)
    return read_release(path, trusted_key=key.public_key())
