"""A column with blanks as a learning problem: which column may be asked for, and what the others become."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.situations.missing.problem import inference_problem

SCHEMA = Schema(
    (
        Ignored("id"),
        Numeric("age", (0, 100)),
        Categorical("race", ("a", "b", "c"), missing_values=("withheld",)),
        Label("ill", ("no", "yes"), merge={"0": "no", "1": "yes", "2": "yes"}),
    ),
    missing_values=("?",),
)
TABLE = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4", "5", "6"],
        "age": ["10", "20", "30", "40", "50", "60"],
        "race": ["a", "withheld", "b", None, "a", "b"],
        "ill": ["0", "2", "1", None, "no", "?"],
    }
)


def test_a_feature_becomes_the_label_and_the_label_a_feature_where_it_is_present() -> None:
    found = inference_problem(TABLE, SCHEMA, "race")
    assert_array_equal(found.y, [0, -1, 1, -1, 0, 1])
    assert_array_equal(found.missing, [False, True, False, True, False, False])
    assert found.rules.classes == ("a", "b", "c")
    assert found.rules.encoded_names == ("age", "ill = no", "ill = yes", "ill is missing")
    ill = [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert_array_equal(found.X, np.column_stack([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], ill]))


def test_the_label_itself_may_be_asked_for() -> None:
    table = TABLE.with_columns(race=pl.lit("a"))
    found = inference_problem(table, SCHEMA, "ill")
    assert found.rules == SCHEMA
    assert_array_equal(found.y, [0, 1, 1, -1, 0, -1])


def test_a_table_without_its_label_is_asked_without_it() -> None:
    assert inference_problem(TABLE.drop("ill"), SCHEMA, "race").rules.encoded_names == ("age",)


def test_a_class_of_the_label_that_is_not_listed_is_refused_as_ever() -> None:
    with pytest.raises(SchemaError, match="outside the closed list"):
        inference_problem(TABLE.with_columns(ill=pl.Series(["no", "maybe", "1", "0", "0", "0"])), SCHEMA, "race")


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [
        ("size", None, "must be a column of the schema with a closed list ('race', 'ill')"),
        ("age", None, "'age' is numeric"),
        ("id", None, "'id' is ignored"),
        ("race", ["a", "b", "a", "b", "c", "a"], "no missing cell"),
        ("race", [None] * 6, "missing in every row"),
        ("race", ["a", "a", "a", "", "?", "withheld"], "one category only"),
        ("race", ["a", "a", "a", "b", None, None], "two rows or more of two categories"),
    ],
)
def test_what_cannot_be_asked_is_said(column: str, cells: list[str | None] | None, said: str) -> None:
    table = TABLE if cells is None else TABLE.with_columns(pl.Series("race", cells, dtype=pl.String))
    with pytest.raises(InputError) as caught:
        inference_problem(table, SCHEMA, column)
    assert said in str(caught.value)


def test_a_column_that_the_table_lacks_and_one_without_company_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"survey\.csv: the table lacks 'race'"):
        inference_problem(TABLE.drop("race"), SCHEMA, "race", source="survey.csv")
    alone = Schema((Categorical("race", ("a", "b")), Ignored("id")))
    with pytest.raises(InputError, match="no other column"):
        inference_problem(TABLE.select("id", "race"), alone, "race")
    one = Schema((Numeric("age", (0, 100)), Categorical("race", ("a",))))
    with pytest.raises(InputError, match="one category only"):
        inference_problem(TABLE.select("age", "race"), one, "race")
