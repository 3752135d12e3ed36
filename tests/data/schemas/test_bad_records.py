"""Every cell has a rule once a policy is declared; without one the schema is as it was."""

import numpy as np
import polars as pl
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.schemas.bad_records import BadRecords
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import SchemaError

SCHEMA = Schema(
    (
        Ignored("id"),
        Numeric("age", (0, 100)),
        Numeric("height", (0, 200), missing=170),
        Categorical("smoker", ("never", "yes")),
        Categorical("ward", ("a", "b"), missing="b"),
        Label("ill", ("no", "yes")),
    )
)
# Whatever may stand in a cell.
CELLS = ["", "x", "-1", "1e999", "nan", "never", "yes", "3", " "]


def table() -> pl.DataFrame:
    names = [column.name for column in SCHEMA.columns]
    return pl.DataFrame({name: CELLS[k:] + CELLS[:k] for k, name in enumerate(names)})


@pytest.mark.parametrize("policy", ["clip", "category"])
def test_every_cell_has_a_rule(policy: str) -> None:
    rules = SCHEMA.with_bad_records(policy)
    assert rules.refusing_columns == ()
    rows = encode(table(), rules, labels="column")
    assert np.isfinite(rows.X).all()
    assert rows.X.min() >= 0
    assert rows.X.max() <= 1
    assert set(rows.y.tolist()) == {-1, 1}


def test_clipping_takes_the_middle_or_the_first_category_and_adds_no_column() -> None:
    rules = SCHEMA.with_bad_records("clip")
    assert rules.encoded_names == SCHEMA.encoded_names
    bad = pl.DataFrame({"id": ["1"], "age": ["x"], "height": ["x"], "smoker": ["x"], "ward": ["x"], "ill": ["x"]})
    assert encode(bad, rules, labels="column").X.tolist() == [[0.5, 0.85, 1, 0, 0, 1]]


def test_a_category_of_its_own_is_one_more_encoded_column() -> None:
    rules = SCHEMA.with_bad_records("category")
    assert rules.encoded_names[:2] == ("age", "age is missing")
    assert "smoker is missing" in rules.encoded_names
    assert "ward is missing" not in rules.encoded_names  # its own rule stays
    bad = pl.DataFrame({"id": ["1"], "age": ["x"], "height": ["x"], "smoker": ["x"], "ward": ["x"], "ill": ["x"]})
    assert encode(bad, rules, labels="column").X.tolist() == [[0.5, 1, 0.85, 0, 0, 1, 0, 1]]


def test_missing_needs_a_rule_of_every_column() -> None:
    with pytest.raises(SchemaError, match="column 'age': missing must be set"):
        SCHEMA.with_bad_records("missing")
    ruled = Schema((Numeric("age", (0, 100), missing="middle"), Label("ill", ("no", "yes"))))
    assert ruled.refusing_columns == ("age", "ill")
    assert ruled.with_bad_records("missing").refusing_columns == ()


def test_refusing_changes_nothing_and_other_words_are_refused() -> None:
    assert SCHEMA.with_bad_records(BadRecords.REFUSE) == SCHEMA
    assert SCHEMA.refusing_columns == ("age", "height", "smoker", "ward", "ill")
    with pytest.raises(SchemaError, match="bad_records must be one of 'refuse', 'clip', 'category', 'missing'"):
        SCHEMA.with_bad_records("guess")


def test_a_file_declares_it_in_a_line_and_writes_the_rules_out() -> None:
    text = format_schema(SCHEMA).replace("version = 1", 'version = 1\nbad_records = "clip"')
    rules = parse_schema(text)
    assert rules == SCHEMA.with_bad_records("clip")
    assert parse_schema(format_schema(rules)) == rules
    assert Schema.from_dict(rules.to_dict()) == rules


def test_pixels_have_no_mark_of_their_own() -> None:
    pixels = Schema((Numeric("p0", (0, 1)), Numeric("p1", (0, 1))), image=Image(("p0", "p1"), (1, 2)))
    rules = pixels.with_bad_records("category")
    assert rules.encoded_names == ("p0", "p1")
    assert rules.refusing_columns == ()


def test_malformed_is_one_of_two_words() -> None:
    with pytest.raises(SchemaError, match="malformed must be 'error' or 'missing'"):
        Numeric("age", (0, 1), malformed="guess")
