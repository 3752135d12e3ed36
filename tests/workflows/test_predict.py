"""Predictions come back by class name, in the order of the table, beside the columns that were kept."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.reading.table_source import read_table
from tacit.data.rows.encoding import decode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, ReleaseError, SchemaError, TacitError
from tacit.workflows.models import AdoptedModel, is_release_file, open_predictor
from tacit.workflows.predict import write_predictions

SCHEMA = Schema((Numeric("age", (0.0, 100.0)), Categorical("sex", ("f", "m")), Label("outcome", ("well", "ill"))))


def people(n: int, seed: int) -> tuple[pl.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = np.column_stack([np.clip(0.2 + 0.5 * y + rng.normal(0, 0.1, n), 0, 1), np.eye(2)[rng.integers(0, 2, n)]])
    return decode(X, SCHEMA, y=y), y


@pytest.fixture(scope="module")
def adopted() -> AdoptedModel:
    frame, _ = people(300, 0)
    made = tacit.release(frame, SCHEMA, epsilon=4.0, method="moments", random_state=0)
    ours, _ = people(100, 1)
    blank = ours.with_columns(
        pl.when(pl.int_range(pl.len()) < 40).then(pl.col("outcome")).otherwise(None).alias("outcome")
    )
    return tacit.adopt([made], blank, SCHEMA)


def test_classes_come_back_by_name_with_a_confidence(adopted: AdoptedModel) -> None:
    frame, y = people(200, 2)
    predictions = tacit.predict(adopted, frame.drop("outcome"))
    assert predictions.columns == ["prediction", "confidence"]
    truth = np.array(SCHEMA.classes)[y]
    assert (predictions["prediction"].to_numpy() == truth).mean() > 0.9
    assert predictions["confidence"].is_between(0.5, 1.0).all()


def test_the_label_column_is_not_read(adopted: AdoptedModel) -> None:
    frame, _ = people(50, 3)
    wrong = frame.with_columns(pl.lit("no such class").alias("outcome"))
    assert tacit.predict(adopted, wrong).equals(tacit.predict(adopted, frame))


def test_kept_columns_stay_beside_their_rows(adopted: AdoptedModel) -> None:
    frame, _ = people(30, 4)
    named = frame.with_columns(pl.Series("id", [f"p{k}" for k in range(30)]))
    shuffled = named.sample(fraction=1.0, shuffle=True, seed=0)
    plain = tacit.predict(adopted, named, keep=["id", "age"])
    moved = tacit.predict(adopted, shuffled, keep=["id", "age"])
    assert plain.columns == ["id", "age", "prediction", "confidence"]
    assert moved.sort("id").equals(plain.sort("id"))


@pytest.mark.parametrize(
    ("keep", "words"), [(["nobody"], "has no 'nobody'"), (["prediction"], "must not name 'prediction'")]
)
def test_columns_that_cannot_be_kept_are_refused(adopted: AdoptedModel, keep: list[str], words: str) -> None:
    frame, _ = people(5, 5)
    table = frame.with_columns(pl.lit(1).alias("prediction"))
    with pytest.raises(InputError, match=words):
        tacit.predict(adopted, table, keep=keep)


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_files_hold_what_the_call_returns(adopted: AdoptedModel, tmp_path: Path, name: str) -> None:
    frame, _ = people(20, 6)
    returned = tacit.predict(adopted, frame, output=tmp_path / name)
    assert read_table(tmp_path / name)["prediction"].to_list() == returned["prediction"].to_list()
    with pytest.raises(InputError, match="--force"):
        tacit.predict(adopted, frame, output=tmp_path / name)


@pytest.mark.parametrize("name", ["p.npz", "p.csv.gz", "p.tsv", "p.txt"])
def test_other_layouts_are_refused_before_anything_is_read(adopted: AdoptedModel, tmp_path: Path, name: str) -> None:
    with pytest.raises(TacitError):
        tacit.predict(adopted, tmp_path / "no.csv", output=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_linear_release_predicts_by_itself(tmp_path: Path) -> None:
    frame, _ = people(500, 0)
    tacit.release(frame, SCHEMA, epsilon=20.0, delta=0.0, method="linear", output=tmp_path / "l.tacit")
    assert is_release_file(tmp_path / "l.tacit")
    assert open_predictor(tmp_path / "l.tacit").schema == SCHEMA
    assert set(tacit.predict(tmp_path / "l.tacit", frame)["prediction"]) <= set(SCHEMA.classes)


def test_a_release_that_is_no_model_says_so(tmp_path: Path) -> None:
    frame, _ = people(100, 0)
    tacit.release(frame, SCHEMA, epsilon=1.0, method="moments", output=tmp_path / "m.tacit")
    with pytest.raises(ReleaseError):
        tacit.predict(tmp_path / "m.tacit", frame)


def test_batches_of_a_folder_give_what_the_whole_table_gives(adopted: AdoptedModel, tmp_path: Path) -> None:
    frame, _ = people(90, 8)
    named = frame.with_columns(pl.Series("id", range(90)))
    folder = tmp_path / "new"
    folder.mkdir()
    named[:50].write_parquet(folder / "a.parquet")
    named[50:].write_parquet(folder / "b.parquet")
    assert tacit.predict(adopted, folder, keep=["id"]).equals(tacit.predict(adopted, named, keep=["id"]))


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_written_block_by_block_are_those_that_are_returned(
    adopted: AdoptedModel, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, _ = people(90, 9)
    named = frame.with_columns(pl.Series("id", [f"p{k}" for k in range(90)]))
    expected = tacit.predict(adopted, named, keep=["id"])
    monkeypatch.setattr("tacit.workflows.predict.BLOCK", 7)
    summary = write_predictions(adopted, named, tmp_path / name, keep=["id"])
    written = read_table(tmp_path / name).cast({"confidence": pl.Float64})
    assert written.select("id", "prediction").equals(expected.select("id", "prediction"))
    assert written["confidence"].equals(expected["confidence"])
    assert summary.rows == 90
    assert summary.columns == ("id", "prediction", "confidence")
    assert summary.classes == dict(expected["prediction"].value_counts().iter_rows())
    assert summary.mean == pytest.approx(expected["confidence"].mean(), abs=1e-6)


@pytest.mark.parametrize("block", [1, 7, 300, 4096])
def test_predictions_are_the_same_for_any_block_batch_and_number_of_workers(
    adopted: AdoptedModel, block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    frame, _ = people(700, 11)
    expected = tacit.predict(adopted, frame, workers=1)
    monkeypatch.setattr("tacit.workflows.predict.BLOCK", block)
    for workers in (1, 2, 5):
        assert tacit.predict(adopted, frame, workers=workers).equals(expected)
    folder = tmp_path / "new"
    folder.mkdir()
    for number, start in enumerate(range(0, 700, 123)):
        frame[start : start + 123].write_parquet(folder / f"{number}.parquet")
    assert tacit.predict(adopted, folder).equals(expected)


def test_workers_that_are_none_are_refused(adopted: AdoptedModel) -> None:
    with pytest.raises(InputError, match="workers"):
        tacit.predict(adopted, people(5, 0)[0], workers=0)


def test_a_bad_cell_in_a_later_file_leaves_no_predictions(adopted: AdoptedModel, tmp_path: Path) -> None:
    frame, _ = people(60, 10)
    texts = frame.with_columns(pl.col("age").cast(pl.String))
    folder = tmp_path / "new"
    folder.mkdir()
    texts[:40].write_csv(folder / "a.csv")
    texts[40:].with_columns(age=pl.Series(["30"] * 19 + ["Smith-4711"])).write_csv(folder / "b.csv")
    for output in (tmp_path / "p.csv", tmp_path / "p.parquet"):
        with pytest.raises(SchemaError, match=r"^b\.csv: column 'age', row 20 ") as caught:
            write_predictions(adopted, folder, output)
        assert "Smith" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_pandas_frame_gets_its_predictions_in_pandas_with_its_index(adopted: AdoptedModel) -> None:
    pd = pytest.importorskip("pandas")
    frame, _ = people(30, 5)
    names = [f"patient {row}" for row in range(30)]
    theirs = pd.DataFrame(frame.to_dict(as_series=False), index=names)
    predictions = tacit.predict(adopted, theirs, keep=["age"])
    assert isinstance(predictions, pd.DataFrame)
    assert list(predictions.index) == names
    theirs["prediction"] = predictions["prediction"]  # joins by index
    expected = tacit.predict(adopted, frame, keep=["age"])
    assert theirs["prediction"].tolist() == expected["prediction"].to_list()
    assert predictions.to_dict("list") == expected.to_dict(as_series=False)


def test_an_arrow_table_gets_its_predictions_as_one(adopted: AdoptedModel) -> None:
    pa = pytest.importorskip("pyarrow")
    frame, _ = people(10, 6)
    predictions = tacit.predict(adopted, frame.to_arrow())
    assert isinstance(predictions, pa.Table)
    assert predictions.to_pydict() == tacit.predict(adopted, frame).to_dict(as_series=False)


def test_what_the_main_job_returns_is_short_to_print(adopted: AdoptedModel) -> None:
    release = tacit.release(people(60, 7)[0], SCHEMA, epsilon=1.0, delta=1e-6, random_state=0)
    assert repr(adopted) == "<AdoptedModel 'averaged_model': AveragedTransfer>"
    assert repr(release) == "<Release 'additive': epsilon 1, delta 1e-06 per record>"
    assert repr(release.card).endswith("epsilon 1, delta 1e-06 per record>")
    assert str(release.card) == release.card.to_text()
