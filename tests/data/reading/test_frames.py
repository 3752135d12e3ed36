import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.data.reading.frames import is_frame, polars_frame
from tacit.errors import InputError

pa = pytest.importorskip("pyarrow")

CELLS = {"age": [40.5, None, 7.0], "visits": [1, 2, 3], "sex": ["f", None, "m"], "ill": [True, False, True]}


def test_frames_of_three_libraries_are_the_same_polars_frame() -> None:
    expected = pl.DataFrame(CELLS)
    for frame in (pd.DataFrame(CELLS), pa.table(CELLS), expected):
        assert is_frame(frame)
        converted = polars_frame(frame)
        assert converted.columns == expected.columns
        assert converted.fill_nan(None).equals(expected)


def test_nullable_and_categorical_columns_of_pandas_keep_their_cells() -> None:
    frame = pd.DataFrame(
        {
            "count": pd.array([1, None, 3], dtype="Int64"),
            "ward": pd.Categorical(["a", None, "b"]),
            "mixed": np.array([1, "x", np.nan], dtype=object),
            "day": pd.to_datetime(["2024-01-02", None, "2024-03-04"]),
        },
        index=[7, 7, 9],
    )
    converted = polars_frame(frame)
    assert converted["count"].to_list() == [1, None, 3]
    assert converted["ward"].to_list() == ["a", None, "b"]
    assert converted["mixed"].to_list() == ["1", "x", None]
    assert converted["day"].to_list() == [dt.datetime(2024, 1, 2), None, dt.datetime(2024, 3, 4)]


def test_a_frame_without_rows_keeps_its_columns() -> None:
    assert polars_frame(pd.DataFrame({"a": [], "b": []})).columns == ["a", "b"]


def test_columns_named_by_numbers_get_texts_as_names() -> None:
    assert polars_frame(pd.DataFrame([[1, 2]])).columns == ["0", "1"]


@pytest.mark.parametrize("table", [[[1, 2]], np.zeros((2, 2)), {"a": [1]}, "patients.csv", None])
def test_what_is_no_frame_is_refused(table: object) -> None:
    assert not is_frame(table)
    with pytest.raises(InputError, match="must be a data frame"):
        polars_frame(table)


def test_two_columns_of_one_name_are_refused_without_showing_a_cell() -> None:
    with pytest.raises(InputError) as caught:
        polars_frame(pd.DataFrame([["secret", 2]], columns=["a", "a"]))
    assert "secret" not in str(caught.value)
