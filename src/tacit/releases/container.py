"""The container of releases and models: arrays and a JSON document in an archive with a manifest of hashes.

::

    manifest.json         format, version, whether it may be handed out, SHA-256 and size of the next two
    release.json          kind, settings, schema, card, types and shapes of the arrays, tacit's version
                          (model.json in a model, with the cards of the releases adopted)
    arrays.safetensors    the arrays
    signature.json        optional: Ed25519 public key and signature of the bytes of manifest.json
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, BinaryIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from numpy.typing import NDArray

from tacit import checks, version
from tacit.arrays import Arrays
from tacit.errors import ReleaseError
from tacit.files import archive, atomic, strict_json, tensors
from tacit.files.regular import FilePath, open_regular
from tacit.files.strict_json import Json
from tacit.records import record
from tacit.releases import signature

FORMAT = "tacit"
VERSION = 1
LARGEST_FILE = archive.LARGEST_ARCHIVE

_MANIFEST, _ARRAYS, _SIGNATURE = "manifest.json", "arrays.safetensors", "signature.json"
_LARGEST_SMALL_MEMBER = 64 * 1024


@dataclass(frozen=True)
class FileForm:
    """The form of a tacit file: release or model.

    ``own`` is the name in the document that only this form has, and ``advice`` the way out in the message to a reader
    that expected another form.
    """

    name: str
    handout: bool
    own: str
    advice: str

    @property
    def document(self) -> str:
        """The member that holds the document."""
        return f"{self.name}.json"

    @property
    def names(self) -> frozenset[str]:
        """The names in the document."""
        return frozenset({"arrays", "kind", "schema", "settings", "tacit", self.own})


RELEASE = FileForm("release", handout=True, own="card", advice="read_release and `tacit adopt` take it")
MODEL = FileForm(
    "model", handout=False, own="cards", advice="read_model and `tacit predict` take it; it is not to be handed out"
)


@record
class Contents:
    """The fields that every form has, checked on creation; arrays are read-only views, settings a plain copy."""

    kind: str
    arrays: Mapping[str, NDArray[Any]]
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", tensors.identifier("kind", self.kind))
        object.__setattr__(self, "arrays", tensors.checked_arrays(self.arrays))
        object.__setattr__(self, "settings", strict_json.plain_object(self.settings, "settings"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contents) or type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self) if field.compare and field.name != "arrays"]
        same = all(getattr(self, name) == getattr(other, name) for name in names)
        return same and tensors.equal(self.arrays, other.arrays)

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash


@dataclass(frozen=True)
class FileContent:
    """The checked content of a file, with the public key of its signature and what is signed, in hexadecimal digits.

    ``digest`` is the SHA-256 of the manifest, which holds those of everything else.
    """

    document: dict[str, Json]
    arrays: Arrays
    signer: str | None
    digest: str


def write_container(
    path: FilePath,
    form: FileForm,
    document: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    signing_key: signature.SigningKey | None = None,
    mode: int | None = None,
) -> None:
    """Write ``document`` and ``arrays`` to ``path``, whole or not at all; equal content gives equal bytes."""
    stored = tensors.checked_arrays(arrays)
    complete = {**document, "arrays": tensors.describe(stored), "tacit": version.VERSION}
    complete = strict_json.plain_object(complete, form.document)
    contents: dict[str, archive.Pieces] = {
        form.document: [strict_json.within_limits(strict_json.dump(complete), form.document)],
        _ARRAYS: tensors.encode(stored),
    }
    manifest = _manifest(form, {name: _digest(pieces) for name, pieces in contents.items()})
    contents[_MANIFEST] = [manifest]
    if signing_key is not None:
        contents[_SIGNATURE] = [signature.sign(manifest, signing_key)]
    with atomic.replacing(path, mode=mode) as file:
        archive.write_archive(file, contents)


@contextmanager
def reading(
    path: FilePath, form: FileForm, *, trusted_key: signature.TrustedKey | None = None, max_bytes: int = LARGEST_FILE
) -> Iterator[FileContent]:
    """Yield the content of the file at ``path``; ReleaseErrors of the block get the path in front."""
    largest = checks.whole("max_bytes", max_bytes)
    trusted = None if trusted_key is None else signature.public_key(trusted_key)
    with open_regular(path) as file:
        yield _read(file, form, trusted, largest)


def _read(file: BinaryIO, form: FileForm, trusted: Ed25519PublicKey | None, largest: int) -> FileContent:
    # Cheap checks come first, and the hash of each content before it is parsed.
    members = archive.read_directory(file, largest=largest)
    if _MANIFEST not in members:
        raise ReleaseError(f"it is a zip, but not a tacit file: it has no {_MANIFEST}.")
    manifest = _read_text(file, members[_MANIFEST], largest=_LARGEST_SMALL_MEMBER)
    manifest_members = _check_manifest(manifest, form)
    _check_members(members, form)
    signer = _signer(file, members, manifest, trusted)
    contents = {
        form.document: _read_text(file, members[form.document], largest=strict_json.LARGEST),
        _ARRAYS: archive.read_member(file, members[_ARRAYS]),
    }
    _check_hashes(manifest, manifest_members, form, contents)
    document = strict_json.load(contents[form.document], form.document)
    strict_json.exact_names(document, form.names, form.document)
    if not isinstance(document["tacit"], str):
        raise ReleaseError("the version of tacit that wrote it must be text.")
    arrays = tensors.decode(contents[_ARRAYS], document["arrays"])
    return FileContent(document, arrays, signer, hashlib.sha256(manifest).hexdigest())


def _digest(pieces: archive.Pieces) -> Json:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return {"sha256": digest.hexdigest(), "size": sum(len(piece) for piece in pieces)}


def _manifest(form: FileForm, digests: dict[str, Json]) -> bytes:
    return strict_json.dump({"format": FORMAT, "version": VERSION, "handout": form.handout, "members": digests})


def _read_text(file: BinaryIO, member: archive.ArchiveMember, *, largest: int) -> bytes:
    """Return a member that holds text; raise ReleaseError before reading it if it is too large."""
    if member.size > largest:
        raise ReleaseError(f"{member.name} has {member.size} bytes; at most {largest} are allowed.")
    return archive.read_member(file, member)


def _check_manifest(raw: bytes, form: FileForm) -> Json:
    """Return the manifest's list of members; raise ReleaseError for another format, version or form."""
    content = strict_json.load(raw, _MANIFEST)
    version, handout = content.get("version"), content.get("handout")
    if content.get("format") != FORMAT or type(version) is not int or not isinstance(handout, bool):
        raise ReleaseError("it is not a tacit file: its manifest does not say so.")
    if version > VERSION:
        raise ReleaseError(f"it has format version {version}; this tacit reads version {VERSION}. Upgrade tacit.")
    if version != VERSION:
        raise ReleaseError(f"it has format version {version}, which there never was.")
    if handout != form.handout:
        other = MODEL if form is RELEASE else RELEASE
        raise ReleaseError(f"it is a {other.name}, but a {form.name} is wanted here ({other.advice}).")
    return content.get("members")


