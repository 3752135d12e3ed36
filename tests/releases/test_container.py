import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import ReleaseError
from tacit.files import archive
from tacit.releases import signature
from tacit.releases.file import Release, read_release, write_release

Forge = Callable[[Mapping[str, bytes]], Path]


def changed(raw: bytes, **changes: Any) -> bytes:
    return json.dumps({**json.loads(raw), **changes}, sort_keys=True, separators=(",", ":")).encode()


def put_together(path: Path, members: Mapping[str, bytes]) -> Path:
    """Write an archive of exactly these members: hashes are as they come."""
    with path.open("wb") as file:
        archive.write_archive(file, {name: [content] for name, content in members.items()})
    return path


def test_the_forger_of_these_tests_can_write_an_honest_file(
    forge: Forge, members: dict[str, bytes], honest: bytes
) -> None:
    assert forge(members).read_bytes() == honest


def test_the_manifest_lists_hash_and_size_of_the_other_members(members: dict[str, bytes]) -> None:
    manifest = json.loads(members["manifest.json"])
    assert {name: manifest[name] for name in ("format", "version", "handout")} == {
        "format": "tacit",
        "version": 1,
        "handout": True,
    }
    assert manifest["members"] == {
        name: {"sha256": hashlib.sha256(members[name]).hexdigest(), "size": len(members[name])}
        for name in ("arrays.safetensors", "release.json")
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "format version 2; this tacit reads version 1. Upgrade tacit"),
        ({"version": 10**9}, "Upgrade tacit"),
        ({"version": 0}, "which there never was"),
        ({"version": -1}, "which there never was"),
        ({"version": 1.0}, "not a tacit file"),
        ({"version": True}, "not a tacit file"),
        ({"version": "1"}, "not a tacit file"),
        ({"format": "zip"}, "not a tacit file"),
        ({"format": None}, "not a tacit file"),
        ({"handout": 1}, "not a tacit file"),
        ({"handout": False}, "it is a model, but a release is wanted here"),
        ({"note": "hello"}, "says more than it should"),
    ],
    ids=range(12),
)
def test_a_manifest_of_another_kind_or_version_is_refused(
    forge: Forge, members: dict[str, bytes], changes: dict[str, Any], message: str
) -> None:
    forged = {**members, "manifest.json": changed(members["manifest.json"], **changes)}
    with pytest.raises(ReleaseError, match=message):
        read_release(forge(forged))


def test_a_newer_version_with_other_members_still_says_upgrade(forge: Forge, members: dict[str, bytes]) -> None:
    newer = {**members, "more.bin": b"x", "manifest.json": changed(members["manifest.json"], version=2)}
    with pytest.raises(ReleaseError, match="Upgrade tacit"):
        read_release(forge(newer))


@pytest.mark.parametrize("listed", [None, [], {}, "x", {"arrays.safetensors": None, "release.json": 3}])
def test_a_manifest_without_hashes_is_refused(tmp_path: Path, members: dict[str, bytes], listed: Any) -> None:
    forged = {**members, "manifest.json": changed(members["manifest.json"], members=listed)}
    with pytest.raises(ReleaseError, match=r"does not match the manifest"):
        read_release(put_together(tmp_path / "a", forged))


def test_a_manifest_with_spaces_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    forged = {**members, "manifest.json": members["manifest.json"] + b" "}
    with pytest.raises(ReleaseError, match="says more than it should"):
        read_release(put_together(tmp_path / "a", forged))


@pytest.mark.parametrize("name", ["arrays.safetensors", "release.json"])
def test_content_that_does_not_match_its_hash_is_refused_before_it_is_parsed(
    tmp_path: Path, members: dict[str, bytes], name: str
) -> None:
    with pytest.raises(ReleaseError, match=rf"{name} does not match the manifest: damaged or tampered with"):
        read_release(put_together(tmp_path / "a", {**members, name: b"["}))


@pytest.mark.parametrize("name", ["arrays.safetensors", "release.json", "manifest.json"])
def test_a_missing_member_is_named(tmp_path: Path, members: dict[str, bytes], name: str) -> None:
    rest = {each: content for each, content in members.items() if each != name}
    with pytest.raises(ReleaseError, match=f"(lacks|has no) {name}"):
        read_release(put_together(tmp_path / "a", rest))


@pytest.mark.parametrize("name", ["code.py", "model.json", "extra.safetensors"])
def test_a_member_too_many_is_named(tmp_path: Path, members: dict[str, bytes], name: str) -> None:
    with pytest.raises(ReleaseError, match=f"it holds {name}, which a release never does"):
        read_release(put_together(tmp_path / "a", {**members, name: b"x"}))


def test_members_that_changed_places_are_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    swapped = {
        **members,
        "release.json": members["arrays.safetensors"],
        "arrays.safetensors": members["release.json"],
    }
    with pytest.raises(ReleaseError, match="does not match the manifest"):
        read_release(put_together(tmp_path / "a", swapped))


