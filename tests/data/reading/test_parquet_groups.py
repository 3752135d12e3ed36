"""Tests of row groups of Parquet files: where they end, and that ranges of rows are read by them."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data.reading import table_files
from tacit.data.reading.parquet_groups import group_end, rows_of_group
from tacit.data.reading.table_source import open_table

pq = pytest.importorskip("pyarrow.parquet")

TABLE = pl.DataFrame(
    {"a": np.arange(100), "b": [f"text {k % 3}" for k in range(100)], "c": [k % 2 == 0 for k in range(100)]}
)


@pytest.mark.parametrize("rows", [1, 7, 40, 100])
@pytest.mark.parametrize("columns", [1, 3, 60])
def test_the_rows_of_a_group_are_those_that_the_writer_was_told(tmp_path: Path, rows: int, columns: int) -> None:
    path = tmp_path / "t.parquet"
    table = pl.concat([TABLE.select(pl.all().name.suffix(f"_{k}")) for k in range(20)], how="horizontal")
    pq.write_table(table.select(table.columns[:columns]).to_arrow(), path, row_group_size=rows)
    assert pq.ParquetFile(path).metadata.row_group(0).num_rows == rows
    assert rows_of_group(path) == rows_of_group(path.read_bytes()) == rows


def test_polars_own_groups_are_found(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "t.parquet", row_group_size=30)
    expected = pq.ParquetFile(tmp_path / "t.parquet").metadata.row_group(0).num_rows
    assert rows_of_group(tmp_path / "t.parquet") == expected


def test_what_is_no_parquet_file_has_no_groups(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    TABLE.write_parquet(tmp_path / "t.parquet")
    whole = (tmp_path / "t.parquet").read_bytes()
    assert rows_of_group(tmp_path / "t.csv") is None
    assert rows_of_group(tmp_path / "none.parquet") is None
    assert rows_of_group(b"") is None
    assert rows_of_group(whole[:-3]) is None


@pytest.mark.parametrize("seed", range(50))
def test_a_damaged_footer_is_answered_in_time(seed: int, tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "t.parquet")
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    rng, length = np.random.default_rng(seed), int.from_bytes(content[-8:-4], "little")
    for place in rng.integers(len(content) - 8 - length, len(content) - 8, 5):
        content[place] = rng.integers(256)
    rows = rows_of_group(bytes(content))
    assert rows is None or rows > 0


@pytest.mark.parametrize("group", [None, 1, 3, 10, 64, 100, 1000])
def test_ranges_cover_all_rows_and_are_short(group: int | None) -> None:
    start, ends = 0, []
    while start < 1000:
        stop = group_end(start, group, 10)
        assert start < stop <= start + 10
        ends.append(start := stop)
    if group is not None and group <= 10:
        assert all(end % group == 0 for end in ends)
    elif group is not None:
        assert set(range(group, 1000, group)) <= set(ends)


@pytest.mark.parametrize(
    ("group", "pieces", "rows"), [(10, 16, 10), (10, 7, 10), (10, 4, 20), (40, 16, 7), (100, 2, 50)]
)
def test_parts_end_with_groups_unless_they_are_much_smaller(tmp_path: Path, group: int, pieces: int, rows: int) -> None:
    table = pl.DataFrame({"x": range(100)})
    pq.write_table(table.to_arrow(), tmp_path / "t.parquet", row_group_size=group)
    parts = open_table(tmp_path / "t.parquet").split(pieces).parts
    assert [part.first_row for part in parts] == list(range(0, 100, rows))


@pytest.mark.parametrize("group", [1, 7, 16, 40, 100])
@pytest.mark.parametrize("pieces", [1, 3, 50])
def test_tables_read_by_groups_are_whole(
    tmp_path: Path, group: int, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "READ_ROWS", 16)
    pq.write_table(TABLE.to_arrow(), tmp_path / "t.parquet", row_group_size=group)
    batches = list(open_table(tmp_path / "t.parquet").split(pieces).batches(size=5))
    assert pl.concat([batch.frame for batch in batches]).equals(TABLE)
    assert [batch.first_row for batch in batches] == np.cumsum(
        [0, *(each.frame.height for each in batches[:-1])]
    ).tolist()
