"""Ed25519 keys in files, and signatures of releases."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tacit.errors import ReleaseError
from tacit.files import atomic, strict_json
from tacit.files.plain_text import one_line
from tacit.files.regular import FilePath, read_small

SigningKey = Ed25519PrivateKey | FilePath
TrustedKey = Ed25519PublicKey | FilePath

_ALGORITHM = "ed25519"
_OWNER = "Owner: "
_LARGEST_KEY_FILE = 16 * 1024
_LOCKED = b"-----BEGIN ENCRYPTED PRIVATE KEY-----"


@dataclass(frozen=True)
class LockedKey(os.PathLike[str]):
    """The file of a private key, with the passphrase that opens it; stands wherever the path of a key does."""

    path: FilePath
    passphrase: str = field(repr=False)

    def __fspath__(self) -> str:
        return os.fspath(self.path)


def generate_key() -> Ed25519PrivateKey:
    """Return a new private key from the operating system's entropy."""
    return Ed25519PrivateKey.generate()


def save_key(key: Ed25519PrivateKey, path: FilePath, *, passphrase: str | None = None) -> None:
    """Write a private key (PEM, PKCS 8), readable by its owner alone; an existing file is never replaced."""
    if Path(path).exists():
        raise ReleaseError(f"{path} exists already. A lost private key cannot be made again: choose another path.")
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase is not None:
        encryption = serialization.BestAvailableEncryption(_passphrase_bytes(passphrase))
    content = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    atomic.write_bytes(path, content, mode=atomic.OWNER_ONLY)


def save_public_key(key: Ed25519PublicKey, path: FilePath, *, owner: str = "") -> None:
    """Write a public key (PEM) to give to receivers; ``owner`` stands on a line above it, as whose key it is."""
    content = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    line = f"{_OWNER}{one_line('owner', owner)}\n" if owner else ""
    atomic.write_bytes(path, line.encode() + content)


def key_owner(path: FilePath) -> str:
    """Return whose key the PEM file at ``path`` says it is; empty if it says nothing. Nothing vouches for it."""
    first = read_small(path, largest=_LARGEST_KEY_FILE).partition(b"\n")[0].decode(errors="replace").strip()
    name = first.removeprefix(_OWNER).strip()
    return name if first.startswith(_OWNER) and name.isprintable() else ""


def is_locked(path: FilePath) -> bool:
    """Return whether the private key at ``path`` needs a passphrase."""
    return read_small(path, largest=_LARGEST_KEY_FILE).lstrip().startswith(_LOCKED)


def private_key(source: SigningKey) -> Ed25519PrivateKey:
    """Return the private key given as such, as the path of its file, or as a `LockedKey`."""
    if isinstance(source, Ed25519PrivateKey):
        return source
    return load_key(source, passphrase=source.passphrase if isinstance(source, LockedKey) else None)


def load_key(path: FilePath, *, passphrase: str | None = None) -> Ed25519PrivateKey:
    """Return the private key in a PEM file."""
    content = read_small(path, largest=_LARGEST_KEY_FILE)
    try:
        secret = None if passphrase is None else _passphrase_bytes(passphrase)
        key = serialization.load_pem_private_key(content, password=secret)
    except TypeError as problem:
        mismatch = "needs a passphrase" if passphrase is None else "has no passphrase, but one was given"
        raise ReleaseError(f"{path}: this private key {mismatch}.") from problem
    except (ValueError, UnsupportedAlgorithm) as problem:
        raise ReleaseError(f"{path}: not a private key in PEM form, or the passphrase is wrong.") from problem
    if not isinstance(key, Ed25519PrivateKey):
        raise ReleaseError(f"{path}: not an Ed25519 private key but one of another kind.")
    return key


def load_public_key(path: FilePath) -> Ed25519PublicKey:
    """Return the public key in a PEM file."""
    try:
        key = serialization.load_pem_public_key(read_small(path, largest=_LARGEST_KEY_FILE))
    except (ValueError, UnsupportedAlgorithm) as problem:
        raise ReleaseError(f"{path}: not a public key in PEM form.") from problem
    if isinstance(key, Ed25519PublicKey):
        return key
    raise ReleaseError(f"{path}: not an Ed25519 public key but one of another kind.")


def key_text(key: Ed25519PublicKey) -> str:
    """Return the 32 bytes of a public key as 64 hexadecimal digits, to compare over the telephone."""
    return key.public_bytes_raw().hex()


def public_key(source: TrustedKey) -> Ed25519PublicKey:
    """Return the public key given as such or as the path of its file."""
    return source if isinstance(source, Ed25519PublicKey) else load_public_key(source)


def sign(message: bytes, key: SigningKey) -> bytes:
    """Return the content of ``signature.json`` for ``message``."""
    private = private_key(key)
    content: dict[str, strict_json.Json] = {
        "algorithm": _ALGORITHM,
        "public_key": key_text(private.public_key()),
        "signature": private.sign(message).hex(),
    }
    return strict_json.dump(content)


def verify(message: bytes, raw: bytes) -> Ed25519PublicKey:
    """Return the key that signed ``message`` according to ``raw``, the content of ``signature.json``."""
    content = strict_json.load(raw, "signature.json")
    strict_json.exact_names(content, ("algorithm", "public_key", "signature"), "signature.json")
    if content["algorithm"] != _ALGORITHM:
        raise ReleaseError(f"signature.json must use {_ALGORITHM}; it uses something else. Upgrade tacit.")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(str(content["public_key"])))
        signature = bytes.fromhex(str(content["signature"]))
        key.verify(signature, message)
    except (ValueError, UnsupportedAlgorithm) as problem:
        raise ReleaseError("signature.json does not hold a public key and a signature.") from problem
    except InvalidSignature:
        raise ReleaseError("the signature does not match: the file was changed after it was signed.") from None
    return key


def require_signer(signer: Ed25519PublicKey | None, trusted: Ed25519PublicKey) -> None:
    """Raise ReleaseError for a missing signature, and for one by another key than ``trusted``."""
    trusted_text = key_text(trusted)
    if signer is None:
        raise ReleaseError(f"it is not signed, but a signature by {trusted_text} is required (trusted_key).")
    if key_text(signer) != trusted_text:
        raise ReleaseError(f"it is signed by {key_text(signer)}, not by {trusted_text} (trusted_key).")


def _passphrase_bytes(passphrase: str) -> bytes:
    if not passphrase:
        raise ReleaseError("passphrase must not be empty; give None for a key without one.")
    return passphrase.encode("utf-8")
