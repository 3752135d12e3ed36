"""Matrices and data frames as levels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.models.additive.levels import levels_of
from tacit.models.additive.table_input import PublicColumns, column_bounds, features_of_frame

SCHEMA = Schema((Numeric("age", (0, 100), missing="flag"), Categorical("sex", ("f", "m"))))
FRAME = pl.DataFrame({"sex": ["m", "f"], "age": ["30", None], "note": ["x", "y"]})


def test_bounds_or_a_schema_must_be_given_and_not_both() -> None:
    for bounds, schema in ((None, None), ((0, 1), SCHEMA)):
        with pytest.raises(InputError, match="one of them"):
            PublicColumns(bounds, schema)


def test_a_frame_has_the_levels_of_its_cells() -> None:
    codes, columns, target = PublicColumns(None, SCHEMA).codes_to_fit(BaseEstimator(), FRAME, ["a", "b"])
    assert codes[0, 0] == levels_of(SCHEMA.features)[0].codes(np.array([30.0]))[0]
    assert codes[1, 0] == columns[0].size - 1
    assert codes[:, 1].tolist() == [1, 0]
    assert target.tolist() == ["a", "b"]


def test_an_estimator_remembers_the_columns_of_a_frame() -> None:
    estimator = BaseEstimator()
    PublicColumns(None, SCHEMA).codes_to_fit(estimator, FRAME, [0, 1])
    assert estimator.n_features_in_ == 2
    assert estimator.feature_names_in_.tolist() == ["age", "sex"]


def test_pandas_and_polars_give_the_same_columns() -> None:
    pandas = pd.DataFrame({"sex": ["m", "f"], "age": [30.0, 40.0]})
    assert features_of_frame(pandas, SCHEMA)["age"].to_list() == [30.0, 40.0]
    assert features_of_frame(FRAME, SCHEMA).columns == ["age", "sex"]


@pytest.mark.parametrize("X", [np.zeros((2, 2)), pl.DataFrame({"age": [1]}), pd.DataFrame({"sex": ["f"]})])
def test_what_is_no_frame_with_the_columns_is_refused(X: object) -> None:
    with pytest.raises(InputError, match="X must be a data frame"):
        features_of_frame(X, SCHEMA)


def test_a_target_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="for each of 2 rows"):
        PublicColumns(None, SCHEMA).codes_to_fit(BaseEstimator(), FRAME, [0, 1, 1])


def test_a_draft_schema_is_refused() -> None:
    draft = Schema(SCHEMA.columns, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        PublicColumns(None, draft).levels(2)


def test_columns_of_a_matrix_are_numbered_or_named() -> None:
    public = PublicColumns((np.array([0, -1]), np.array([1, 5])), None)
    assert [column.name for column in public.levels(2)] == ["column 1", "column 2"]
    named = public.levels(2, np.array(["a", "b"], dtype=object))
    assert [(column.name, column.low, column.high) for column in named] == [("a", 0.0, 1.0), ("b", -1.0, 5.0)]


def test_bounds_that_are_no_bounds_are_refused() -> None:
    with pytest.raises(InputError):
        column_bounds((1, 0), 2)
    with pytest.raises(InputError):
        column_bounds((np.zeros(3), np.ones(3)), 2)
