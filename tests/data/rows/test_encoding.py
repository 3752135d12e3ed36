"""Tables as matrices in [0, 1], and back."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.reading.table_source import open_table
from tacit.data.rows.encoded_columns import BLOCK
from tacit.data.rows.encoding import decode, decode_labels, encode, encode_file, encode_source
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

SECRET = "Smith-4711"
SCHEMA = Schema(
    (
        Ignored("name"),
        Numeric("age", (20, 100), integer=True),
        Categorical("sex", ("female", "male")),
        Numeric("chol", (100, 300), missing="flag", missing_values=("0",)),
        Categorical("smokes", ("no", "yes"), missing="category", unknown="missing"),
        Label("ill", ("no", "yes"), merge={"0": "no", "1": "yes"}),
    ),
    missing_values=("NA",),
)
TABLE = pl.DataFrame(
    {
        "ill": ["1", "0", None, "yes"],
        "age": ["60", "10", "100", "120"],
        "smokes": ["yes", "NA", "pipe", "no"],
        "chol": ["200", "0", "NA", "300"],
        "name": [SECRET] * 4,
        "sex": ["male", "female", "female", " male"],
    }
)


def with_cells(**cells: str | None) -> pl.DataFrame:
    """Return the table with the second row's cells replaced."""
    rows = TABLE.to_dicts()
    rows[1] |= cells
    return pl.DataFrame(rows, schema=TABLE.schema)


def test_each_cell_stands_where_its_name_says() -> None:
    encoded = encode(TABLE, SCHEMA)
    assert encoded.names == SCHEMA.encoded_names
    expected: dict[str, list[float]] = {
        "age": [0.5, 0, 1, 1],  # 10 and 120 are moved to the bounds
        "sex = female": [0, 1, 1, 0],
        "sex = male": [1, 0, 0, 1],
        "chol": [0.5, 0.5, 0.5, 1],
        "chol is missing": [0, 1, 1, 0],
        "smokes = no": [0, 0, 0, 1],
        "smokes = yes": [1, 0, 0, 0],
        "smokes is missing": [0, 1, 1, 0],
    }
    np.testing.assert_array_equal(encoded.X, np.column_stack([expected[name] for name in encoded.names]))
    assert encoded.y.tolist() == [1, 0, -1, 1]
    assert encoded.classes == ("no", "yes")


def test_the_matrix_has_the_wanted_precision_and_lies_row_by_row() -> None:
    assert encode(TABLE, SCHEMA).X.dtype == np.float64
    X = encode(TABLE, SCHEMA, dtype=np.float32).X
    assert X.dtype == np.float32
    assert X.flags.c_contiguous
    with pytest.raises(InputError, match="dtype must be one of 'float64', 'float32'; got 'int64'"):
        encode(TABLE, SCHEMA, dtype=np.int64)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"age": SECRET}, "column 'age', row 2 (the header is not counted): the cell is no finite number"),
        ({"age": "inf"}, "column 'age', row 2 (the header is not counted): the cell is no finite number"),
        ({"age": None}, "column 'age', row 2 (the header is not counted): the cell is missing"),
        ({"age": "nan"}, "the cell is missing"),
        ({"sex": SECRET}, "column 'sex', row 2 (the header is not counted): the cell is outside the closed list"),
        ({"sex": "NA"}, "column 'sex', row 2 (the header is not counted): the cell is missing"),
        ({"ill": SECRET}, "column 'ill', row 2 (the header is not counted): the cell is no class"),
    ],
)
def test_a_wrong_cell_is_named_but_never_shown(cells: dict[str, str | None], message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        encode(with_cells(**cells), SCHEMA, source="ours.csv")
    assert str(caught.value).startswith("ours.csv: ")
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_further_wrong_cells_are_counted() -> None:
    table = TABLE.with_columns(age=pl.Series(["x", "30", "y", "z"]))
    with pytest.raises(SchemaError, match=r"row 1 and 2 more"):
        encode(table, SCHEMA)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Numeric("a", (0, 10), missing="middle"), 0.5),
        (Numeric("a", (0, 10), missing=2), 0.2),
        (Numeric("a", (0, 10), missing=0), 0.0),
    ],
)
def test_a_missing_number_becomes_what_its_rule_says(column: Column, value: float) -> None:
    assert encode(pl.DataFrame({"a": ["10", None]}), Schema((column,))).X[:, 0].tolist() == [1.0, value]


def test_a_missing_category_becomes_what_its_rule_says() -> None:
    schema = Schema((Categorical("a", ("x", "y"), missing="y"),))
    assert encode(pl.DataFrame({"a": ["x", None]}), schema).X.tolist() == [[1, 0], [0, 1]]


