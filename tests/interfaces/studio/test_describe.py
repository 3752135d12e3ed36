"""Descriptions of tables: types, missing cells, histograms and first rows, told from a table that has changed since."""

import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.interfaces.studio.served import write_patients
from tests.interfaces.studio.test_tasks import Work

from tacit.data.schemas.draft import HEADING, draft_schema
from tacit.data.schemas.file import format_schema, read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.table_description import TableDescription, describe, description_path
from tacit.interfaces.studio.tasks import describe as task
from tacit.interfaces.studio.tasks import import_table


def described(folder: Path, frame: pl.DataFrame, name: str = "t.parquet") -> TableDescription:
    frame.write_parquet(folder / name)
    assert task.run(Work(folder, {"table": name})) == {"table": name, "rows": frame.height, "columns": frame.width}
    found = describe(WorkFolder.at(folder), name)
    assert found is not None
    return found


def test_every_column_is_told_by_type_missing_cells_and_histogram(tmp_path: Path) -> None:
    n = 240
    frame = pl.DataFrame(
        {
            "whole": np.arange(n) % 60,
            "number": np.linspace(-1.5, 2.5, n),
            "gaps": [None if place % 4 == 0 else place / 7 for place in range(n)],
            "words": ["a", "b", "b"] * (n // 3),
            "codes": [f"x{place}" for place in range(n)],
            "day": [f"2024-01-{1 + place % 28:02d}" for place in range(n)],
            "lists": [[place] for place in range(n)],
        }
    )
    found = described(tmp_path, frame)
    columns = {column["name"]: column for column in found.columns}
    types = {name: column["type"] for name, column in columns.items()}
    assert types == {"whole": "whole number", "number": "number", "gaps": "number", "words": "text", "codes": "text",
                     "day": "date", "lists": "List(Int64)"}  # fmt: skip
    assert columns["gaps"]["missing"] == n // 4
    assert sum(columns["number"]["bars"]) == n
    assert len(columns["number"]["bars"]) == task.BINS
    assert (columns["number"]["first"], columns["number"]["last"]) == ("-1.5", "2.5")
    assert columns["words"]["bars"] == [160, 80]
    assert (columns["words"]["first"], columns["words"]["last"]) == ("b", "a")
    # Texts that are nearly all different have no histogram; neither do nested cells.
    assert columns["codes"]["bars"] == columns["lists"]["bars"] == []
    assert columns["day"]["first"] == "2024-01-01"
    assert found.n_rows == n
    assert len(found.first) == task.FIRST_ROWS


def test_one_row_and_constant_columns_are_described(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.5], "b": ["x"], "c": [None]}, schema_overrides={"c": pl.String})
    (tmp_path / "t.toml").write_text(format_schema(Schema.from_frame(frame, bounds={"a": (0, 2)})))
    columns = described(tmp_path, frame).columns
    assert sum(columns[0]["bars"]) == 1
    assert columns[1]["bars"] == [1]
    assert columns[2] == {"name": "c", "type": "text", "missing": 1, "bars": [], "first": "", "last": ""}


def test_a_schema_is_drafted_once_and_then_left_alone(tmp_path: Path) -> None:
    write_patients(tmp_path / "patients.csv", 80)
    work = Work(tmp_path, {"table": "patients.csv", "label": "ill"})
    task.run(work)
    drafted = draft_schema(pl.read_csv(tmp_path / "patients.csv", infer_schema=False), label="ill")
    text = (tmp_path / "patients.toml").read_text()
    assert text == format_schema(drafted.schema, heading=HEADING, comments=drafted.remarks)
    (tmp_path / "patients.toml").write_text(text.replace("bounds_from_data = true\n", ""))
    task.run(Work(tmp_path, {"table": "patients.csv"}))
    assert not read_schema(tmp_path / "patients.toml").bounds_from_data


def test_a_description_of_a_table_that_has_changed_is_no_description(tmp_path: Path) -> None:
    folder = WorkFolder.at(tmp_path)
    assert describe(folder, "t.parquet") is None
    described(tmp_path, pl.DataFrame({"a": np.arange(30), "b": ["x", "y"] * 15}))
    path = description_path(folder, "t.parquet")
    assert path.stat().st_mode & 0o077 == 0
    pl.DataFrame({"a": np.arange(31)}).write_parquet(tmp_path / "t.parquet")
    assert describe(folder, "t.parquet") is None
    for broken in ("", "[]", "{}", json.dumps({"signature": 1})):
        path.write_text(broken)
        assert describe(folder, "t.parquet") is None


def test_long_cells_are_cut_and_first_rows_are_text(tmp_path: Path) -> None:
    found = described(tmp_path, pl.DataFrame({"a": ["x" * 500, None] * 20, "b": np.arange(40)}))
    assert len(found.first[0][0]) == task.LONGEST_CELL
    assert found.first[1] == ("", "1")


SHEET = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="xl/workbook.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="Visits" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="worksheets/sheet1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>',
}


def write_sheet(path: Path, rows: list[tuple[object, ...]]) -> None:
    """Write the smallest spreadsheet that holds ``rows``."""

    def cell(place: str, value: object) -> str:
        text = f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
        return text if isinstance(value, str) else f'<c r="{place}"><v>{value}</v></c>'

    lines = [
        f'<row r="{number}">' + "".join(cell(f"{'ABC'[at]}{number}", each) for at, each in enumerate(row)) + "</row>"
        for number, row in enumerate(rows, start=1)
    ]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w") as book:
        for name, content in {**SHEET, "xl/worksheets/sheet1.xml": sheet}.items():
            book.writestr(name, content)


def test_a_spreadsheet_becomes_a_table_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel", reason="needs fastexcel (extra `excel`)")
    write_sheet(tmp_path / "visits.xlsx", [("age", "ward"), *((20 + place, "ab"[place % 2]) for place in range(60))])
    made = import_table.run(Work(tmp_path, {"spreadsheet": "visits.xlsx"}))
    assert made == {"table": "visits.parquet", "rows": 60, "columns": 2}
    assert pl.read_parquet(tmp_path / "visits.parquet")["age"].to_list()[:2] == [20, 21]
    # A second time it gets a name of its own.
    assert import_table.run(Work(tmp_path, {"spreadsheet": "visits.xlsx"}))["table"] == "visits-1.parquet"


def test_an_answer_of_a_database_never_replaces_a_file(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c.db") as database:
        database.execute("CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) "
                         "SELECT i AS a, i % 3 AS b FROM n")  # fmt: skip
    asked = {"database": "c.db", "query": "SELECT a, b FROM t WHERE b < 2 OR 'x?' = 'x?'", "output": "q.parquet"}
    assert import_table.run(Work(tmp_path, asked))["rows"] == 50
    whole = (tmp_path / "q.parquet").read_bytes()
    with pytest.raises(InputError, match="exists already"):
        import_table.run(Work(tmp_path, asked))
    assert (tmp_path / "q.parquet").read_bytes() == whole
    for query in ("ATTACH '/etc/passwd' AS x", "DROP TABLE t", "SELECT readfile('/etc/passwd')"):
        with pytest.raises(TacitError):
            import_table.run(Work(tmp_path, {**asked, "query": query, "output": "r.parquet"}))
    assert not (tmp_path / "r.parquet").exists()
