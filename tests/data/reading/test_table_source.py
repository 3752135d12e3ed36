"""A table is a source of batches, wherever it lies."""

import io
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.reading.frames import as_frame
from tacit.data.reading.table_source import TableSource, open_table, read_table
from tacit.data.rows.encoding import encode, open_for
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError

FRAME = pl.DataFrame(
    {"age": [30, 41, 52, 63, 74], "sex": ["f", "m", "f", "m", "f"], "smoker": [True, False] * 2 + [True]}
)
SCHEMA = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("smoker", ("true", "false"))))


def written(folder: Path, layout: str, frame: pl.DataFrame = FRAME) -> Path:
    path = folder / f"t.{layout}"
    writers: dict[str, Any] = {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc}
    writers[layout](path)
    return path


def database(path: Path, rows: pl.DataFrame = FRAME) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (age INTEGER, sex TEXT, smoker TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows.cast({"smoker": pl.String}).rows())
    connection.close()
    return path


def sources(folder: Path) -> dict[str, Any]:
    parts = folder / "parts"
    parts.mkdir()
    FRAME[:2].write_parquet(parts / "a.parquet")
    FRAME[2:].write_csv(parts / "b.csv")
    return {
        "csv": written(folder, "csv"),
        "parquet": written(folder, "parquet"),
        "arrow": written(folder, "arrow"),
        "folder": parts,
        "pattern": str(parts / "*.*"),
        "polars": FRAME,
        "lazy": FRAME.lazy(),
        "pandas": FRAME_OF_PANDAS(),
        "sqlite": f"sqlite:///{database(folder / 't.db')}?SELECT * FROM t",
    }


def FRAME_OF_PANDAS() -> Any:  # noqa: N802 - made late: pandas is slow to import
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({name: FRAME[name].to_list() for name in FRAME.columns})


@pytest.mark.parametrize("size", [1, 2, 100])
def test_every_source_gives_the_same_rows_in_batches_of_any_size(tmp_path: Path, size: int) -> None:
    expected = encode(FRAME, SCHEMA, labels="required")
    for name, table in sources(tmp_path).items():
        source = open_for(table, SCHEMA)
        frames = list(source.batches(size=size))
        assert max(batch.frame.height for batch in frames) <= size, name
        rows = [encode(batch.frame, SCHEMA) for batch in frames]
        assert np.array_equal(np.concatenate([each.X for each in rows]), expected.X), name
        assert np.array_equal(np.concatenate([each.y for each in rows]), expected.y), name
        whole = encode(source.read(), SCHEMA)
        assert np.array_equal(whole.X, expected.X), name
        assert np.array_equal(whole.y, expected.y), name


def test_a_batch_knows_its_file_and_the_rows_before_it(tmp_path: Path) -> None:
    places = [(batch.source, batch.first_row) for batch in open_table(sources(tmp_path)["folder"]).batches(size=2)]
    assert places == [("a.parquet", 0), ("b.csv", 0), ("b.csv", 2)]


@pytest.mark.parametrize("pieces", [1, 2, 3, 50])
def test_a_split_table_has_the_same_rows_in_the_same_places(tmp_path: Path, pieces: int) -> None:
    source = open_table(written(tmp_path, "parquet")).split(pieces)
    batches = list(source.batches(size=2))
    assert len(source.parts) == min(pieces, FRAME.height)
    assert pl.concat([batch.frame for batch in batches]).equals(FRAME)
    ends = np.cumsum([0, *(batch.frame.height for batch in batches[:-1])])
    assert [batch.first_row for batch in batches] == ends.tolist()


def test_folder_names_give_columns(tmp_path: Path) -> None:
    for year in ("2023", "2024"):
        folder = tmp_path / "visits" / f"year={year}"
        folder.mkdir(parents=True)
        FRAME.write_parquet(folder / "part-0.parquet")
    (tmp_path / "visits" / "_SUCCESS").touch()
    (tmp_path / "visits" / ".hidden.csv").touch()
    for table in (tmp_path / "visits", str(tmp_path / "visits" / "*" / "*.parquet")):
        whole = read_table(table)
        assert whole["year"].to_list() == ["2023"] * 5 + ["2024"] * 5
        assert read_table(table, only={"age", "year"}).columns == ["age", "year"]
        assert read_table(table, only={"age"}).columns == ["age"]


@pytest.mark.parametrize("layout", ["csv", "parquet", "arrow"])
def test_standard_input_is_told_from_its_first_bytes(
    tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO(written(tmp_path, layout).read_bytes())
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": content}))
    assert read_table("-")["sex"].to_list() == FRAME["sex"].to_list()
    with pytest.raises(InputError, match="standard input: is empty"):
        read_table(Path("-"))


def test_a_pyarrow_table_is_read() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"age": [1, None], "sex": ["f", None]})
    assert as_frame(table).to_dict(as_series=False) == {"age": [1, None], "sex": ["f", None]}


def test_missing_cells_of_pandas_are_missing() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [1.5, None], "sex": ["f", None], "when": pandas.to_datetime(["2024-01-01", None])})
    frame = as_frame(table)
    assert frame["sex"].to_list() == ["f", None]
    assert np.isnan(frame["age"][1])
    assert frame["when"].null_count() == 1


def test_something_else_is_no_table() -> None:
    with pytest.raises(InputError, match="table must be a path, a database query or a data frame"):
        open_table(7)


def test_a_source_is_opened_once() -> None:
    source = open_table(FRAME)
    assert open_table(source) is source


def test_a_table_without_rows_is_refused_in_every_form(tmp_path: Path) -> None:
    for table in (FRAME[:0], written(tmp_path, "parquet", FRAME[:0])):
        with pytest.raises(InputError, match="columns but no rows"):
            read_table(table)


def test_a_query_that_fails_shows_no_cell(tmp_path: Path) -> None:
    path = database(tmp_path / "t.db")
    for url, message in (
        (f"sqlite:///{path}?SELECT secret FROM t", "the query failed"),
        (f"sqlite:///{tmp_path}/absent.db?SELECT 1", "cannot be opened"),
        (f"sqlite:///{path}", "with its query"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read_table(url)
        assert "secret" not in str(caught.value)


def test_a_database_survives_being_taken_for_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database(tmp_path / "t.db")
    monkeypatch.chdir(tmp_path)
    assert read_table(Path("sqlite:///t.db?SELECT age FROM t WHERE sex = 'm'"))["age"].to_list() == [41, 63]


def test_duckdb_is_read(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a'), (2, NULL)) v(n, s)")
    url = f"duckdb:///{tmp_path}/t.duckdb?SELECT n, s FROM t ORDER BY n"
    assert read_table(url).to_dict(as_series=False) == {"n": [1, 2], "s": ["a", None]}
    assert read_table(url, only={"s"}).columns == ["s"]


def test_an_absent_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InputError, match=r"pip install 'tacit-knowledge\[databases\]'"):
        read_table("postgresql://somewhere/clinic?SELECT 1")


def test_a_source_can_be_sent_to_another_process(tmp_path: Path) -> None:
    import pickle

    for table in (written(tmp_path, "csv"), written(tmp_path, "parquet"), FRAME):
        again: TableSource = pickle.loads(pickle.dumps(open_table(table)))
        assert again.read()["sex"].to_list() == FRAME["sex"].to_list()