def test_an_unknown_category_that_counts_as_missing_still_needs_a_rule_for_missing() -> None:
    schema = Schema((Categorical("a", ("x", "y"), unknown="missing"),))
    with pytest.raises(SchemaError, match=r"row 2.* the cell is missing"):
        encode(pl.DataFrame({"a": ["x", "z"]}), schema)


@pytest.mark.parametrize("bounds", [(0.0, 1e-3), (-1e300, 1e300), (0.1, 0.3), (1e15, 1e15 + 0.125)])
def test_numbers_far_outside_the_bounds_end_exactly_at_them(bounds: tuple[float, float]) -> None:
    cells = ["1.7e308", "-1.7e308", repr(bounds[1]), repr(bounds[0])]
    X = encode(pl.DataFrame({"a": cells}), Schema((Numeric("a", bounds),))).X
    assert X[:, 0].tolist() == [1, 0, 1, 0]


def test_columns_that_do_not_fit_are_named() -> None:
    with pytest.raises(SchemaError, match=r"ours\.csv: the table lacks 'age', 'sex' of the schema"):
        encode(TABLE.drop("age", "sex"), SCHEMA, source="ours.csv")
    more = TABLE.with_columns(weight=pl.lit("70"))
    with pytest.raises(SchemaError, match=r"has 'weight' that the schema does not list.*kind = \"ignored\""):
        encode(more, SCHEMA)
    lenient = Schema(SCHEMA.columns, missing_values=("NA",), extra_columns="ignore")
    np.testing.assert_array_equal(encode(more, lenient).X, encode(TABLE, SCHEMA).X)


