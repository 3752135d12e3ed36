"""``tacit adopt --learner sharpened``: the main job with a network."""

import importlib.util
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.adoption.pictures import network as receiver
from tacit.data.schemas.file import read_schema
from tacit.interfaces.cli.main import app
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.releases.file import write_release

SCHEMA = """version = 1
[columns.age]
kind = "numeric"
bounds = [0, 100]
[columns.dose]
kind = "numeric"
bounds = [0, 10]
[columns.ill]
kind = "label"
classes = ["no", "yes"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a release, a receiver's table with a few labels, and rows to test on."""
    monkeypatch.setattr(receiver, "STEPS", 60)
    (tmp_path / "ours.toml").write_text(SCHEMA)
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 1200)
    X = np.column_stack([(40 + 20 * ill + rng.normal(0, 8, 1200)) / 100, (3 + 2 * ill + rng.normal(0, 1, 1200)) / 10])
    schema = read_schema(tmp_path / "ours.toml")
    release = CLASS_MOMENTS.release(X[:900].clip(0, 1), ill[:900], schema, unit="record", epsilon=2.0, delta=1e-5)
    write_release(release, tmp_path / "owner.tacit")
    names = np.array(["no", "yes"])[ill]
    table = pl.DataFrame({"age": 100 * X[:, 0], "dose": (10 * X[:, 1]).clip(0, 10), "ill": names})
    labelled = pl.when(pl.int_range(pl.len()) < 12).then(pl.col("ill")).alias("ill")
    table[900:1100].with_columns(labelled).write_csv(tmp_path / "ours.csv")
    table[1100:].write_csv(tmp_path / "test.csv")
    return tmp_path


def test_a_network_adopts_predicts_and_reports(folder: Path) -> None:
    runner = CliRunner()
    files = {name: str(folder / name) for name in ("owner.tacit", "ours.csv", "ours.toml", "test.csv")}
    model, told, page = (str(folder / name) for name in ("model.tacit", "told.csv", "page.html"))
    adopt = ["adopt", files["owner.tacit"], files["ours.csv"], "--schema", files["ours.toml"], "-o", model]
    done = runner.invoke(app, [*adopt, "--learner", "sharpened"])
    assert done.exit_code == 0, done.output
    assert "12 labelled rows, each held out in turn" in done.output
    assert runner.invoke(app, ["predict", model, files["test.csv"], "-o", told]).exit_code == 0
    truth = pl.read_csv(files["test.csv"])["ill"]
    assert int((pl.read_csv(told)["prediction"] == truth).sum()) > 80
    done = runner.invoke(app, ["report", model, "--test", files["test.csv"], "-o", page])
    assert done.exit_code == 0, done.output
    assert "100 labelled rows of test.csv" in Path(page).read_text()


def test_a_machine_without_torch_is_told_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    adopt = ["adopt", "owner.tacit", "ours.csv", "--schema", str(folder / "ours.toml"), "-o", str(folder / "m.tacit")]
    done = CliRunner().invoke(app, [*adopt, "--learner", "sharpened"])
    assert done.exit_code != 0
    assert "pip install 'tacit-knowledge[deep]'" in str(done.exception)


def test_a_learner_that_is_not_known_or_cannot_combine_so_is_refused(folder: Path) -> None:
    adopt = ["adopt", "owner.tacit", "ours.csv", "--schema", str(folder / "ours.toml"), "-o", str(folder / "m.tacit")]
    refused = {"forest": "'membership', 'sharpened'", "sharpened --combine paper": "calibrated"}
    for more, words in refused.items():
        done = CliRunner().invoke(app, [*adopt, "--learner", *more.split()])
        assert done.exit_code != 0
        assert words in str(done.exception)
    assert not (folder / "m.tacit").exists()
