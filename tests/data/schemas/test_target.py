"""Numbers to predict: their rule, their place in a schema, and their encoding."""

import numpy as np
import polars as pl
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.rows.inspection import inspect_table
from tacit.data.schemas.columns import Ignored, Label, Numeric, Target
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError

SCHEMA = Schema((Numeric("size", (0, 10)), Target("price", (0, 100), missing_values=("?",)), Ignored("id")))
TABLE = pl.DataFrame({"size": ["1", "2", "3", "4"], "price": ["50", "?", "", "1000"], "id": list("abcd")})


def test_a_target_is_no_feature_and_no_label() -> None:
    assert SCHEMA.encoded_names == ("size",)
    assert SCHEMA.label is None
    assert SCHEMA.classes == ()
    assert SCHEMA.target == Target("price", (0.0, 100.0), ("?",))


def test_a_schema_with_a_target_survives_its_file() -> None:
    assert parse_schema(format_schema(SCHEMA)) == SCHEMA
    assert Schema.from_dict(SCHEMA.to_dict()) == SCHEMA


def test_a_label_and_a_target_exclude_each_other() -> None:
    with pytest.raises(SchemaError, match="the label or the target"):
        Schema((Numeric("x", (0, 1)), Label("y", ("a", "b")), Target("z", (0, 1))))


@pytest.mark.parametrize("bounds", [(1, 0), (0, float("inf")), 3])
def test_a_target_needs_bounds(bounds: object) -> None:
    with pytest.raises(SchemaError, match="two finite numbers"):
        Target("price", bounds)  # type: ignore[arg-type]


def test_cells_are_moved_to_the_bounds_and_missing_ones_are_unknown() -> None:
    rows = encode(TABLE, SCHEMA, labels="required")
    assert rows.targets is not None
    np.testing.assert_array_equal(rows.targets, [50, np.nan, np.nan, 100])
    assert rows.has_outcome.tolist() == [True, False, False, True]
    assert rows.outcomes is rows.targets
    kept = rows.where(rows.has_outcome)
    assert kept.targets is not None
    assert kept.targets.tolist() == [50.0, 100.0]


def test_a_table_to_predict_may_lack_its_target() -> None:
    rows = encode(TABLE.drop("price"), SCHEMA)
    assert not rows.has_outcome.any()
    with pytest.raises(SchemaError, match="price"):
        encode(TABLE.drop("price"), SCHEMA, labels="required")


def test_rows_with_labels_have_codes_for_outcomes() -> None:
    schema = Schema((Numeric("size", (0, 10)), Label("kind", ("a", "b"))))
    rows = encode(pl.DataFrame({"size": [1, 2], "kind": ["b", None]}), schema)
    assert rows.outcomes.tolist() == [1, -1]
    assert rows.has_outcome.tolist() == [True, False]


def test_a_cell_that_is_no_number_is_refused_without_showing_it() -> None:
    with pytest.raises(SchemaError, match="column 'price', row 1") as error:
        encode(TABLE.with_columns(price=pl.lit("secret")), SCHEMA)
    assert "secret" not in str(error.value)


def test_an_inspection_counts_the_target_too() -> None:
    (_, price) = inspect_table(TABLE, SCHEMA).columns
    assert price.name == "price"
    assert price.missing == 2


def test_a_schema_without_any_outcome_says_both_ways_out() -> None:
    with pytest.raises(SchemaError, match='"target" if a number'):
        encode(TABLE, Schema((Numeric("size", (0, 10)), Ignored("price"), Ignored("id"))), labels="required")
