"""How a table fares under a schema."""

import polars as pl
import pytest

from tacit.data.rows.encoding import encode
from tacit.data.rows.inspection import ColumnTally, inspect_table
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError

SCHEMA = Schema(
    (
        Numeric("age", (20, 100)),
        Numeric("chol", (100, 300), missing="middle"),
        Categorical("sex", ("f", "m"), unknown="missing"),
        Categorical("smokes", ("no", "yes"), missing="category"),
        Label("ill", ("no", "yes")),
    )
)
TABLE = pl.DataFrame(
    {
        "age": ["10", "50", "x", ""],
        "chol": ["", "90", "301", "inf"],
        "sex": ["f", "d", "", "m"],
        "smokes": ["no", "pipe", "", "yes"],
        "ill": ["yes", "yes", "", "maybe"],
    }
)


def test_every_kind_of_finding_is_counted() -> None:
    found = inspect_table(TABLE, SCHEMA)
    assert found.n_rows == 4
    assert found.columns == (
        ColumnTally("age", "numeric", missing=1, malformed=1, clipped=1, refused=2),
        ColumnTally("chol", "numeric", missing=1, malformed=1, clipped=2, refused=1),
        ColumnTally("sex", "categorical", missing=1, unknown=1, refused=2),
        ColumnTally("smokes", "categorical", missing=1, unknown=1, refused=1),
        ColumnTally("ill", "label", missing=1, unknown=1, refused=1),
    )
    assert found.classes == {"no": 0, "yes": 2}
    assert found.refused == 7


@pytest.mark.parametrize("row", range(4))
def test_cells_are_refused_exactly_where_encoding_stops(row: int) -> None:
    table = TABLE[row : row + 1]
    found = inspect_table(table, SCHEMA)
    if found.refused == 0:
        encode(table, SCHEMA)
        return
    with pytest.raises(SchemaError):
        encode(table, SCHEMA)


def test_a_table_without_its_label_has_no_classes() -> None:
    found = inspect_table(TABLE.drop("ill"), SCHEMA)
    assert found.classes == {}
    assert len(found.columns) == 4


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"ours\.csv: the table lacks 'age'"):
        inspect_table(TABLE.drop("age"), SCHEMA, source="ours.csv")