def _check_members(members: Mapping[str, archive.ArchiveMember], form: FileForm) -> None:
    required = {_MANIFEST, form.document, _ARRAYS}
    if missing := sorted(required - members.keys()):
        raise ReleaseError(f"it lacks {' and '.join(missing)}.")
    if extra := sorted(members.keys() - required - {_SIGNATURE}):
        raise ReleaseError(f"it holds {' and '.join(extra)}, which a {form.name} never does.")


def _signer(
    file: BinaryIO, members: Mapping[str, archive.ArchiveMember], manifest: bytes, trusted: Ed25519PublicKey | None
) -> str | None:
    signer = None
    if _SIGNATURE in members:
        signer = signature.verify(manifest, _read_text(file, members[_SIGNATURE], largest=_LARGEST_SMALL_MEMBER))
    if trusted is not None:
        signature.require_signer(signer, trusted)
    return None if signer is None else signature.key_text(signer)


def _check_hashes(manifest: bytes, manifest_members: Json, form: FileForm, contents: Mapping[str, bytes]) -> None:
    digests = {name: _digest([content]) for name, content in contents.items()}
    manifest_digests = manifest_members if isinstance(manifest_members, dict) else {}
    if wrong := [name for name in digests if manifest_digests.get(name) != digests[name]]:
        raise ReleaseError(f"{' and '.join(wrong)} does not match the manifest: damaged or tampered with.")
    if manifest != _manifest(form, digests):
        raise ReleaseError(f"{_MANIFEST} says more than it should: tampered with, or not written by tacit.")
