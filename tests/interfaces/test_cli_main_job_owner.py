"""An owner releases: what is warned of, what is refused before anything is charged, and what a charge stands for."""

from pathlib import Path

import pytest
from tests.interfaces.main_job import ADOPT, OWNER, RELEASE, refused, tacit, write_tables
from typer.testing import CliRunner

from tacit.errors import ReleaseError
from tacit.interfaces.cli.main import app
from tacit.privacy.ledger import Ledger
from tacit.releases import signature
from tacit.releases.file import read_release


def test_without_a_ledger_or_with_a_seed_one_is_warned(tmp_path: Path) -> None:
    write_tables(tmp_path)
    plain, seeded, adopted = tacit(
        tmp_path,
        f"{RELEASE} --unit entry -o plain.tacit",
        f"{RELEASE} --seed 1 -o seeded.tacit",
        "adopt seeded.tacit plain.tacit ours.csv --schema ours.toml -o model.tacit",
    )
    assert (plain.code, seeded.code, adopted.code) == (0, 0, 0)
    assert "warning: no --ledger" in plain.err
    assert "NOT PRIVATE" not in plain.err
    assert "NOT PRIVATE" in seeded.err
    assert not read_release(tmp_path / "seeded.tacit").card.holds
    assert "seeded.tacit does not hold" in adopted.err
    assert "plain.tacit does not hold" not in adopted.err


def test_rows_without_a_label_are_left_out_and_said(tmp_path: Path) -> None:
    write_tables(tmp_path)
    (tmp_path / "owner.csv").write_text((tmp_path / "owner.csv").read_text() + "50,5,f,\n51,5,m,\n")
    (done,) = tacit(tmp_path, f"{RELEASE} --seed 1 -o a.tacit")
    assert done.code == 0
    assert "2 rows without a label left out." in done.err


def test_past_the_budget_nothing_is_written(tmp_path: Path) -> None:
    write_tables(tmp_path)
    tacit(
        tmp_path,
        "ledger init l.ledger --epsilon 1.2 --delta 2e-6 --unit record",
        f"{RELEASE} --ledger l.ledger -o a.tacit",
    )
    refused(tmp_path, [(f"{RELEASE} --ledger l.ledger -o b.tacit", "does not fit the budget")])
    (dry,) = tacit(tmp_path, f"{RELEASE} --ledger l.ledger --dry-run")
    assert "does not fit the budget" in dry.out
    assert len(Ledger(tmp_path / "l.ledger").lines()) == 1


def test_a_bad_release_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    write_tables(tmp_path)
    rows = (tmp_path / "owner.csv").read_text().splitlines()
    spoiled = {
        "columns": [rows[0].replace("dose", "doze"), *rows[1:]],
        "nan": [*rows, "nan,5,f,no"],
        "infinite": [*rows, "50,inf,f,no"],
        "empty": [],
        "header": rows[:1],
        "category": [*rows, "50,5,x,no"],
        "class": [*rows, "50,5,f,maybe"],
    }
    for name, lines in spoiled.items():
        (tmp_path / f"{name}.csv").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "draft.toml").write_text(OWNER.replace("version = 1", "version = 1\nbounds_from_data = true"))
    (tmp_path / "unlabelled.toml").write_text(OWNER.split("[columns.ill]", maxsplit=1)[0])
    (tmp_path / "old.tacit").write_text("something dear")
    tacit(tmp_path, "ledger init l.ledger --epsilon 50 --delta 1e-3 --unit record")
    good = "--schema owner.toml --ledger l.ledger"
    to = "-o new.tacit"
    refused(
        tmp_path,
        [
            (f"release columns.csv {good} --epsilon 1 {to}", "lacks 'dose'"),
            (f"release nan.csv {good} --epsilon 1 {to}", "the cell is missing"),
            (f"release infinite.csv {good} --epsilon 1 {to}", "no finite number"),
            (f"release empty.csv {good} --epsilon 1 {to}", "the file is empty"),
            (f"release header.csv {good} --epsilon 1 {to}", "no rows"),
            (f"release category.csv {good} --epsilon 1 {to}", "outside the closed list"),
            (f"release class.csv {good} --epsilon 1 {to}", "no class of the schema"),
            (f"release nowhere.csv {good} --epsilon 1 {to}", "no such file"),
            (f"release owner.csv {good} --epsilon -1 {to}", "epsilon must be a finite number above 0; got -1"),
            (f"release owner.csv {good} --epsilon 0 {to}", "epsilon must be"),
            (f"release owner.csv {good} --epsilon 1000 {to}", "epsilon must be at most 100"),
            (f"release owner.csv {good} --epsilon nan {to}", "epsilon must be"),
            (f"release owner.csv {good} --epsilon 1 --delta 2 {to}", "delta must be in"),
            (f"release owner.csv {good} --epsilon 1 --unit row {to}", "unit must be one of"),
            (f"release owner.csv {good} --epsilon 1", "output must be given"),
            (f"release owner.csv {good} --epsilon 1 -o old.tacit", "exists already"),
            (f"release owner.csv {good} --epsilon 1 -o owner.csv --force", "is also an input"),
            (f"release owner.csv {good} --epsilon 1 -o l.ledger --force", "is also an input"),
            (f"release owner.csv {good} --epsilon 1 -o nowhere/new.tacit", "no such file or folder"),
            (f"release owner.csv {good} --epsilon 1 -o .", "is a folder"),
            (f"release owner.csv {good} --epsilon 1 --sign nokey.pem {to}", "nokey.pem"),
            (f"release owner.csv {good} --epsilon 1 --sign owner.toml {to}", "not a private key"),
            (f"release owner.csv --schema nowhere.toml --epsilon 1 {to}", "schema cannot be read"),
            (f"release owner.csv --schema draft.toml --epsilon 1 {to}", "bounds_from_data is true"),
            (f"release owner.csv --schema unlabelled.toml --epsilon 1 {to}", "label"),
            (f"release owner.csv --schema owner.toml --epsilon 1 --ledger no.ledger {to}", "there is no ledger at"),
        ],
    )
    assert Ledger(tmp_path / "l.ledger").lines() == ()


def test_a_charge_that_could_not_be_delivered_is_said_to_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, ["ledger", "init", "l.ledger", "--epsilon", "2", "--delta", "2e-6", "--unit", "record"])

    def broken(*_: object, **__: object) -> None:
        raise ReleaseError("a.tacit cannot be written: the disk is full.")

    monkeypatch.setattr("tacit.workflows.release.write_release", broken)
    result = CliRunner().invoke(app, f"{RELEASE} --ledger l.ledger -o a.tacit".split())
    assert "The charge stands on the ledger" in str(result.exception)
    assert len(Ledger("l.ledger").lines()) == 1


def test_a_signed_release_is_adopted_by_those_who_know_the_key(tmp_path: Path) -> None:
    write_tables(tmp_path)
    for name in ("owner", "stranger"):
        key = signature.generate_key()
        signature.save_key(key, tmp_path / f"{name}.pem")
        signature.save_public_key(key.public_key(), tmp_path / f"{name}.pub")
    made, adopted = tacit(tmp_path, f"{RELEASE} --seed 0 --sign owner.pem -o a.tacit", f"{ADOPT} --key owner.pub")
    assert (made.code, adopted.code) == (0, 0), (made, adopted)
    refused(tmp_path, [(f"{ADOPT} --force --key stranger.pub", "it is signed by")])
