"""A numeric target from release to report, through the calls that every interface makes."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tacit
from tacit.data.schemas.columns import Categorical, Numeric, Target
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.interfaces.cli.main import app
from tacit.workflows.models import AdoptedModel

SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("ward", ("a", "b")), Target("stay", (0.0, 60.0))))


def stays(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    age, ward = draw.uniform(0, 100, n), draw.integers(0, 2, n)
    days = np.clip(5 + 0.3 * age + 10 * ward + draw.normal(0, 4, n), 0, 60)
    return pl.DataFrame({"age": age, "ward": np.array(["a", "b"])[ward], "stay": days})


def partly_known(n: int, n_known: int, seed: int) -> pl.DataFrame:
    known = pl.int_range(pl.len()) < n_known
    return stays(n, seed).with_columns(pl.when(known).then(pl.col("stay")).otherwise(None).alias("stay"))


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, AdoptedModel]:
    folder = tmp_path_factory.mktemp("target")
    tacit.release(stays(2000, 0), SCHEMA, epsilon=1.0, random_state=0, output=folder / "owner.tacit")
    (folder / "ours.toml").write_text(format_schema(SCHEMA))
    partly_known(300, 40, 1).write_csv(folder / "ours.csv")
    stays(200, 2).write_csv(folder / "new.csv")
    model = tacit.adopt(
        [folder / "owner.tacit"], folder / "ours.csv", folder / "ours.toml", output=folder / "model.tacit"
    )
    return folder, model


def test_predictions_are_numbers_with_the_ends_of_their_interval(adopted: tuple[Path, AdoptedModel]) -> None:
    folder, _ = adopted
    predictions = tacit.predict(folder / "model.tacit", folder / "new.csv", keep=["age"])
    assert predictions.columns == ["age", "prediction", "low", "high"]
    truth = stays(200, 2)["stay"].to_numpy()
    error = np.mean((predictions["prediction"].to_numpy() - truth) ** 2)
    assert error < 0.3 * truth.var()
    assert (predictions["low"] <= predictions["high"]).all()
    with pytest.raises(InputError, match="must not name 'low'"):
        tacit.predict(folder / "model.tacit", stays(5, 3).with_columns(low=1), keep=["low"])


def test_a_model_names_its_own_kind_of_learner(adopted: tuple[Path, AdoptedModel]) -> None:
    _, model = adopted
    assert model.regressor is model.learner
    with pytest.raises(InputError, match="names no classes"):
        _ = model.classifier


def test_the_report_shows_figures_calibration_and_guarantee(adopted: tuple[Path, AdoptedModel]) -> None:
    folder, _ = adopted
    own, on_test = tacit.report(folder / "model.tacit"), tacit.report(folder / "model.tacit", test=folder / "new.csv")
    for page in (own, on_test):
        for text in ("R squared", "absolute error", "Calibration", "epsilon", "stay"):
            assert text in page
    assert "each held out in turn" in own
    assert "the known values of new.csv" in on_test
    stays(5, 2).with_columns(stay=None).write_csv(folder / "unknown.csv")
    with pytest.raises(InputError, match="at least two known values"):
        tacit.report(folder / "model.tacit", test=folder / "unknown.csv")


def test_the_command_prints_the_evidence_and_the_same_as_json(adopted: tuple[Path, AdoptedModel]) -> None:
    folder, model = adopted
    command = ["adopt", str(folder / "owner.tacit"), str(folder / "ours.csv"), "-s", str(folder / "ours.toml")]
    shown = CliRunner().invoke(app, [*command, "-o", str(folder / "again.tacit")])
    assert shown.exit_code == 0, shown.output
    for text in ("On your 40 known values", "R squared", "absolute error", "used with weight"):
        assert text in shown.output
    printed = CliRunner().invoke(app, [*command, "-o", str(folder / "again.tacit"), "--force", "--json"])
    content = json.loads(printed.stdout)
    assert content["known"] == 40
    assert content["methods"] == json.loads(json.dumps(model.evidence.to_dict()["methods"]))
    assert (folder / "again.tacit").read_bytes() == (folder / "model.tacit").read_bytes()
    predicted = CliRunner().invoke(
        app, ["predict", str(folder / "again.tacit"), str(folder / "new.csv"), "-o", str(folder / "p.csv")]
    )
    assert "with prediction, low and high" in predicted.output


def test_without_values_the_release_predicts_and_nothing_is_measured() -> None:
    released = tacit.release(stays(2000, 0), SCHEMA, epsilon=1.0, random_state=0)
    model = tacit.adopt([released], partly_known(300, 0, 1), SCHEMA)
    assert model.regressor.evidence_.methods == ()
    assert tacit.predict(model, stays(50, 2)).height == 50


@pytest.mark.parametrize("option", [{"learner": "membership"}, {"combine": "paper"}, {"shares": {"a": 1.0}}])
def test_options_of_classes_are_refused(option: dict[str, object]) -> None:
    with pytest.raises(InputError, match="numeric target"):
        tacit.adopt([], partly_known(30, 20, 1), SCHEMA, **option)  # type: ignore[arg-type]