@pytest.mark.parametrize(
    ("name", "size"), [("manifest.json", 2**16 + 1), ("signature.json", 2**16 + 1), ("release.json", 2**24 + 1)]
)
def test_a_member_of_text_that_is_too_large_is_refused_unread(
    tmp_path: Path, members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    path = put_together(tmp_path / "a", {**members, name: b" " * size})
    read_member = archive.read_member

    def watched(file: Any, member: archive.ArchiveMember) -> bytes:
        assert member.name != name
        return read_member(file, member)

    monkeypatch.setattr(archive, "read_member", watched)
    with pytest.raises(ReleaseError, match=f"{name} has {size} bytes"):
        read_release(path)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b"[" * 10**6, "nested deeper"),
        (b'{"kind":NaN}', "finite"),
        (b'{"kind":1,"kind":2}', "a name twice"),
        (b'{"kind":' + b"9" * 10**5 + b"}", "not valid JSON"),
        (b"{}", "it lacks arrays, card, kind, schema, settings, tacit"),
        (b"null", "must be a mapping"),
        (b"\x80\x04K\x01.", "not valid JSON"),
    ],
    ids=range(7),
)
def test_a_malformed_document_with_the_right_hash_is_refused(
    forge: Forge, members: dict[str, bytes], document: bytes, message: str
) -> None:
    with pytest.raises(ReleaseError, match=message):
        read_release(forge({**members, "release.json": document}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "../x"}, "kind must be an identifier"),
        ({"kind": None}, "kind must be an identifier"),
        ({"settings": []}, "settings must be a mapping"),
        ({"settings": {"a": 2**70}}, "64 bits"),
        ({"schema": 3}, "schema must be a mapping"),
        ({"card": None}, "the card must be a mapping"),
        ({"card": {}}, "the card cannot be read"),
        ({"card": {"title": "x"}}, "the card cannot be read"),
        ({"arrays": {}}, "types, shapes and total size"),
        ({"tacit": 3}, "the version of tacit that wrote it must be text"),
        ({"code": "import os"}, "something else"),
    ],
    ids=range(11),
)
def test_a_document_with_a_wrong_part_is_refused(
    forge: Forge, members: dict[str, bytes], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReleaseError, match=message):
        read_release(forge({**members, "release.json": changed(members["release.json"], **changes)}))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_array_that_is_not_finite_is_refused_although_its_hash_is_right(
    forge: Forge, members: dict[str, bytes], bad: float
) -> None:
    arrays = members["arrays.safetensors"]
    place = arrays.index(np.arange(6.0).tobytes()) + 8
    forged = arrays[:place] + np.float64(bad).tobytes() + arrays[place + 8 :]
    with pytest.raises(ReleaseError, match="array 'means' must hold finite numbers only"):
        read_release(forge({**members, "arrays.safetensors": forged}))


def test_max_bytes_refuses_a_larger_file(tmp_path: Path, honest: bytes) -> None:
    (tmp_path / "a").write_bytes(honest)
    read_release(tmp_path / "a", max_bytes=len(honest))
    with pytest.raises(ReleaseError, match=r"max_bytes"):
        read_release(tmp_path / "a", max_bytes=len(honest) - 1)


def test_equal_releases_give_equal_bytes(release: Release, tmp_path: Path, honest: bytes) -> None:
    reordered = Release(
        release.kind,
        dict(reversed(list(release.arrays.items()))),
        dict(reversed(list(release.settings.items()))),
        release.card,
        release.schema,
    )
    write_release(reordered, tmp_path / "a.tacit")
    assert (tmp_path / "a.tacit").read_bytes() == honest


def test_settings_too_large_to_be_read_again_are_not_written(release: Release, tmp_path: Path) -> None:
    large = Release(release.kind, {}, {"a": "x" * 2**24}, release.card)
    with pytest.raises(ReleaseError, match="Large settings belong in arrays"):
        write_release(large, tmp_path / "a.tacit")
    assert list(tmp_path.iterdir()) == []


def test_a_signed_file_says_who_signed_it(release: Release, tmp_path: Path) -> None:
    key = signature.generate_key()
    signature.save_key(key, tmp_path / "owner.key")
    signature.save_public_key(key.public_key(), tmp_path / "owner.pub")
    write_release(release, tmp_path / "a.tacit", signing_key=tmp_path / "owner.key")
    for trusted in (None, key.public_key(), tmp_path / "owner.pub"):
        read = read_release(tmp_path / "a.tacit", trusted_key=trusted)
        assert read.signer == signature.key_text(key.public_key())
        assert read == release


def test_signing_is_deterministic_and_changes_no_other_member(
    release: Release, members: dict[str, bytes], tmp_path: Path
) -> None:
    key = signature.generate_key()
    write_release(release, tmp_path / "a", signing_key=key)
    write_release(release, tmp_path / "b", signing_key=key)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    file = io.BytesIO((tmp_path / "a").read_bytes())
    signed = {name: archive.read_member(file, member) for name, member in archive.read_directory(file).items()}
    del signed["signature.json"]
    assert signed == members


def test_a_missing_or_other_signature_is_refused_when_a_key_is_trusted(release: Release, tmp_path: Path) -> None:
    trusted, other = signature.generate_key(), signature.generate_key()
    write_release(release, tmp_path / "unsigned")
    write_release(release, tmp_path / "other", signing_key=other)
    with pytest.raises(ReleaseError, match="unsigned: it is not signed"):
        read_release(tmp_path / "unsigned", trusted_key=trusted.public_key())
    with pytest.raises(ReleaseError, match="it is signed by"):
        read_release(tmp_path / "other", trusted_key=trusted.public_key())
    with pytest.raises(ReleaseError, match=r"^\S*missing\.pub cannot be read: there is no such file"):
        read_release(tmp_path / "other", trusted_key=tmp_path / "missing.pub")


def test_a_signature_that_does_not_match_is_refused_even_if_nobody_asked(
    release: Release, members: dict[str, bytes], tmp_path: Path
) -> None:
    moved = signature.sign(b"another manifest", signature.generate_key())
    with pytest.raises(ReleaseError, match="changed after it was signed"):
        read_release(put_together(tmp_path / "a", {**members, "signature.json": moved}))


def test_a_signing_key_that_cannot_be_read_writes_nothing(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"missing\.key cannot be read"):
        write_release(release, tmp_path / "a", signing_key=tmp_path / "missing.key")
    assert list(tmp_path.iterdir()) == []
