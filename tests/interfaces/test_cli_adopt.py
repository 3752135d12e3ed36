"""`tacit adopt` of a table: any number of labels, stated shares, evidence as JSON, and the report."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.data.rows.encoding import decode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app

SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("sex", ("f", "m")), Label("outcome", ("well", "ill"))))


def people(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    return np.column_stack([np.clip(0.3 + 0.3 * y + rng.normal(0, 0.15, n_rows), 0, 1), np.eye(2)[y * 0]]), y


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    for name, n_rows, n_labelled, seed in (
        ("a", 600, 600, 0),
        ("ours", 120, 30, 1),
        ("none", 120, 0, 1),
        ("new", 90, 90, 2),
    ):
        X, y = people(n_rows, seed)
        decode(X, SCHEMA, y=np.where(np.arange(n_rows) < n_labelled, y, -1)).write_csv(f"{name}.csv")
    pl.read_csv("none.csv").drop("outcome").write_csv("no-column.csv")
    run("release", "a.csv", "-s", "s.toml", "--epsilon", "2", "--method", "moments", "--seed", "7", "-o", "a.tacit")
    return tmp_path


def refusal(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert isinstance(result.exception, InputError)
    return str(result.exception)


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def adopt(table: str, *words: str) -> str:
    return run("adopt", "a.tacit", table, "-s", "s.toml", "-o", "m.tacit", "--force", *words)


def test_json_holds_every_method_with_intervals_and_what_each_release_adds(folder: Path) -> None:
    content = json.loads(adopt("ours.csv", "--json"))
    assert content["labels"] == {
        "well": content["labelled"] - content["labels"]["ill"],
        "ill": content["labels"]["ill"],
    }
    assert (content["labelled"], content["unlabelled"]) == (30, 90)
    methods = {each["name"]: each for each in content["methods"]}
    assert list(methods) == ["majority", "alone", "releases", "adopted"]
    for each in methods.values():
        for figure in ("accuracy", "area", "log_loss"):
            assert each[figure]["low"] <= each[figure]["value"] <= each[figure]["high"]
        assert sum(part["rows"] for part in each["calibration"]) == 30
    assert methods["adopted"]["accuracy"]["value"] > methods["majority"]["accuracy"]["value"]
    assert content["verdict"] in ("better", "cannot tell")
    (release,) = content["releases"]
    assert set(release) >= {"trust", "used", "reversed", "gain", "agreement", "note"}
    assert content["files"][0]["guarantee"]["epsilon"] == 2


@pytest.mark.parametrize("table", ["none.csv", "no-column.csv"])
def test_no_labels_are_enough(folder: Path, table: str) -> None:
    out = adopt(table)
    assert "With no labels, nothing can be measured" in out
    assert "No label of well, ill: predicted through the releases." in out
    run("predict", "m.tacit", "new.csv", "-o", "told.csv")
    right = pl.read_csv("told.csv")["prediction"] == pl.read_csv("new.csv")["outcome"]
    assert right.sum() > 67
    page = run("report", "m.tacit", "-o", "own.html") + Path("own.html").read_text(encoding="utf-8")
    assert "nothing can be measured on your rows" in page
    run("report", "m.tacit", "--test", "new.csv", "-o", "test.html")
    page = Path("test.html").read_text(encoding="utf-8")
    for word in ("the releases alone", "log-loss", "Calibration", "Confusions"):
        assert word in page


def test_shares_are_stated_by_name(folder: Path) -> None:
    counts = []
    for words in ((), ("--shares", "well=.95,ill=.05")):
        adopt("none.csv", *words)
        run("predict", "m.tacit", "new.csv", "-o", "told.csv", "--force")
        counts.append((pl.read_csv("told.csv")["prediction"] == "ill").sum())
    assert counts[1] < counts[0] - 5
    wrong = ("adopt", "a.tacit", "none.csv", "-s", "s.toml", "-o", "x.tacit", "--shares")
    assert "must be like yes=0.1,no=0.9" in refusal(*wrong, "well=much")
    assert "each of the classes" in refusal(*wrong, "well=.5,dead=.5")
    membership = ("adopt", "a.tacit", "ours.csv", "-s", "s.toml", "-o", "x.tacit", "--learner", "membership")
    assert "shares are for the learner 'averaged'" in refusal(*membership, "--shares", "estimated")


def test_the_report_shows_every_way_to_learn(folder: Path) -> None:
    adopt("ours.csv")
    run("report", "m.tacit", "-o", "own.html")
    page = Path("own.html").read_text(encoding="utf-8")
    for word in ("Ways to learn", "the commonest class", "your labels alone", "AUC", "came true", "held out in turn"):
        assert word in page


def test_the_printed_combination_needs_its_own_learner(folder: Path) -> None:
    words = ("adopt", "a.tacit", "ours.csv", "-s", "s.toml", "-o", "x.tacit", "--combine", "paper")
    assert "combine must be 'calibrated'" in refusal(*words, "--learner", "averaged")
