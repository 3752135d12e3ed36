"""Tables from files, and back."""

import gzip
import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.reading.table_source import read_table
from tacit.data.reading.tables import Format, format_of, image_shapes, read_arrays, write_batches, write_table
from tacit.errors import InputError

SECRET = "Smith-4711"


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path, **settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path, **settings)
    # Neither the message nor the chained errors of a traceback may show a cell.
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_the_separator_is_found_from_the_header(tmp_path: Path, separator: str, suffix: str) -> None:
    text = '"age, in years";b;c\n1;"x;y";3\n'.replace(";", separator)
    content = gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode()
    table = read_table(write(tmp_path / f"t{suffix}", content))
    assert table.to_dict(as_series=False) == {"age, in years": ["1"], "b": [f"x{separator}y"], "c": ["3"]}


def test_cells_stay_text_so_that_the_schema_decides(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", "zip,n\n00123,1e3\n,2\n"))
    assert table.to_dict(as_series=False) == {"zip": ["00123", None], "n": ["1e3", "2"]}


def test_a_given_separator_is_used(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", "a;b,c\n1;2,3\n")
    assert read_table(file, separator=",").columns == ["a;b", "c"]
    assert "separator must be one character" in refused(file, separator=";;")


def test_byte_order_marks_blank_lines_and_windows_line_ends_are_no_trouble(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", b"\xef\xbb\xbf a ,b\r\n1,2\r\n\r\n3,\r\n"))
    assert table.to_dict(as_series=False) == {"a": ["1", "3"], "b": ["2", None]}


def test_a_name_in_the_header_may_run_over_two_lines(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", '"weight\nin kg",b\n1,2\n'))
    assert table.to_dict(as_series=False) == {"weight\nin kg": ["1"], "b": ["2"]}


def test_an_empty_cell_in_a_table_of_one_column_is_a_row(tmp_path: Path) -> None:
    assert read_table(write(tmp_path / "t.csv", "a\n1\n\n3\n")).height == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "the file is empty"),
        ("t.csv", b"\na,b\n1,2\n", "the first line must name the columns"),
        ("t.csv", b" , \n1,2\n", "the first line must name the columns"),
        ("t.csv", b'"a,b\n1,2\n', "a quote is never closed"),
        ("t.csv", b"a,b\n", "the table has columns but no rows"),
        ("t.csv", b"a,b,a\n1,2,3\n", "column 'a' appears more than once"),
        ("t.csv", f"a,b\n1,2\n{SECRET},4,5\n", "line 3: 3 cells where the header has 2"),
        ("t.csv", f'a,b\n"{SECRET},2\n3,4\n', "quote"),
        ("t.csv", b"a,b\n" + b"1,2\n" * 300_000 + f"{SECRET}é,2\n".encode("latin1"), "is not UTF-8 text throughout"),
        ("t.csv", b"\xff\xfea\x00,", "is not utf-16 text throughout"),
        ("t.csv.gz", b"a,b\n1,2\n", "cannot be read as gzipped text"),
        ("t.csv.gz", gzip.compress(f"a,b\n{SECRET},2\n".encode() * 500, mtime=0)[:40], "t.csv.gz"),
        ("t.parquet", b"PAR1 no PAR1", "not a readable Parquet file"),
        ("t.npz", b"no zip", "not a readable NPZ file"),
    ],
)
def test_a_file_that_is_no_table_is_named_without_showing_a_cell(
    tmp_path: Path, name: str, content: bytes | str, message: str
) -> None:
    assert message in refused(write(tmp_path / name, content))


def test_paths_that_lead_to_no_file_are_named(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "absent.csv")
    assert "the folder holds no table" in refused(tmp_path)
    assert "no file matches" in refused(tmp_path / "*.csv")
    assert "must end in one of .csv" in refused(write(tmp_path / "t.xlsx", b"x"))


@pytest.mark.parametrize("name", ["t.csv", "T.CSV.GZ", "t.tsv", "t.parquet", "t.npz"])
def test_the_suffix_tells_the_format(name: str) -> None:
    assert format_of(name) in {"csv", "parquet", "npz"}


@pytest.mark.parametrize("layout", ["csv", "parquet"])
def test_what_is_written_is_read_back(tmp_path: Path, layout: Format) -> None:
    table = pl.DataFrame({"name": ["a,b", 'say "hi"', None], "n": [1.5, -2.0, 3.0]})
    buffer = io.BytesIO()
    write_table(table, buffer, layout=layout)
    back = read_table(write(tmp_path / f"t.{layout}", buffer.getvalue()))
    assert back.cast({"n": pl.Float64}).equals(table)


@pytest.mark.parametrize("layout", ["csv", "parquet"])
def test_a_table_in_batches_is_written_like_a_whole_one(tmp_path: Path, layout: Format) -> None:
    table = pl.DataFrame({"=name": [f"+{n}" if n % 7 else "x" for n in range(100)], "n": range(100)})
    whole, parts = io.BytesIO(), io.BytesIO()
    write_table(table, whole, layout=layout)
    write_batches(table.iter_slices(13), parts, layout=layout)
    read = [read_table(write(tmp_path / f"t.{layout}", each.getvalue())) for each in (whole, parts)]
    assert read[0].equals(read[1])
    assert read[0].height == 100
    if layout == "csv":
        assert whole.getvalue() == parts.getvalue()


def test_numbers_of_several_widths_share_a_parquet_column(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    write_batches([pl.DataFrame({"n": [2.5]}), pl.DataFrame({"n": [3]})], buffer, layout="parquet")
    assert read_table(write(tmp_path / "t.parquet", buffer.getvalue()))["n"].to_list() == [2.5, 3.0]


def test_batches_of_other_types_are_refused_for_parquet_and_written_as_csv() -> None:
    for other, text in (("one", b"one"), (1.5, b"1.5")):
        frames = [pl.DataFrame({"n": [1]}), pl.DataFrame({"n": [other]})]
        with pytest.raises(InputError, match=r"column 'n' is of another type .*Name the output \.csv"):
            write_batches(frames, io.BytesIO(), layout="parquet")
        buffer = io.BytesIO()
        write_batches(frames, buffer, layout="csv")
        assert buffer.getvalue() == b"n\n1\n" + text + b"\n"


@pytest.mark.parametrize("layout", ["csv", "parquet"])
def test_no_batch_is_asked_for_before_the_last_one_is_written(layout: Format) -> None:
    waiting: list[int] = []

    def batches() -> Iterator[pl.DataFrame]:
        for number in range(40):
            waiting.append(buffer.tell())
            yield pl.DataFrame({"n": np.random.default_rng(number).random(20_000)})

    buffer = io.BytesIO()
    write_batches(batches(), buffer, layout=layout)
    # Most of the file is there before the last batches come.
    assert waiting[-1] > 0.4 * buffer.tell()


def test_an_npz_is_not_written() -> None:
    with pytest.raises(InputError, match="layout must be 'csv' or 'parquet'"):
        write_table(pl.DataFrame({"a": [1]}), io.BytesIO(), layout="npz")


@pytest.mark.parametrize("layout", ["csv", "parquet"])
def test_only_the_wanted_columns_are_read(tmp_path: Path, layout: Format) -> None:
    buffer = io.BytesIO()
    write_table(pl.DataFrame({"a": ["1"], "b": ["2"], "c": ["3"]}), buffer, layout=layout)
    table = read_table(write(tmp_path / f"t.{layout}", buffer.getvalue()), only={"c", "b", "absent"})
    assert table.to_dict(as_series=False) == {"b": ["2"], "c": ["3"]}


def test_only_the_wanted_columns_are_read_under_their_stripped_names(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", " a , b , c \n1,2,3\n4,5,6\n")
    assert read_table(file, only={"c"}).to_dict(as_series=False) == {"c": ["3", "6"]}


def test_arrays_become_columns(tmp_path: Path) -> None:
    pictures = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.savez(tmp_path / "t.npz", x=pictures, y=np.array(["no", "yes"]))
    table = read_table(tmp_path / "t.npz")
    assert table.columns == ["x0", "x1", "x2", "x3", "x4", "x5", "y"]
    assert table["x4"].to_list() == [4, 10]
    assert image_shapes(tmp_path / "t.npz") == {"x": (2, 3)}


def test_train_and_test_parts_can_share_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", x_train=np.zeros((3, 2)), y_train=np.zeros(3), x_test=np.zeros((2, 2)))
    message = refused(tmp_path / "t.npz")
    assert "same number of rows" in message
    assert 'extra_columns = "ignore"' in message
    assert read_table(tmp_path / "t.npz", only={"x_train0", "x_train1", "y_train"}).shape == (3, 3)
    assert read_table(tmp_path / "t.npz", only={"x_train", "y_train"}).shape == (3, 3)
    assert read_table(tmp_path / "t.npz", only={"x_train0", "y_train"}).columns == ["x_train0", "y_train"]
    assert set(read_arrays(tmp_path / "t.npz", only={"x_test"})) == {"x_test"}


def test_an_array_that_could_carry_code_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", a=np.array([{"x": 1}], dtype=object))
    assert "plain arrays" in refused(tmp_path / "t.npz")


@pytest.mark.parametrize("seed", range(4))
def test_damaged_parquet_gives_a_clean_error_or_a_table(tmp_path: Path, seed: int) -> None:
    buffer = io.BytesIO()
    write_table(pl.DataFrame({"a": list(range(200)), "b": ["x", "y"] * 100}), buffer, layout="parquet")
    rng = np.random.default_rng(seed)
    for _ in range(50):
        content = bytearray(buffer.getvalue())
        for position in rng.integers(len(content), size=3):
            content[position] = rng.integers(256)
        damaged = bytes(content[: rng.integers(len(content) // 2, len(content) + 1)])
        # Whatever is raised besides an InputError fails the test.
        with suppress(InputError):
            read_table(write(tmp_path / "t.parquet", damaged))


def test_a_panic_of_the_library_is_a_clean_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(_: Path) -> None:
        raise pl.exceptions.PanicException(SECRET)

    monkeypatch.setattr(pl, "read_parquet_schema", panic)
    assert "not a readable Parquet file" in refused(write(tmp_path / "t.parquet", b"PAR1"))
