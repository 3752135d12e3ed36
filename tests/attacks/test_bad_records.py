"""One record does not decide whether a release is made, where its owner declared what becomes of bad records."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tacit import read_release
from tacit.interfaces.cli.main import app

ROWS = "30,low,no\n40,high,no\n50,low,no\n"
SCHEMA = """
version = 1
[columns.age]
kind = "numeric"
bounds = [0, 110]
[columns.pressure]
kind = "categorical"
categories = ["low", "high"]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""
# A record of each kind that a table may hold; the first makes a second class appear.
RECORDS = {
    "another class": "60,low,yes\n",
    "missing number": ",low,yes\n",
    "text for a number": "old,low,yes\n",
    "infinity": "inf,low,yes\n",
    "missing category": "60,,yes\n",
    "unknown category": "60,middling,yes\n",
    "unknown class": "60,low,perhaps\n",
    "missing class": "60,low,\n",
    "too many cells": "60,low,yes,more\n",
    "too few cells": "60\n",
    "quoted line": '60,"lo\nw",yes\n',
}


def release(folder: Path, record: str, *options: str) -> tuple[int, str]:
    folder.mkdir()
    (folder / "x.csv").write_text("age,pressure,ill\n" + ROWS + record)
    (folder / "x.toml").write_text(SCHEMA)
    made = ["release", folder / "x.csv", "-s", folder / "x.toml", "--epsilon", "0.1", "-o", folder / "x.tacit"]
    result = CliRunner().invoke(app, [*map(str, made), *options])
    return result.exit_code, result.output


@pytest.mark.parametrize("method", ["moments", "linear", "fabricated", "encoder"])
@pytest.mark.parametrize("policy", ["clip", "category"])
def test_no_record_decides_whether_a_release_is_made(tmp_path: Path, policy: str, method: str) -> None:
    options = ("--bad-records", policy, "--method", method)
    codes = {name: release(tmp_path / name, record, *options)[0] for name, record in RECORDS.items()}
    codes["none"] = release(tmp_path / "none", "", *options)[0]
    assert set(codes.values()) == {0}


def test_bytes_that_are_no_text_do_not_decide_either(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"age,pressure,ill\n30,low,no\n40,h\xffgh,no\n")
    (tmp_path / "x.toml").write_text(SCHEMA.replace("version = 1", 'version = 1\nbad_records = "clip"'))
    made = ["release", tmp_path / "x.csv", "-s", tmp_path / "x.toml", "--epsilon", "0.1", "-o", tmp_path / "x.tacit"]
    assert CliRunner().invoke(app, list(map(str, made))).exit_code == 0


def test_the_card_says_which_policy_holds(tmp_path: Path) -> None:
    assert release(tmp_path / "refused", "")[0] == 0
    card = read_release(tmp_path / "refused" / "x.tacit").card
    assert any("one that does not stops the release" in each for each in card.not_protected)
    assert release(tmp_path / "mended", "", "--bad-records", "clip")[0] == 0
    card = read_release(tmp_path / "mended" / "x.tacit").card
    assert any("no record stops a release" in each for each in card.assumptions)
    assert not any("stops the release" in each for each in card.not_protected)


def test_refusing_is_the_default_and_names_the_way_out(tmp_path: Path) -> None:
    code, _ = release(tmp_path / "refused", RECORDS["text for a number"])
    assert code != 0


def test_the_policy_missing_needs_a_rule_of_every_column(tmp_path: Path) -> None:
    code, _ = release(tmp_path / "x", "", "--bad-records", "missing")
    assert code != 0
    assert not (tmp_path / "x" / "x.tacit").exists()