def test_a_name_with_outer_blanks_is_said_to_be_read_without_them(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("age ,ill\n50,no\n40,yes\n")
    schema = Schema((Numeric("age ", (0, 100)), Label("ill", ("no", "yes"))))
    with pytest.raises(SchemaError, match=r"lacks 'age '.* without outer blanks"):
        encode_file(tmp_path / "ours.csv", schema)


def test_an_ignored_column_may_be_absent() -> None:
    np.testing.assert_array_equal(encode(TABLE.drop("name"), SCHEMA).X, encode(TABLE, SCHEMA).X)


def test_without_its_label_column_every_row_is_unlabelled() -> None:
    assert encode(TABLE.drop("ill"), SCHEMA).y.tolist() == [-1] * 4
    with pytest.raises(SchemaError, match="lacks 'ill'"):
        encode(TABLE.drop("ill"), SCHEMA, labels="required")
    with pytest.raises(SchemaError, match="declares no label"):
        encode(TABLE, Schema(SCHEMA.columns[:-1], extra_columns="ignore"), labels="required")


@pytest.mark.parametrize("labels", [["1", "1", None, "yes"], [None] * 4])
def test_one_class_is_not_enough_where_labels_are_required(labels: list[str | None]) -> None:
    table = TABLE.with_columns(ill=pl.Series(labels, dtype=pl.String))
    encode(table, SCHEMA)
    with pytest.raises(SchemaError, match=r"at least two classes; got [01]\. .*'no', 'yes'"):
        encode(table, SCHEMA, labels="required")


def test_a_label_outside_the_list_can_count_as_unlabelled() -> None:
    columns = (*SCHEMA.columns[:-1], Label("ill", ("no", "yes"), unknown="missing"))
    schema = Schema(columns, missing_values=("NA",))
    assert encode(TABLE, schema).y.tolist() == [-1, -1, -1, 1]


def test_blocks_of_rows_change_nothing() -> None:
    n_rows = 2 * BLOCK + 17
    rng = np.random.default_rng(0)
    ages, codes = rng.integers(20, 101, n_rows), rng.integers(0, 3, n_rows)
    schema = Schema((Categorical("c", ("0", "1", "2")), Numeric("age", (20, 100))))
    X = encode(pl.DataFrame({"age": ages, "c": codes}), schema).X
    np.testing.assert_allclose(X[:, 3], (ages - 20) / 80)
    np.testing.assert_array_equal(X[:, :3], np.eye(3)[codes])


def test_a_file_is_read_and_encoded_in_one_go(tmp_path: Path) -> None:
    file = tmp_path / "ours.csv"
    TABLE.write_csv(file)
    np.testing.assert_array_equal(encode_file(file, SCHEMA).X, encode(TABLE, SCHEMA).X)
    file.write_text("age,sex\n1,2\n")
    with pytest.raises(SchemaError, match=r"ours\.csv: the table lacks 'chol', 'smokes'"):
        encode_file(file, SCHEMA)


def test_batches_of_a_source_give_the_matrix_of_the_whole(tmp_path: Path) -> None:
    """Files may lack the label and whose row it is: such rows are unlabelled and nobody's."""
    rules = SCHEMA.with_person("patient")
    whole = pl.concat([TABLE] * 5).with_columns(patient=pl.Series([f"p{row // 2}" for row in range(20)]))
    lacking = whole.with_row_index().with_columns(
        pl.when(pl.col("index").is_between(8, 11)).then(None).otherwise(pl.col("ill", "patient")).name.keep()
    )
    for place, part in enumerate(whole.iter_slices(4)):
        part.drop(["ill", "patient"] if place == 2 else []).write_csv(tmp_path / f"{place}.csv")
    expected = encode(lacking.drop("index"), rules)
    read = encode_source(open_table(tmp_path), rules)
    np.testing.assert_array_equal(read.X, expected.X)
    np.testing.assert_array_equal(read.y, expected.y)
    assert read.persons is not None
    assert expected.persons is not None
    assert read.persons.tolist() == expected.persons.tolist()
    with pytest.raises(SchemaError, match=r"^2\.csv: the table lacks 'ill'"):
        encode_source(open_table(tmp_path), rules, labels="column")


def test_decoding_gives_back_names_and_values() -> None:
    encoded = encode(TABLE, SCHEMA)
    assert decode(encoded.X, SCHEMA, y=encoded.y).to_dict(as_series=False) == {
        "age": [60, 20, 100, 100],
        "sex": ["male", "female", "female", "male"],
        "chol": [200.0, None, None, 300.0],
        "smokes": ["yes", None, None, "no"],
        "ill": ["yes", "no", None, "yes"],
    }


def test_decoding_takes_the_nearest_category_and_stays_within_the_bounds() -> None:
    schema = Schema((Numeric("n", (0.5, 3.4), integer=True), Categorical("c", ("x", "y"))))
    table = decode([[-5.0, 0.2, 0.1], [7.0, -3.0, -2.0], [0.5, 1.0, 1.5]], schema)
    assert table.to_dict(as_series=False) == {"n": [1, 3, 2], "c": ["x", "y", "y"]}


@pytest.mark.parametrize("X", [np.zeros((2, 3)), np.zeros(8), np.full((1, 8), np.nan)])
def test_a_matrix_that_no_table_encodes_to_is_refused(X: Any) -> None:
    with pytest.raises(InputError, match="X must"):
        decode(X, SCHEMA)


@pytest.mark.parametrize("y", [[2], [-2], [0.5], [[0]], ["no"]])
def test_codes_that_are_no_class_are_refused(y: Any) -> None:
    with pytest.raises(InputError, match="y must hold class codes from -1 to 1"):
        decode_labels(y, SCHEMA)


def test_labels_need_a_label_column() -> None:
    with pytest.raises(SchemaError, match="no label column"):
        decode_labels([0], Schema((Numeric("a", (0, 1)),)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Schema, pl.DataFrame]:
    """Return a schema and a table whose cells are all within it."""
    n_rows = draw(st.integers(1, 6))
    columns: list[Column] = []
    cells: dict[str, list[Any]] = {}
    for position in range(draw(st.integers(1, 4))):
        name = f"c{position}"
        missing = draw(st.booleans())
        if draw(st.booleans()):
            low = draw(st.floats(-1e6, 1e6))
            high = low + draw(st.floats(1e-3, 1e6))
            columns.append(Numeric(name, (low, high), missing="flag" if missing else "error"))
            values: st.SearchStrategy[Any] = st.floats(low, high)
        else:
            categories = draw(st.lists(st.text("abc1.0é ", min_size=1).map(str.strip), min_size=1, unique=True))
            categories = [text for text in categories if text and not text.endswith("0")] or ["x"]
            columns.append(Categorical(name, tuple(categories), missing="category" if missing else "error"))
            values = st.sampled_from(categories)
        cells[name] = draw(
            st.lists(st.one_of(values, st.none()) if missing else values, min_size=n_rows, max_size=n_rows)
        )
    return Schema(tuple(columns)), pl.DataFrame(cells, schema={c.name: _dtype(c) for c in columns})


def _dtype(column: Column) -> type[pl.DataType]:
    return pl.Float64 if isinstance(column, Numeric) else pl.String


@given(tables())
def test_a_table_within_its_schema_survives_encoding_and_decoding(case: tuple[Schema, pl.DataFrame]) -> None:
    schema, table = case
    X = encode(table, schema).X
    assert ((X >= 0) & (X <= 1)).all()
    back = decode(X, schema)
    for column in schema.features:
        if isinstance(column, Categorical):
            assert back[column.name].to_list() == table[column.name].to_list()
        else:
            for found, given_value in zip(back[column.name].to_list(), table[column.name].to_list(), strict=True):
                assert (found is None) == (given_value is None)
                assert found is None or abs(found - given_value) <= 1e-9 * (column.high - column.low) + 1e-9


@given(tables())
def test_decoding_and_encoding_again_gives_the_same_matrix(case: tuple[Schema, pl.DataFrame]) -> None:
    schema, table = case
    X = encode(table, schema).X
    np.testing.assert_allclose(encode(decode(X, schema), schema).X, X, atol=1e-7)
