"""``tacit infer`` as its users meet it: what it prints, what it writes, and what it refuses."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.errors import ReleaseError, TacitError
from tacit.interfaces.cli.main import app

SCHEMA = """version = 1
extra_columns = "ignore"
[columns.income]
kind = "numeric"
bounds = [0, 100]
[columns.town]
kind = "categorical"
categories = ["north", "south"]
[columns.race]
kind = "categorical"
categories = ["a", "b", "c"]
missing = "category"
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    race = rng.integers(0, 3, 150)
    table = pl.DataFrame(
        {
            "name": [f"person {k}" for k in range(150)],
            "income": np.clip(30 * race + 8 * rng.normal(size=150) + 15, 0, 100).round(2),
            "town": np.where(rng.random(150) < 0.3 + 0.2 * race, "north", "south"),
            "race": [None if k % 3 == 0 else "abc"[code] for k, code in enumerate(race)],
            "ill": ["yes" if k % 2 else None for k in range(150)],
        }
    )
    table.write_csv(tmp_path / "s.csv")
    (tmp_path / "s.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def run(folder: Path, *more: str | Path, table: str = "s.csv", column: str = "race", learner: str = "logistic") -> Any:
    start = ["infer", folder / table, "-s", folder / "s.toml", "-c", column, "--learner", learner, *more]
    return CliRunner().invoke(app, list(map(str, start)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_table_comes_back_with_answers_beside_it(folder: Path, ending: str) -> None:
    output = folder / f"out.{ending}"
    done = run(folder, "-o", output, "--abstain-below", "0.7")
    assert done.exit_code == 0, done.output
    assert "inferring what people withheld is itself a disclosure" in done.stderr
    for words in ("100 known cells of race", "commonest of 3 categories", "as learned", "> 0.7"):
        assert words in done.stdout, words
    made, given = (pl.read_csv(output) if ending == "csv" else pl.read_parquet(output)), pl.read_csv(folder / "s.csv")
    assert made.columns == [*given.columns, "race_inferred", "race_confidence"]
    assert made["name"].to_list() == given["name"].to_list()
    assert made["race"].to_list() == given["race"].to_list()
    blank = made.filter(pl.col("race").is_null())
    assert blank["race_confidence"].null_count() == 0
    sure = blank.filter(pl.col("race_confidence") >= 0.7)
    assert (sure.height, sure["race_inferred"].null_count()) == (50 - blank["race_inferred"].null_count(), 0)
    assert f"{sure.height} of 50 missing cells" in done.stdout
    assert made.filter(pl.col("race").is_not_null())["race_confidence"].null_count() == 100
    assert output.stat().st_mode & 0o077 == 0


def test_without_an_output_nothing_is_written(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = run(folder)
    assert done.exit_code == 0, done.output
    assert "right" in done.stdout
    assert "wrote" not in done.stdout
    assert sorted(folder.iterdir()) == before


def test_nobody_is_answered_above_every_confidence(folder: Path) -> None:
    done = run(folder, "-o", folder / "out.csv", "--abstain-below", "1")
    assert done.exit_code == 0, done.output
    assert "none answered" in done.stdout
    assert "0 of 50 missing cells of race inferred, 50 left blank" in done.stdout


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"column": "height"}, "must be a column of the schema"),
        ({"column": "income"}, "'income' is numeric"),
        ({"column": "town"}, "no missing cell"),
        ({"column": "ill"}, "one category only"),
        ({"learner": "oracle"}, "--learner must be one of"),
        ({"table": "nowhere.csv"}, "no such file"),
        ({"table": "s.toml"}, "must end in one of"),
    ],
)
def test_mistakes_write_nothing(folder: Path, changes: dict[str, str], words: str) -> None:
    done = run(folder, "-o", folder / "out.csv", **changes)
    assert isinstance(done.exception, TacitError)
    assert words in str(done.exception)
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--abstain-below", "1.5"], "--abstain-below must be in [0, 1]"),
        (["--abstain-below", "nan"], "--abstain-below must be in [0, 1]"),
        (["--seed", "-1"], "--seed must be"),
        (["--seed", "4294967296"], "--seed must be"),
        (["-o", "out.npz"], "must end in .csv or .parquet"),
        (["-o", "/nowhere/out.csv"], "cannot be written"),
    ],
)
def test_settings_that_make_no_sense_are_refused(folder: Path, more: list[str], words: str) -> None:
    done = run(folder, *more)
    assert isinstance(done.exception, TacitError)
    assert words in str(done.exception)


def test_files_are_not_replaced_unasked(folder: Path) -> None:
    (folder / "out.csv").write_text("mine", encoding="utf-8")
    assert "exists already" in str(run(folder, "-o", folder / "out.csv").exception)
    assert "also an input" in str(run(folder, "-o", folder / "s.csv", "--force").exception)
    assert (folder / "out.csv").read_text(encoding="utf-8") == "mine"
    assert run(folder, "-o", folder / "out.csv", "--force").exit_code == 0
    assert "race_inferred" in (folder / "out.csv").read_text(encoding="utf-8")
    run(folder, "-o", folder / "again.csv")
    assert "Rename or remove it" in str(run(folder, table="again.csv").exception)


def test_a_failing_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tacit.files.atomic.os.fsync", full)
    before = sorted(folder.iterdir())
    assert isinstance(run(folder, "-o", folder / "out.csv").exception, ReleaseError)
    assert sorted(folder.iterdir()) == before


def test_without_torch_the_ways_out_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "torch" else found(name, *more)
    )
    said = str(run(folder, learner="sharpened").exception)
    assert "pip install 'tacit-knowledge[deep]'" in said
    assert "--learner logistic" in said


def test_a_mistake_is_one_clear_line_and_exit_2(folder: Path) -> None:
    command = [sys.executable, "-c", "from tacit.interfaces.cli.main import run; run()", "infer", str(folder / "s.csv")]
    done = subprocess.run(
        [*command, "--schema", str(folder / "s.toml"), "--column", "income", "--learner", "logistic"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: column 'income' is numeric")
    assert done.stdout == ""
