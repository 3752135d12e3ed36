import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed448

from tacit.errors import ReleaseError
from tacit.releases import signature


def test_a_private_key_survives_its_file_which_its_owner_alone_can_read(tmp_path: Path) -> None:
    key = signature.generate_key()
    signature.save_key(key, tmp_path / "owner.key")
    assert signature.load_key(tmp_path / "owner.key").private_bytes_raw() == key.private_bytes_raw()
    assert stat.S_IMODE((tmp_path / "owner.key").stat().st_mode) == 0o600


def test_a_passphrase_is_needed_right_and_not_empty(tmp_path: Path) -> None:
    key = signature.generate_key()
    signature.save_key(key, tmp_path / "locked.key", passphrase="pässword")
    signature.save_key(key, tmp_path / "open.key")
    opened = signature.load_key(tmp_path / "locked.key", passphrase="pässword")
    assert opened.private_bytes_raw() == key.private_bytes_raw()
    with pytest.raises(ReleaseError, match=r"locked\.key: this private key needs a passphrase"):
        signature.load_key(tmp_path / "locked.key")
    with pytest.raises(ReleaseError, match="the passphrase is wrong"):
        signature.load_key(tmp_path / "locked.key", passphrase="password")
    with pytest.raises(ReleaseError, match="has no passphrase, but one was given"):
        signature.load_key(tmp_path / "open.key", passphrase="password")
    with pytest.raises(ReleaseError, match="passphrase must not be empty"):
        signature.save_key(key, tmp_path / "empty.key", passphrase="")
    assert not (tmp_path / "empty.key").exists()


def test_a_private_key_is_never_overwritten(tmp_path: Path) -> None:
    signature.save_key(signature.generate_key(), tmp_path / "owner.key")
    before = (tmp_path / "owner.key").read_bytes()
    with pytest.raises(ReleaseError, match="exists already"):
        signature.save_key(signature.generate_key(), tmp_path / "owner.key")
    assert (tmp_path / "owner.key").read_bytes() == before


def test_a_public_key_survives_its_file(tmp_path: Path) -> None:
    public = signature.generate_key().public_key()
    signature.save_public_key(public, tmp_path / "owner.pub")
    assert signature.key_text(signature.public_key(tmp_path / "owner.pub")) == signature.key_text(public)
    assert signature.public_key(public) is public


def test_files_that_hold_no_such_key_are_refused(tmp_path: Path) -> None:
    signature.save_key(signature.generate_key(), tmp_path / "owner.key")
    signature.save_public_key(signature.generate_key().public_key(), tmp_path / "owner.pub")
    (tmp_path / "large").write_bytes(bytes(20_000))
    other = ed448.Ed448PrivateKey.generate()
    pem = serialization.Encoding.PEM
    (tmp_path / "other.key").write_bytes(
        other.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (tmp_path / "other.pub").write_bytes(
        other.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    with pytest.raises(ReleaseError, match="not a private key in PEM form"):
        signature.load_key(tmp_path / "owner.pub")
    with pytest.raises(ReleaseError, match="not a public key in PEM form"):
        signature.load_public_key(tmp_path / "owner.key")
    with pytest.raises(ReleaseError, match="one of another kind"):
        signature.load_key(tmp_path / "other.key")
    with pytest.raises(ReleaseError, match="one of another kind"):
        signature.load_public_key(tmp_path / "other.pub")
    with pytest.raises(ReleaseError, match="longer than"):
        signature.load_public_key(tmp_path / "large")
    with pytest.raises(ReleaseError, match="there is no such file"):
        signature.load_key(tmp_path / "missing")


def test_a_signature_names_its_key_and_is_repeatable() -> None:
    key = signature.generate_key()
    raw = signature.sign(b"message", key)
    assert raw == signature.sign(b"message", key)
    assert signature.key_text(signature.verify(b"message", raw)) == signature.key_text(key.public_key())


def test_a_key_file_signs_as_the_key_does(tmp_path: Path) -> None:
    key = signature.generate_key()
    signature.save_key(key, tmp_path / "owner.key")
    assert signature.sign(b"message", tmp_path / "owner.key") == signature.sign(b"message", key)


def test_another_message_or_key_does_not_match() -> None:
    raw = signature.sign(b"message", signature.generate_key())
    other = json.loads(signature.sign(b"message", signature.generate_key()))
    with pytest.raises(ReleaseError, match="changed after it was signed"):
        signature.verify(b"another", raw)
    mixed = {**json.loads(raw), "public_key": other["public_key"]}
    with pytest.raises(ReleaseError, match="changed after it was signed"):
        signature.verify(b"message", json.dumps(mixed).encode())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "rsa"}, "Upgrade tacit"),
        ({"public_key": "xyz"}, "does not hold a public key"),
        ({"public_key": "ab"}, "does not hold a public key"),
        ({"public_key": None}, "does not hold a public key"),
        ({"public_key": "é" * 64}, "does not hold a public key"),
        ({"signature": ""}, "changed after it was signed"),
        ({"signature": "00" * 64}, "changed after it was signed"),
        ({"signature": "00" * 5000}, "changed after it was signed"),
        ({"signature": [1]}, "does not hold a public key and a signature"),
        ({"comment": "x"}, "something else"),
    ],
    ids=range(10),
)
def test_a_malformed_signature_is_refused(change: dict[str, Any], message: str) -> None:
    content = {**json.loads(signature.sign(b"message", signature.generate_key())), **change}
    with pytest.raises(ReleaseError, match=message):
        signature.verify(b"message", json.dumps(content).encode())


def test_the_trusted_key_is_required() -> None:
    trusted, other = signature.generate_key().public_key(), signature.generate_key().public_key()
    signature.require_signer(trusted, trusted)
    with pytest.raises(ReleaseError, match="it is not signed"):
        signature.require_signer(None, trusted)
    with pytest.raises(ReleaseError, match=f"signed by {signature.key_text(other)}, not by"):
        signature.require_signer(other, trusted)
