import numpy as np
import polars as pl
from polars.testing import assert_frame_equal
from tests.models.marginals.conftest import SCHEMA, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.layout import Layout, encoded_batches


def test_codes_of_a_table_give_the_table_back() -> None:
    table = people(300)
    rows = encode(table, SCHEMA)
    layout = Layout.of(SCHEMA)
    again = layout.table(layout.row_codes(rows.X) + 0.0, rows.y)
    assert_frame_equal(again, table.with_columns(pl.col("dose").cast(pl.Float64)), check_dtypes=False)


def test_encoded_places_have_the_codes_they_came_from() -> None:
    rows = encode(people(300), SCHEMA)
    layout = Layout.of(SCHEMA)
    codes = layout.row_codes(rows.X)
    X = layout.encoded(codes + 0.5)
    assert np.array_equal(layout.row_codes(X), codes)
    assert X.min() >= 0
    assert X.max() <= 1


def test_a_rows_codes_depend_on_that_row_alone() -> None:
    rows = encode(people(100), SCHEMA)
    whole = encoded_batches(rows.X, rows.y, SCHEMA)[0][0]
    single = np.vstack([codes for codes, _ in encoded_batches(rows.X, rows.y, SCHEMA, size=1)])
    assert np.array_equal(whole, single)


def test_a_table_without_a_label_has_one_class() -> None:
    layout = Layout.of(Schema((Numeric("x", (0, 1)),)))
    assert layout.n_classes == 1
    assert layout.table(np.array([[3.0]]), np.array([0])).columns == ["x"]
