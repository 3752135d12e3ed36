"""Keys on the command line: made once, read alike, and named when a signature is checked."""

import stat
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tacit.errors import InputError, ReleaseError
from tacit.interfaces.cli.main import app
from tacit.releases.signature import (
    LockedKey,
    generate_key,
    is_locked,
    key_owner,
    load_key,
    load_public_key,
    private_key,
    save_key,
    save_public_key,
)

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
[card]
owner = "Clinic A"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{7 * i % 90},{('no', 'yes')[i % 2]}" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["age,ill", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "a.toml").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def text_of(result: Result) -> str:
    return " ".join(result.stdout.split())


def test_a_new_pair_is_readable_by_its_owner_alone_and_names_whose_it_is(folder: Path) -> None:
    made = run("key", "new", "clinic", "--owner", "Clinic A")
    private = load_key(folder / "clinic.key")
    assert stat.S_IMODE((folder / "clinic.key").stat().st_mode) == 0o600
    digits = private.public_key().public_bytes_raw().hex()
    assert load_public_key(folder / "clinic.pub").public_bytes_raw().hex() == digits
    assert digits in made.stdout
    assert run("key", "show", "clinic.pub").stdout == f"public key of Clinic A, as the file says: {digits}\n"
    assert run("key", "show", "clinic.key").stdout == f"private key: {digits}\n"


@pytest.mark.parametrize("ending", [".key", ".pub"])
def test_no_key_is_ever_replaced(folder: Path, ending: str) -> None:
    (folder / f"clinic{ending}").write_text("mine", encoding="utf-8")
    with pytest.raises((InputError, ReleaseError), match="exists already"):
        run("key", "new", "clinic")
    assert (folder / f"clinic{ending}").read_text(encoding="utf-8") == "mine"
    assert len(list(folder.glob("clinic*"))) == 1


@pytest.mark.usefixtures("folder")
def test_a_card_says_whose_signature_it_checked() -> None:
    run("key", "new", "clinic", "--owner", "Clinic A")
    run("key", "new", "other")
    release = ("release", "a.csv", "-s", "a.toml", "--epsilon", "1", "--purpose", "triage")
    assert run(*release, "--sign", "clinic.key", "-o", "a.tacit").exit_code == 0
    checked = text_of(run("card", "a.tacit", "--key", "clinic.pub"))
    assert "Owner Clinic A" in checked
    assert "Purpose triage" in checked
    assert "Signature valid, and checked against the key of Clinic A, as clinic.pub says:" in checked
    assert "give --key to compare it with the owner's" in text_of(run("card", "a.tacit"))
    with pytest.raises(ReleaseError, match="not by"):
        run("card", "a.tacit", "--key", "other.pub")
    run(*release, "--sign", "other.key", "-o", "b.tacit")
    assert "in other.pub, which names no owner" in text_of(run("card", "b.tacit", "--key", "other.pub"))
    run(*release, "--no-audit", "-o", "c.tacit")
    unsigned = text_of(run("card", "c.tacit"))
    assert "Signature none: nobody vouches for this file" in unsigned
    assert "Audit none on this card" in unsigned


def test_the_signed_digest_stands_on_card_and_page(folder: Path) -> None:
    run("key", "new", "clinic")
    run("release", "a.csv", "-s", "a.toml", "--epsilon", "1", "--sign", "clinic.key", "-o", "a.tacit")
    digest = text_of(run("card", "a.tacit")).partition("Digest ")[2].split()[0]
    assert len(digest) == 64
    run("report", "a.tacit", "-o", "a.html")
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert digest in page
    assert load_key(folder / "clinic.key").public_key().public_bytes_raw().hex() in page
    assert "Data-protection officer" in page


@pytest.mark.parametrize("line", ["", "Owner: \n", "Somebody\n", "Owner: a\x1b[31m\n"])
def test_a_key_file_without_a_readable_owner_names_nobody(tmp_path: Path, line: str) -> None:
    save_public_key(generate_key().public_key(), tmp_path / "k.pub")
    content = (tmp_path / "k.pub").read_text(encoding="utf-8")
    (tmp_path / "k.pub").write_text(line + content, encoding="utf-8")
    assert key_owner(tmp_path / "k.pub") == ""
    load_public_key(tmp_path / "k.pub")


def test_an_owner_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="owner must be one line"):
        save_public_key(generate_key().public_key(), tmp_path / "k.pub", owner="a\nb")
    assert not (tmp_path / "k.pub").exists()


@pytest.mark.usefixtures("folder")
def test_a_locked_key_signs_with_the_passphrase_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_KEY_PASSPHRASE", "correct horse")
    assert "opened by its passphrase" in run("key", "new", "clinic", "--passphrase").stdout
    assert is_locked("clinic.key")
    digits = load_key("clinic.key", passphrase="correct horse").public_key().public_bytes_raw().hex()
    assert run("key", "show", "clinic.key").stdout == f"private key: {digits}\n"
    release = ("release", "a.csv", "-s", "a.toml", "--epsilon", "1", "--no-audit", "--sign", "clinic.key")
    assert run(*release, "-o", "a.tacit").exit_code == 0
    assert "valid, and checked" in text_of(run("card", "a.tacit", "--key", "clinic.pub"))
    monkeypatch.setenv("TACIT_KEY_PASSPHRASE", "wrong")
    with pytest.raises(ReleaseError, match="the passphrase is wrong"):
        run(*release, "-o", "b.tacit")
    assert not Path("b.tacit").exists()


@pytest.mark.usefixtures("folder")
def test_a_passphrase_is_typed_twice_for_a_new_key_and_once_to_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACIT_KEY_PASSPHRASE", raising=False)

    def typing(words: str, *arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments), input=words)

    assert typing("secret\nsecret\n", "key", "new", "clinic", "--passphrase").exit_code == 0
    release = ("release", "a.csv", "-s", "a.toml", "--epsilon", "1", "--no-audit", "--sign", "clinic.key")
    signed = typing("secret\n", *release, "-o", "a.tacit")
    assert signed.exit_code == 0, signed.exception
    assert "secret" not in signed.output
    nobody = typing("", *release, "-o", "b.tacit")
    assert isinstance(nobody.exception, InputError)
    assert "Set TACIT_KEY_PASSPHRASE" in str(nobody.exception)
    # What is planned only needs no key, and the key's own file is never the output.
    assert typing("", *release, "--dry-run").exit_code == 0
    over = typing("secret\n", *release, "-o", "clinic.key", "--force")
    assert isinstance(over.exception, InputError)
    assert is_locked("clinic.key")


def test_a_passphrase_never_stands_in_what_a_locked_key_prints(tmp_path: Path) -> None:
    save_key(generate_key(), tmp_path / "k.key", passphrase="hidden")
    locked = LockedKey(tmp_path / "k.key", "hidden")
    assert "hidden" not in repr(locked)
    assert (
        private_key(locked).private_bytes_raw() == load_key(tmp_path / "k.key", passphrase="hidden").private_bytes_raw()
    )
    assert not is_locked(_open_key(tmp_path))


def _open_key(folder: Path) -> Path:
    save_key(generate_key(), folder / "open.key")
    return folder / "open.key"
