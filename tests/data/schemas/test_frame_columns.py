from typing import Any

import pandas as pd
import polars as pl
import pytest

from tacit import Schema, suggest_schema
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, Target
from tacit.errors import SchemaError

FRAME = pd.DataFrame({"age": [40, 50], "bmi": [20.5, None], "sex": ["f", "m"], "id": ["a", "b"], "ill": ["no", "yes"]})
BOUNDS: Any = {"age": (0, 110), "bmi": (10, 60), "sex": ["f", "m", "x"], "ill": ["no", "yes"]}


def test_types_come_from_the_frame_and_everything_else_is_stated() -> None:
    for frame in (FRAME, pl.from_dicts(FRAME.to_dict("records"))):
        schema = Schema.from_frame(frame, label="ill", bounds=BOUNDS)
        assert schema.columns == (
            Numeric("age", (0.0, 110.0), integer=True),
            Numeric("bmi", (10.0, 60.0)),
            Categorical("sex", ("f", "m", "x")),
            Ignored("id"),
            Label("ill", ("no", "yes")),
        )
        assert not schema.bounds_from_data


def test_no_cell_changes_the_schema() -> None:
    other = pd.DataFrame({"age": [1000, -7], "bmi": [0.0, 9.0], "sex": ["?", "!"], "id": ["", ""], "ill": ["a", "b"]})
    assert Schema.from_frame(other, label="ill", bounds=BOUNDS) == Schema.from_frame(FRAME, label="ill", bounds=BOUNDS)


def test_missing_cells_get_a_flag_and_a_category() -> None:
    schema = Schema.from_frame(FRAME, label="ill", bounds=BOUNDS, missing=True)
    assert all(column.flagged for column in schema.features)


def test_a_label_with_bounds_is_a_number_to_predict() -> None:
    schema = Schema.from_frame(FRAME, label="bmi", bounds={"age": (0, 110), "bmi": (10, 60)})
    assert schema.target == Target("bmi", (10.0, 60.0))


@pytest.mark.parametrize(
    ("label", "bounds", "message"),
    [
        ("state", BOUNDS, "'state' is no column"),
        ("ill", {**BOUNDS, "pulse": (0, 1)}, "'pulse' is no column"),
        ("ill", {"age": (0, 110)}, "must state the classes of the label"),
        (None, {"sex": (0, 1)}, "'sex' holds String and has bounds of numbers"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(label: str | None, bounds: dict[str, object], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema.from_frame(FRAME, label=label, bounds=bounds)  # type: ignore[arg-type]


def test_a_suggestion_says_that_it_was_read_from_the_rows() -> None:
    schema = suggest_schema(pd.DataFrame({"age": range(20, 60), "ill": ["no", "yes"] * 20}), label="ill")
    assert schema.bounds_from_data
    assert schema.classes == ("no", "yes")
    with pytest.raises(SchemaError, match="read from the rows"):
        schema.require_public_bounds()
