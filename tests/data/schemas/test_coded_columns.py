"""Columns of dates, and of codes that follow a pattern."""

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tacit.data.rows.encoding import decode, encode
from tacit.data.rows.inspection import inspect_table
from tacit.data.schemas.bad_records import BadRecords, with_policy
from tacit.data.schemas.coded_columns import Date, Pattern
from tacit.data.schemas.column_rules import column_from_dict, column_to_dict
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.conditions import parse_condition
from tacit.data.schemas.draft import draft_schema
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

VISIT = Date("visit", ("2019-01-01", "2024-12-31"))
WARD = Pattern("ward", pattern=r"[A-C]-\d{2}", missing="flag")


def days(text: str) -> float:
    return float((dt.date.fromisoformat(text) - dt.date(1970, 1, 1)).days)


def test_bounds_are_days_and_are_written_as_dates() -> None:
    assert VISIT.bounds == (days("2019-01-01"), days("2024-12-31"))
    assert column_to_dict(VISIT) == {"kind": "date", "bounds": ["2019-01-01", "2024-12-31"]}
    assert column_to_dict(WARD) == {"kind": "pattern", "pattern": r"[A-C]-\d{2}", "missing": "flag"}
    assert WARD.bounds == (0, 299)


@pytest.mark.parametrize(
    "column",
    [
        VISIT,
        WARD,
        Date("a", ("2019-01-01 06:00", "2019-01-02"), step="hour", missing="flag"),
        Date("a", ("01/02/2019", "02/02/2019"), format="%d/%m/%Y", missing_values=("00/00/0000",)),
        Pattern("a", pattern=r"\d{5}"),
    ],
)
def test_a_column_survives_a_schema_file(column: Date | Pattern) -> None:
    assert column_from_dict(column.name, column_to_dict(column)) == column
    schema = Schema((column, Numeric("n", (0, 1))))
    assert parse_schema(format_schema(schema)) == schema


def test_bounds_are_read_in_the_columns_format_and_as_usual() -> None:
    here, there = (Date("a", bounds, format="%d/%m/%Y") for bounds in (("01/02/2019", "02/02/2019"), VISIT.bounds))
    assert here.bounds == (days("2019-02-01"), days("2019-02-02"))
    assert Date("a", ("2019-01-01", "2024-12-31"), format="%d/%m/%Y") == there


def test_dates_without_quotes_are_dates_in_a_schema_file() -> None:
    text = 'version = 1\n[columns.visit]\nkind = "date"\nbounds = [2019-01-01, 2024-12-31]\n'
    assert parse_schema(text).columns == (VISIT,)


@pytest.mark.parametrize("bounds", [("2019-01-01",), ("x", "y"), "2019", None, ("2020-01-01", "2019-01-01"), (1, True)])
def test_bounds_that_are_no_dates_are_refused(bounds: Any) -> None:
    with pytest.raises(SchemaError, match="column 'visit': bounds must be two"):
        Date("visit", bounds)


@pytest.mark.parametrize("settings", [{"step": "week"}, {"format": "day"}, {"format": 3}, {"missing": 3}])
def test_a_wrong_setting_of_dates_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match=next(iter(settings))):
        Date("visit", ("2019-01-01", "2024-12-31"), **settings)


@pytest.mark.parametrize("pattern", ["", "A", r"\d{16}", "a*", 3])
def test_patterns_of_too_few_or_too_many_texts_are_refused(pattern: Any) -> None:
    with pytest.raises(SchemaError, match="column 'ward': pattern must be"):
        Pattern("ward", pattern=pattern)


TABLE = pl.DataFrame({"visit": ["2019-01-01", "2024-12-31", "2030-01-01"], "ward": ["A-00", None, "C-99"]})


