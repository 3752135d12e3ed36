"""Texts that stand for whole numbers."""

import datetime as dt
import itertools
import string

import numpy as np
import polars as pl
import pytest

from tacit.data.schemas.notations import DateNotation, PatternNotation, pattern_parts, read_number, write_number


@pytest.mark.parametrize("step", ["day", "hour", "minute", "second"])
def test_dates_are_steps_since_1970_as_the_standard_library_counts_them(step: str) -> None:
    moment = dt.datetime(2024, 2, 29, 13, 45, 7, tzinfo=dt.UTC)
    seconds = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}[step]
    number = read_number(DateNotation(step), "2024-02-29 13:45:07")
    assert number == moment.timestamp() // seconds


@pytest.mark.parametrize("number", [-1, 0, 1, 11016, 19782])
@pytest.mark.parametrize("step", ["day", "hour", "minute", "second"])
@pytest.mark.parametrize("form", ["", "%d/%m/%Y %H:%M:%S"])
def test_a_written_date_is_read_as_the_same_number(number: int, step: str, form: str) -> None:
    notation = DateNotation(step, form)
    assert read_number(notation, write_number(notation, number)) == number


@pytest.mark.parametrize(
    "text", ["2024-05-31", " 2024-05-31 ", "2024-05-31 08:30", "2024-05-31T08:30:00.000000", "2024-05-31 08:30:15.5"]
)
def test_a_day_is_read_with_and_without_a_time(text: str) -> None:
    assert write_number(DateNotation(), read_number(DateNotation(), text) or 0.0) == "2024-05-31"


def test_cells_that_are_no_dates_are_null_and_typed_columns_are_read() -> None:
    day = dt.date(1970, 1, 2)
    moment = dt.datetime(1970, 1, 2, 5, tzinfo=dt.UTC)
    assert DateNotation().numbers(pl.Series(["x", "31.12.2020", "1970-02-30", None])).to_list() == [None] * 4
    assert DateNotation().numbers(pl.Series([day, None])).to_list() == [1.0, None]
    assert DateNotation("hour").numbers(pl.Series([moment])).to_list() == [29.0]
    assert DateNotation().cells(np.array([1.0, np.nan])).to_list() == [day, None]


def test_texts_of_a_pattern_are_numbered_in_the_order_of_its_parts() -> None:
    pattern = r"(AB|CD)-[x-z_]\d"
    texts = ["".join(parts) for parts in itertools.product(("AB", "CD"), "-", "xyz_", string.digits)]
    notation = PatternNotation(pattern)
    assert notation.size == len(texts) == 80
    assert notation.numbers(pl.Series(texts)).to_list() == list(range(80))
    assert notation.cells(np.arange(80.0)).to_list() == texts


def test_texts_that_do_not_follow_the_pattern_are_null() -> None:
    cells = pl.Series(["A-0017", " A-0017", "A-17", "B-0017", "A-00x7", "", None, "A-00171"])
    assert PatternNotation(r"A-\d{4}").numbers(cells).to_list() == [17.0, 17.0, *[None] * 6]


def test_codes_that_a_reader_took_for_numbers_keep_their_leading_zeros() -> None:
    assert PatternNotation(r"\d{5}").numbers(pl.Series([1007, 99999])).to_list() == [1007.0, 99999.0]
    assert write_number(PatternNotation(r"\d{5}"), 1007) == "01007"


def test_a_missing_number_is_an_empty_cell() -> None:
    assert PatternNotation(r"\d").cells(np.array([np.nan, 3.0])).to_list() == [None, "3"]


def test_escaped_signs_and_repeated_groups_are_parts() -> None:
    assert pattern_parts(r"\.\d{2}") == ((".",), tuple(string.digits), tuple(string.digits))
    assert pattern_parts("(ab|cd){2}") == (("ab", "cd"), ("ab", "cd"))


@pytest.mark.parametrize("pattern", ["", r"\w", "a*", "a+", "[^a]", "(a|bc)", "(a|a)", "[aa]", r"\d{1,3}", "(a", "a?b"])
def test_patterns_without_one_length_and_one_place_for_each_text_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        pattern_parts(pattern)
