"""A fabricated table is written block by block, whole or not at all, with its release beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.models.marginals.conftest import SCHEMA, people

import tacit
from tacit.data.reading.table_source import read_table
from tacit.errors import ReleaseError
from tacit.kinds.fabricated_rows.rows import InventedRows
from tacit.workflows.fabricated_tables import open_fabricated, write_fabricated


@pytest.fixture(params=["marginals", "moments"])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> InventedRows:
    monkeypatch.setattr("tacit.models.marginals.model.BLOCK", 50)
    monkeypatch.setattr("tacit.kinds.fabricated_rows.rows.BLOCK", 50)
    return tacit.fabricate(people(300), SCHEMA, epsilon=2, method=request.param, rows=170, random_state=0)


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
def test_the_file_holds_all_blocks_and_its_release_the_counts(rows: InventedRows, tmp_path: Path, name: str) -> None:
    assert len(list(rows.tables())) == 4
    write_fabricated(rows, tmp_path / name)
    opened = open_fabricated(tmp_path / name)
    table = rows.table()
    assert opened.table.columns == table.columns
    assert opened.table.height == 170
    for column in table.columns:
        assert opened.table[column].cast(pl.String).to_list() == table[column].cast(pl.String).to_list()
    classes = len(SCHEMA.classes)
    assert np.array_equal(opened.release.arrays["counts"], np.bincount(rows.y, minlength=classes))


@dataclass
class Broken:
    """Rows of which the second block cannot be made."""

    rows: InventedRows

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)

    def tables(self) -> Iterator[tuple[pl.DataFrame, Any]]:
        yield next(self.rows.tables())
        raise ReleaseError("no more")


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
def test_a_failure_between_blocks_leaves_the_old_file_and_no_other(
    rows: InventedRows, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(b"old")
    with pytest.raises(ReleaseError, match="no more"):
        write_fabricated(Broken(rows), tmp_path / name)
    assert (tmp_path / name).read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_rows_drawn_from_a_release_are_the_same_in_memory_and_in_a_file(tmp_path: Path) -> None:
    release = tacit.release(people(300), SCHEMA, epsilon=2, method="marginals", random_state=0)
    drawn = tacit.fabricate_from(release, rows=40, random_state=3, output=tmp_path / "f.csv")
    assert drawn.n_rows == 40
    again = tacit.fabricate_from(release, rows=40, random_state=3)
    written = read_table(tmp_path / "f.csv")
    name = SCHEMA.label.name if SCHEMA.label else ""
    assert written[name].to_list() == again.table()[name].cast(pl.String).to_list()