def test_cells_are_encoded_by_their_bounds_and_decoded_as_they_were() -> None:
    schema = Schema((VISIT, WARD))
    rows = encode(TABLE, schema)
    assert rows.X[:, 0].tolist() == [0, 1, 1]
    assert rows.X[:, 1].tolist() == [0, 0.5, 1]
    assert rows.X[:, 2].tolist() == [0, 1, 0]
    decoded = decode(rows.X, schema)
    assert decoded["visit"].cast(pl.String).to_list() == ["2019-01-01", "2024-12-31", "2024-12-31"]
    assert decoded["ward"].to_list() == ["A-00", None, "C-99"]


def test_a_malformed_cell_is_refused_by_its_kind_without_being_shown() -> None:
    table = pl.DataFrame({"visit": ["31.12.2019"], "ward": ["A-00"]})
    with pytest.raises(SchemaError, match=r"is no date as the schema says\. Write it like 2019-01-01") as caught:
        encode(table, Schema((VISIT, WARD)))
    assert "31.12" not in str(caught.value)


def test_a_policy_gives_every_cell_a_rule() -> None:
    column = with_policy(VISIT, BadRecords.CATEGORY)
    assert column == Date("visit", ("2019-01-01", "2024-12-31"), missing="flag", malformed="missing")
    assert encode(pl.DataFrame({"visit": ["never"]}), Schema((column,))).X.tolist() == [[0.5, 1.0]]


def test_a_blank_that_looks_like_a_number_is_no_date() -> None:
    column = Date("visit", ("1960-01-01", "1980-01-01"), missing="flag", missing_values=("0",))
    rows = encode(pl.DataFrame({"visit": ["1970-01-01", "0"]}), Schema((column,)))
    assert rows.X[:, 1].tolist() == [0, 1]


def test_cells_outside_the_bounds_are_counted_for_the_owner() -> None:
    tallies = {each.name: each for each in inspect_table(TABLE, Schema((VISIT, WARD))).columns}
    assert tallies["visit"].clipped == 1
    assert tallies["ward"].missing == 1


def test_conditions_on_dates_and_codes_read_as_their_cells_do() -> None:
    between = parse_condition("visit = 2020-01-01 to 2020-12-31", (VISIT, WARD))
    assert (between.low, between.high) == (days("2020-01-01"), days("2020-12-31"))
    assert parse_condition("visit >= 2020-01-01", (VISIT,)).low == days("2020-01-01")
    assert parse_condition("ward = B-00 to B-99", (WARD,)).low == 100
    assert parse_condition("ward = missing", (WARD,)).missing
    with pytest.raises(InputError, match="holds texts like 2019-01-01"):
        parse_condition("visit >= yesterday", (VISIT,))


def test_dates_are_ordered_with_dates_of_one_step_alone() -> None:
    last = Date("last", VISIT.bounds)
    Schema((VISIT, last), constraints=("visit <= last",))
    for other in (Numeric("last", (0, 9)), Date("last", ("2019-01-01", "2019-01-02"), step="hour")):
        with pytest.raises(SchemaError, match="constraints: each must read"):
            Schema((VISIT, other), constraints=("visit <= last",))


def test_dates_of_different_bounds_are_rescaled_and_other_steps_or_patterns_are_not_matched() -> None:
    ours = Schema((VISIT, WARD))
    later = Date("visit", ("2020-01-01", "2024-12-31"))
    shared = ours.shared_with(Schema((later, Pattern("ward", pattern=r"\d{2}"))))
    assert shared.names == ("visit",)
    assert "theirs [2020-01-01, 2024-12-31]; values are rescaled" in shared.differences[0]
    assert "not matched" in shared.differences[1]
    assert ours.shared_with(Schema((Date("visit", VISIT.bounds, step="hour"),))).names == ()


def test_a_draft_takes_dates_for_dates(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "day": ["2019-05-01", "2021-06-30", "NA"],
            "moment": ["2019-05-01 08:30", "2019-05-01 09:45", "2019-05-02 10:00"],
            "class": ["a", "b", "a"],
        }
    )
    columns = draft_schema(table, label="class").schema.columns
    assert columns[0] == Date("day", ("2019-01-01", "2022-01-01"), missing="flag")
    assert columns[1] == Date("moment", ("2019-01-01", "2020-01-01"), step="minute")
    assert isinstance(columns[2], Label)
