"""A first draft of a schema."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric
from tacit.data.schemas.draft import HEADING, MANY_TEXTS, draft_schema, friendly_bounds
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Image
from tacit.errors import SchemaError

N = 60
TABLE = pl.DataFrame(
    {
        "patient_id": [str(1000 + i) for i in range(N)],
        "age": [str(17 + i) for i in range(N)],
        "ratio": ["NA" if i == 5 else f"{i / 100 + 0.005:.3f}" for i in range(N)],
        "grade": [f"{1 + i % 3}.0" for i in range(N)],
        "sex": ["" if i == 3 else ("m", "f")[i % 2] for i in range(N)],
        "note": [f"text {i}" for i in range(N)],
        "constant": ["7"] * N,
        "empty": [None] * N,
        "ill": [str(i % 2) for i in range(N)],
    }
)


def test_each_column_gets_a_first_guess() -> None:
    draft = draft_schema(TABLE, label="ill")
    assert draft.schema.columns == (
        Ignored("patient_id"),
        Numeric("age", (15, 80), integer=True),
        Numeric("ratio", (0.0, 0.6), missing="middle"),
        Categorical("grade", ("1", "2", "3")),
        Categorical("sex", ("f", "m"), missing="category"),
        Ignored("note"),
        Ignored("constant"),
        Ignored("empty"),
        Label("ill", ("0", "1")),
    )
    assert draft.schema.missing_values == ("NA",)


def test_a_draft_is_marked_and_refused_by_releases() -> None:
    draft = draft_schema(TABLE, label="ill")
    assert draft.schema.bounds_from_data
    with pytest.raises(SchemaError, match="bounds_from_data"):
        draft.schema.require_public_bounds()
    text = format_schema(draft.schema, heading=HEADING, comments=draft.remarks)
    assert "READ FROM THE PRIVATE ROWS" in text.splitlines()[1]
    assert "\nbounds_from_data = true\n" in text
    assert parse_schema(text) == draft.schema
    confirmed = parse_schema(text.replace("bounds_from_data = true\n", ""))
    confirmed.require_public_bounds()


def test_a_table_fits_its_own_draft() -> None:
    encoded = encode(TABLE, draft_schema(TABLE, label="ill").schema, labels="required")
    assert ((encoded.X >= 0) & (encoded.X <= 1)).all()


def test_doubtful_guesses_are_remarked_on() -> None:
    remarks = draft_schema(TABLE, label="ill").remarks
    assert set(remarks) == {"patient_id", "grade", "note", "constant", "empty", "ill"}
    assert f"{N} different texts" in remarks["note"]


def test_without_a_label_there_is_none() -> None:
    assert draft_schema(TABLE).schema.label is None


def test_a_label_that_is_no_column_is_refused() -> None:
    with pytest.raises(SchemaError, match="label 'sick' is no column"):
        draft_schema(TABLE, label="sick")


def test_a_label_of_one_class_is_refused() -> None:
    with pytest.raises(SchemaError, match="column 'constant': classes must be 2 or more"):
        draft_schema(TABLE, label="constant")


def test_typed_columns_are_guessed_like_text() -> None:
    table = pl.DataFrame({"n": np.linspace(0.1, 0.9, 30), "c": [1, 2, 3] * 10, "nested": [[1]] * 30})
    assert draft_schema(table).schema.columns == (
        Numeric("n", (0.1, 0.9)),
        Categorical("c", ("1", "2", "3")),
        Ignored("nested"),
    )


def test_many_texts_are_free_text() -> None:
    table = pl.DataFrame({"n": [i / 2 for i in range(MANY_TEXTS + 1)], "t": [f"t{i}" for i in range(MANY_TEXTS + 1)]})
    assert draft_schema(table).schema.columns[1] == Ignored("t")
    assert isinstance(draft_schema(table.head(MANY_TEXTS)).schema.columns[1], Categorical)


def test_pictures_get_their_shape_and_one_pair_of_bounds() -> None:
    pixels = {f"x{i}": pl.Series([0, i], dtype=pl.UInt8) for i in range(6)}
    schema = draft_schema(pl.DataFrame(pixels), images={"x": (2, 3)}).schema
    assert schema.image == Image(tuple(pixels), (2, 3))
    assert {column.bounds for column in schema.features if isinstance(column, Numeric)} == {(0.0, 255.0)}


@given(st.floats(-1e9, 1e9, allow_subnormal=False), st.floats(1e-6, 1e9))
def test_friendly_bounds_hold_the_data_and_are_not_far_out(low: float, span: float) -> None:
    high = low + span
    if high <= low:
        return
    bounds = friendly_bounds(low, high)
    assert bounds[0] <= low < high <= bounds[1]
    assert bounds[1] - bounds[0] <= 1.3 * (high - low) + 1e-9 * max(abs(low), abs(high))


@pytest.mark.parametrize(
    ("data", "bounds"),
    [((17, 90), (15, 90)), ((12285, 1490400), (0, 1500000)), ((0, 99999), (0, 100000)), ((0.013, 0.97), (0, 1))],
)
def test_friendly_bounds_are_round_numbers(data: tuple[float, float], bounds: tuple[float, float]) -> None:
    assert friendly_bounds(*data) == bounds
