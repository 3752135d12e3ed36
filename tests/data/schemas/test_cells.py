"""Cells of one column, read by its rule."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.schemas.cells import category_cells, codes_of, numeric_cells
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.errors import SchemaError

AGE = Numeric("age", (0, 110), missing_values=("-9",))
CELLS = st.one_of(
    st.none(),
    st.sampled_from(["", " ", "NA", "-9", "-9.0", " 7 ", "7", "1e2", "nan", "inf", "-inf", "x", "1,5", "+3", "--2"]),
    st.floats(-1e6, 1e6).map(str),
)


def slow_number(cell: str | None) -> float | str:
    """Return the number in a cell, or what is wrong with it: one cell at a time."""
    text = (cell or "").strip()
    if text in {"", "NA", "-9"}:
        return "missing"
    try:
        number = float(text)
    except ValueError:
        return "malformed"
    if math.isnan(number) or number == -9:
        return "missing"
    return number if math.isfinite(number) else "malformed"


@given(st.lists(CELLS, min_size=1, max_size=30))
def test_numbers_are_read_as_one_cell_at_a_time_would_be(cells: list[str | None]) -> None:
    read = numeric_cells(pl.Series("age", cells, dtype=pl.String), AGE, missing_values=("NA",))
    for position, cell in enumerate(cells):
        slow = slow_number(cell)
        assert read.missing[position] == (slow == "missing")
        assert read.malformed[position] == (slow == "malformed")
        if isinstance(slow, float):
            assert read.values[position] == slow
        else:
            assert math.isnan(read.values[position])


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("age", [1, None, -9, 3]),
        pl.Series("age", [1.0, math.nan, -9.0, 3.0]),
        pl.Series("age", [1, None, -9, 3], dtype=pl.Int8),
        pl.Series("age", ["1", "", "-9", "3"], dtype=pl.Categorical),
    ],
)
def test_typed_columns_are_read_like_text(series: pl.Series) -> None:
    read = numeric_cells(series, AGE)
    assert read.missing.tolist() == [False, True, True, False]
    assert not read.malformed.any()
    assert read.values[[0, 3]].tolist() == [1.0, 3.0]


def test_truth_values_are_numbers() -> None:
    assert numeric_cells(pl.Series("age", [True, False]), AGE).values.tolist() == [1.0, 0.0]


def test_what_lies_outside_the_bounds_is_told() -> None:
    cells = numeric_cells(pl.Series("age", ["-1", "0", "110", "111", ""]), AGE)
    assert cells.outside(AGE).tolist() == [True, False, False, True, False]


def test_reading_leaves_the_table_as_it_was() -> None:
    series = pl.Series("age", [1.0, -9.0, 3.0])
    numeric_cells(series, AGE)
    assert series.to_list() == [1.0, -9.0, 3.0]


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (["3", "7", "6"], [0, 2, 1]),
        (["3.0", " 7 ", "6.00"], [0, 2, 1]),
        ([3, 7, 6], [0, 2, 1]),
        ([3.0, 7.0, math.nan], [0, 2, -1]),
        ([None, "", "?"], [-1, -1, -1]),
        ([None, None, None], [-1, -1, -1]),
    ],
)
def test_codes_are_found_however_a_whole_number_is_written(cells: list[object], codes: list[int]) -> None:
    read = category_cells(pl.Series("thal", cells), Categorical("thal", ("3", "6", "7")), missing_values=("?",))
    assert read.codes.tolist() == codes
    assert read.missing.tolist() == [code < 0 for code in codes]
    assert not read.unknown.any()


def test_unknown_is_told_from_missing() -> None:
    read = category_cells(
        pl.Series("thal", ["3", "4", "", "x"]), Categorical("thal", ("3", "6"), missing_values=("x",))
    )
    assert read.unknown.tolist() == [False, True, False, False]
    assert read.missing.tolist() == [False, False, True, True]


def test_merged_texts_and_class_names_are_both_understood() -> None:
    label = Label("num", ("healthy", "ill"), merge={"0": "healthy", "1": "ill", "2": "ill"})
    assert codes_of(label) == {"healthy": 0, "ill": 1, "0": 0, "1": 1, "2": 1}
    read = category_cells(pl.Series("num", ["2.0", "ill", "0", None]), label)
    assert read.codes.tolist() == [1, 1, 0, -1]


@pytest.mark.parametrize("series", [pl.Series("age", [[1], [2]]), pl.Series("age", [b"1", b"2"])])
def test_cells_that_are_neither_number_nor_text_are_refused(series: pl.Series) -> None:
    with pytest.raises(SchemaError, match="column 'age': cells must be numbers or text"):
        numeric_cells(series, AGE)
    with pytest.raises(SchemaError, match="column 'age'"):
        category_cells(series, Categorical("age", ("1", "2")))


def test_dates_are_read_as_their_text() -> None:
    series = pl.Series("day", ["2024-01-02", "2024-01-03"]).str.to_date()
    read = category_cells(series, Categorical("day", ("2024-01-03", "2024-01-02")))
    np.testing.assert_array_equal(read.codes, [1, 0])


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_truth_values_are_the_same_as_words_and_as_such(word: str) -> None:
    words, values = pl.Series([word, word]), pl.Series([True, True])
    for categories in (("true", "false"), ("True", "False")):
        column = Categorical("c", categories)
        assert category_cells(words, column).codes.tolist() == category_cells(values, column).codes.tolist() == [0, 0]
    number = Numeric("c", (0, 1))
    assert numeric_cells(words, number).values.tolist() == numeric_cells(values, number).values.tolist() == [1.0, 1.0]


def test_truth_values_beside_numbers_and_blanks() -> None:
    cells = numeric_cells(pl.Series([" FALSE", "0.5", "", None, "maybe"]), Numeric("c", (0, 1)))
    assert cells.values[:2].tolist() == [0.0, 0.5]
    assert cells.missing.tolist() == [False, False, True, True, False]
    assert cells.malformed.tolist() == [False, False, False, False, True]


def test_a_class_that_merges_two_truth_values_is_found_in_any_case() -> None:
    column = Label("c", ("known", "other"), merge={"True": "known"})
    assert category_cells(pl.Series([True, False]), column).codes.tolist() == [0, -1]
