"""The schema editor and the page of a table, as they answer: what is shown, saved, undone and refused."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.interfaces.studio.client import ORIGIN, Pages
from tests.interfaces.studio.test_tasks import Work

from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric
from tacit.data.schemas.file import read_schema
from tacit.interfaces.studio.schema_draft import MISSING_TEXTS
from tacit.interfaces.studio.tasks import describe

HOSTILE = '"><img src=x>'


@pytest.fixture
def studio(tmp_path: Path) -> Pages:
    n = 120
    frame = pl.DataFrame(
        {
            "age": [20 + place % 60 for place in range(n)],
            "sex": [("f", "m", "NA")[place % 3] for place in range(n)],
            HOSTILE: [place / 7 for place in range(n)],
            "name": [f"somebody {place}" for place in range(n)],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    pages = Pages(tmp_path)
    describe.run(Work(tmp_path, {"table": "t.csv"}))
    return pages


def send(studio: Pages, path: str, fields: Any, status: int = 200) -> dict[str, Any]:
    headers = {"Origin": ORIGIN, "Accept": "application/json"}
    answer = studio.ask("POST", f"/schema/t.csv/{path}", data=fields, headers=headers)
    assert answer.status_code == status, answer.text
    content: dict[str, Any] = answer.json()
    return content


def rows(page: str) -> dict[str, dict[str, Any]]:
    """Return the rule of each line of the editor by its name."""
    lines = re.findall(r'data-name="([^"]*)" data-rule="([^"]*)"', page)
    clean = [(name.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<"), rule) for name, rule in lines]
    return {name: json.loads(rule.replace("&quot;", '"')) for name, rule in clean}


def test_every_column_is_shown_with_its_rule_and_what_was_found_in_it(studio: Pages) -> None:
    page = studio.get("/table/t.csv")
    assert list(rows(page)) == ["age", "sex", HOSTILE, "name"]
    assert rows(page)["age"] == {"kind": "numeric", "bounds": [20.0, 80.0], "integer": True}
    assert rows(page)["sex"]["categories"] == ["f", "m"]
    assert "33.3" in page
    assert "free text or an identifier?" in page
    assert page.count('class="guessed"') == 3
    assert "4 facts were guessed" in page
    assert "<img" not in page
    assert 'class="spark"' in page


def test_no_cell_of_a_row_is_on_the_page_until_it_is_asked_for(studio: Pages) -> None:
    assert "somebody 3" not in studio.get("/table/t.csv")
    shown = studio.get("/table/rows/t.csv")
    assert "somebody 3" in shown
    assert "somebody 40" not in shown
    assert "<img" not in shown


def test_a_table_that_has_changed_is_to_be_read_again(studio: Pages, tmp_path: Path) -> None:
    with (tmp_path / "t.csv").open("a") as file:
        file.write("1,f,1.5,new\n")
    assert studio.ask("GET", "/table/t.csv").headers["location"] == "/data/"
    assert studio.ask("GET", "/table/rows/t.csv").status_code == 400
    assert "not read yet" in studio.get("/data/")


def test_what_is_saved_is_told_and_written(studio: Pages, tmp_path: Path) -> None:
    told = send(studio, "save", {"name": "age", "kind": "numeric", "low": "0", "high": "120", "integer": "on"})
    assert told["left"] == 3
    assert told["undo"]
    (column,) = told["columns"]
    assert (column["name"], column["kind"], column["facts"], column["guessed"]) == ("age", "number", "0 … 120", False)
    assert read_schema(tmp_path / "t.toml").features[0] == Numeric("age", (0, 120), integer=True)
    send(studio, "save", {"name": "sex", "kind": "label", "values": "f\nm"})
    assert read_schema(tmp_path / "t.toml").label == Label("sex", ("f", "m"))
    assert "2 to confirm" in studio.get("/data/")


def test_what_no_schema_may_hold_is_refused_and_changes_nothing(studio: Pages, tmp_path: Path) -> None:
    before = (tmp_path / "t.toml").read_bytes()
    for fields, words in (
        ({"name": "age", "kind": "numeric", "low": "9", "high": "1"}, "low < high"),
        ({"name": "age", "kind": "numeric", "low": "x", "high": "1"}, "must be numbers"),
        ({"name": "age", "kind": "nonsense"}, "kind must be one of"),
        ({"name": "none", "kind": "ignored"}, "no column"),
        ({"kind": "ignored"}, "no column"),
        ({"name": "sex", "kind": "categorical", "values": ""}, "categories"),
    ):
        assert words in send(studio, "save", fields, 400)["error"]
    assert "nothing to undo" in send(studio, "undo", {}, 400)["error"]
    assert (tmp_path / "t.toml").read_bytes() == before


def test_confirming_everything_makes_the_schema_public_and_undo_takes_it_back(studio: Pages, tmp_path: Path) -> None:
    told = send(studio, "confirm", {"name": ["age", "sex", HOSTILE, "none"]})
    assert told["left"] == 1
    assert [column["name"] for column in told["columns"]] == ["age", "sex", HOSTILE]
    told = send(studio, "blanks", {"blanks": "NA\n\n ? "})
    assert told["left"] == 0
    assert told["blanks"] == "NA\n?"
    schema = read_schema(tmp_path / "t.toml")
    assert not schema.bounds_from_data
    assert schema.missing_values == ("NA", "?")
    assert "DRAFT" not in (tmp_path / "t.toml").read_text()
    assert "schema confirmed" in studio.get("/data/")
    told = send(studio, "undo", {})
    assert (told["left"], told["blanks"], told["undo"]) == (1, "NA", True)
    told = send(studio, "undo", {})
    assert (told["left"], told["undo"]) == (4, False)
    assert "DRAFT" in (tmp_path / "t.toml").read_text()
    assert MISSING_TEXTS not in [column["name"] for column in told["columns"]]


def test_a_column_that_is_not_used_has_nothing_to_confirm(studio: Pages, tmp_path: Path) -> None:
    told = send(studio, "save", {"name": HOSTILE, "kind": "ignored"})
    assert told["columns"][0]["kind"] == "not used"
    columns = {column.name: column for column in read_schema(tmp_path / "t.toml").columns}
    assert columns[HOSTILE] == Ignored(HOSTILE)
    assert isinstance(columns["sex"], Categorical)
    assert told["left"] == 3


def test_the_editor_speaks_the_language_of_its_reader(studio: Pages) -> None:
    page = studio.get("/table/t.csv", **{"Accept-Language": "de"})
    assert "Angaben wurden aus Ihren Zeilen geraten" in page
    assert ">Zahl<" in page
    headers = {"Origin": ORIGIN, "Accept": "application/json", "Accept-Language": "de"}
    answer = studio.ask("POST", "/schema/t.csv/confirm", data={"name": "age"}, headers=headers)
    assert answer.json()["columns"][0]["kind"] == "Zahl"


def test_two_editors_of_one_schema_see_each_other(studio: Pages, tmp_path: Path) -> None:
    other = Pages(tmp_path)
    send(studio, "confirm", {"name": "age"})
    assert send(other, "confirm", {"name": "sex"})["left"] == 2
    assert send(studio, "confirm", {"name": HOSTILE})["left"] == 1
    # A file that was edited by hand counts as it is.
    text = (tmp_path / "t.toml").read_text().replace("bounds_from_data = true\n", "")
    (tmp_path / "t.toml").write_text(text)
    assert "Everything is stated as public" in studio.get("/table/t.csv")
