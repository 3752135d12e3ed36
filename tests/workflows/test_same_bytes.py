"""Python and the command line call the same functions: the same input gives the same bytes."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tacit
from tacit.data.rows.encoding import decode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app

SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("sex", ("f", "m")), Label("outcome", ("well", "ill"))))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    for name, n_rows, n_labelled, seed in (("a", 300, 300, 0), ("ours", 120, 30, 1), ("new", 20, 20, 2)):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n_rows)
        X = np.column_stack([np.clip(0.3 + 0.4 * y + rng.normal(0, 0.1, n_rows), 0, 1), np.eye(2)[y * 0]])
        decode(X, SCHEMA, y=np.where(np.arange(n_rows) < n_labelled, y, -1)).write_csv(f"{name}.csv")
    return tmp_path


def command(*words: str) -> None:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("method", ["moments", "linear", "pairs", "fabricated", "encoder", "rows"])
def test_releases_are_the_same_from_python_and_from_the_command_line(folder: Path, method: str) -> None:
    unit = {"pairs": "pair", "rows": "entry"}.get(method, "record")
    options = ["--epsilon", "2", "--unit", unit, "--method", method, "--seed", "7", "-o", "cli.tacit"]
    command("release", "a.csv", "-s", "s.toml", *options)
    tacit.release("a.csv", "s.toml", epsilon=2, unit=unit, method=method, random_state=7, output="python.tacit")
    assert Path("cli.tacit").read_bytes() == Path("python.tacit").read_bytes()


def test_models_predictions_and_reports_are_the_same(folder: Path) -> None:
    tacit.release("a.csv", "s.toml", epsilon=2, random_state=7, output="a.tacit")
    command("adopt", "a.tacit", "ours.csv", "-s", "s.toml", "-o", "cli.tacit")
    command("predict", "cli.tacit", "new.csv", "-o", "cli.csv")
    command("report", "cli.tacit", "-o", "cli.html")
    adopted = tacit.adopt(["a.tacit"], "ours.csv", "s.toml", output="python.tacit")
    predictions = tacit.predict(adopted, "new.csv", output="python.csv")
    tacit.report("python.tacit", output="python.html")
    assert Path("cli.tacit").read_bytes() == Path("python.tacit").read_bytes()
    assert Path("cli.csv").read_bytes() == Path("python.csv").read_bytes()
    assert Path("cli.html").read_bytes() == Path("python.html").read_bytes()
    assert predictions.equals(pl.read_csv("cli.csv"))


def test_fabricated_tables_are_the_same(folder: Path) -> None:
    command("fabricate", "a.csv", "-s", "s.toml", "--epsilon", "2", "--seed", "7", "-o", "cli.csv")
    tacit.fabricate("a.csv", "s.toml", epsilon=2, random_state=7, output="python.csv", n_jobs=-1)
    assert Path("cli.csv").read_bytes() == Path("python.csv").read_bytes()
    assert Path("cli.csv.tacit").read_bytes() == Path("python.csv.tacit").read_bytes()


def test_a_table_may_be_a_frame_and_a_release_an_object(folder: Path) -> None:
    frame = pl.read_csv("a.csv", infer_schema=False)
    release = tacit.release(frame, SCHEMA, epsilon=2, random_state=7)
    assert release.card == tacit.release("a.csv", "s.toml", epsilon=2, random_state=7).card
    adopted = tacit.adopt([release], pl.read_csv("ours.csv", infer_schema=False), SCHEMA)
    assert tacit.predict(adopted, pl.read_csv("new.csv", infer_schema=False)).height == 20


def test_rows_without_a_label_are_left_out_with_a_warning(folder: Path) -> None:
    with pytest.warns(UserWarning, match="90 rows without a label left out"):
        tacit.release("ours.csv", "s.toml", epsilon=2, random_state=7)


@pytest.mark.filterwarnings("ignore:.*rows without a label left out")
def test_private_adoption_refuses_kinds_whose_scores_read_our_rows(folder: Path) -> None:
    from tacit.workflows.adopt import adopt_privately

    release = tacit.release("a.csv", "s.toml", epsilon=2, method="moments", random_state=7)
    with pytest.raises(InputError, match="cannot be adopted privately"):
        adopt_privately([release], "ours.csv", "s.toml", epsilon=1.0)


def test_nothing_is_charged_when_the_output_exists(folder: Path) -> None:
    ledger = tacit.Ledger.create("a.ledger", tacit.Budget(3, 1e-5, unit="record"))
    Path("taken.tacit").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="exists already"):
        tacit.release("a.csv", "s.toml", epsilon=1, ledger=ledger, output="taken.tacit")
    assert ledger.spent() == 0
    assert Path("taken.tacit").read_text(encoding="utf-8") == "mine"
