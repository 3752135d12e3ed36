import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.conditions import ColumnOrder, Condition, Implication, parse_condition, parse_constraint
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

COLUMNS = (
    Numeric("age", (0, 110), integer=True),
    Numeric("age first seen", (0, 110), missing="flag"),
    Categorical("sex", ("female", "male"), missing="category"),
    Categorical("pregnant", ("yes", "no")),
    Label("income", ("<=50K", ">50K")),
)


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("age=60-70", [False, True, True, False]),
        ("age = 60 to 70", [False, True, True, False]),
        ("age >= 70", [False, False, True, True]),
        ("age > 70", [False, False, False, True]),
        ("age<60", [True, False, False, False]),
        ("age <= 60", [True, True, False, False]),
        ("age = 70", [False, False, True, False]),
    ],
)
def test_numbers_are_compared(text: str, met: list[bool]) -> None:
    assert parse_condition(text, COLUMNS).holds(np.array([59.0, 60.0, 70.0, 71.0])).tolist() == met


def test_negative_numbers_and_ranges_of_them_are_read() -> None:
    columns = (Numeric("balance", (-100, 100)),)
    assert parse_condition("balance = -5--1", columns) == Condition("balance", -5, -1)
    assert parse_condition("balance = -5", columns) == Condition("balance", -5, -5)


def test_categories_and_classes_are_compared_by_name() -> None:
    assert parse_condition("sex=female", COLUMNS).codes == (0,)
    assert parse_condition("sex = male|female", COLUMNS).codes == (1, 0)
    assert parse_condition("income=>50K", COLUMNS).codes == (1,)
    assert parse_condition("income = <=50K", COLUMNS).codes == (0,)


def test_the_longest_name_of_a_column_is_meant() -> None:
    assert parse_condition("age first seen = 3", COLUMNS).column == "age first seen"
    assert parse_condition("age = 3", COLUMNS).column == "age"


def test_a_missing_cell_meets_nothing_but_missing() -> None:
    values = np.array([np.nan, 1.0])
    assert parse_condition("sex = missing", COLUMNS).holds(values).tolist() == [True, False]
    assert parse_condition("sex = male", COLUMNS).holds(values).tolist() == [False, True]
    assert parse_condition("age first seen >= 0", COLUMNS).holds(values).tolist() == [False, True]


@pytest.mark.parametrize(
    "text", ["height = 3", "age", "age = old", "age ~ 3", "sex < male", "sex = other", "pregnant = missing", ""]
)
def test_other_conditions_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"condition|numbers|compared|holds"):
        parse_condition(text, COLUMNS)


def test_an_implication_is_broken_only_where_its_condition_holds_and_its_consequence_is_known_not_to() -> None:
    rule = parse_constraint("pregnant = yes implies sex = female", COLUMNS)
    assert isinstance(rule, Implication)
    cells = {"pregnant": np.array([0.0, 0, 0, 1, 1]), "sex": np.array([0.0, 1, np.nan, 0, 1])}
    assert rule.holds(cells.__getitem__).tolist() == [True, False, True, True, True]


def test_an_order_is_broken_only_by_numbers_above_it() -> None:
    rule = parse_constraint("age first seen <= age", COLUMNS)
    assert rule == ColumnOrder("age first seen", "age")
    cells = {"age first seen": np.array([1.0, 2, 3, np.nan]), "age": np.array([2.0, 2, 2, 2])}
    assert rule.holds(cells.__getitem__).tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    "text", ["age", "age <= sex", "age < age first seen", "nothing implies sex = female", "age <= 5"]
)
def test_a_schema_refuses_constraints_that_it_cannot_read(text: str) -> None:
    with pytest.raises(SchemaError, match="constraints"):
        Schema(COLUMNS, constraints=(text,))


def test_constraints_survive_the_schemas_file() -> None:
    schema = Schema(COLUMNS, constraints=("pregnant = yes implies sex = female", "age first seen <= age"))
    again = parse_schema(format_schema(schema))
    assert again == schema
    assert again.parsed_constraints == schema.parsed_constraints
    assert Schema.from_dict(schema.to_dict()) == schema
