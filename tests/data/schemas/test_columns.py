"""The rule of one column."""

import math
from typing import Any

import pytest

from tacit.data.schemas.column_rules import column_from_dict, column_to_dict
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, canonical
from tacit.errors import SchemaError


@pytest.mark.parametrize(
    "bounds",
    [
        (1, 1),
        (2, 1),
        (0, math.inf),
        (math.nan, 1),
        (0,),
        (0, 1, 2),
        "01",
        3,
        (False, True),
        ("0", "1"),
        (0, 10**400),
        None,
    ],
)
def test_bounds_that_are_no_interval_are_refused(bounds: Any) -> None:
    with pytest.raises(SchemaError, match=r"column 'age': bounds must be two finite numbers"):
        Numeric("age", bounds)


@pytest.mark.parametrize("missing", [-1, 111, math.nan, "median", "category", True, None, [1]])
def test_a_filler_outside_the_bounds_is_refused(missing: Any) -> None:
    with pytest.raises(SchemaError, match=r"column 'age': missing must be 'error'.*number"):
        Numeric("age", (0, 110), missing=missing)


def test_the_middle_is_halfway_between_the_bounds() -> None:
    assert Numeric("age", (-10, 110), missing="middle").filler == 50
    assert Numeric("age", (0, 110), missing=7).filler == 7


@pytest.mark.parametrize("bounds", [(0.2, 0.8), (0, 2.0**60)])
def test_whole_numbers_need_bounds_that_hold_one_exactly(bounds: tuple[float, float]) -> None:
    Numeric("age", bounds)
    with pytest.raises(SchemaError, match="whole number"):
        Numeric("age", bounds, integer=True)


@pytest.mark.parametrize("categories", [(), ("a", "a"), ("1", "1.0"), ("", "a"), "ab", (1, 2), None])
def test_a_list_of_categories_that_is_not_closed_and_distinct_is_refused(categories: Any) -> None:
    with pytest.raises(SchemaError, match="column 'sex': categories must be"):
        Categorical("sex", categories)


def test_a_label_needs_two_classes() -> None:
    with pytest.raises(SchemaError, match="column 'ill': classes must be 2 or more"):
        Label("ill", ("yes",))


@pytest.mark.parametrize("merge", [{"0": "dead"}, {"0": "ill", "0.0": "well"}, {"": "ill"}, ["0"], "ill"])
def test_a_merge_into_no_class_is_refused(merge: Any) -> None:
    with pytest.raises(SchemaError, match="column 'num': merge must be a table"):
        Label("num", ("well", "ill"), merge=merge)


def test_a_constant_for_missing_must_be_a_category() -> None:
    assert Categorical("thal", ("3", "6"), missing="3.0").missing == "3"
    with pytest.raises(SchemaError, match="'error' or 'category' or one of the categories; got 'middle'"):
        Categorical("thal", ("3", "6"), missing="middle")


@pytest.mark.parametrize("column", [Numeric("a", (0, 1)), Categorical("a", ("x",))])
@pytest.mark.parametrize("group", ["", 3])
def test_a_group_is_a_name(column: Numeric | Categorical, group: Any) -> None:
    rule = column_to_dict(column) | {"group": group}
    with pytest.raises(SchemaError, match="group must be a name"):
        column_from_dict("a", rule)


def test_a_flag_adds_one_encoded_column() -> None:
    assert Numeric("a", (0, 1), missing="flag").encoded_names == ("a", "a is missing")
    assert Numeric("a", (0, 1), missing="middle").encoded_names == ("a",)
    assert Categorical("b", ("x", "y"), missing="category").encoded_names == ("b = x", "b = y", "b is missing")


def test_a_category_called_category_is_a_category() -> None:
    column = Categorical("b", ("category", "y"), missing="category")
    assert column.encoded_names == ("b = category", "b = y")


@pytest.mark.parametrize(
    "column",
    [
        Numeric("a", (0, 1)),
        Numeric("a", (-0.5, 1e9), integer=True, missing=3, missing_values=("-9",), group="g"),
        Categorical("a", ("x", "y"), missing="x", unknown="missing", group="g"),
        Label("a", ("well", "ill"), merge={"0": "well"}, unknown="missing", missing_values=("-",)),
        Ignored("a"),
    ],
)
def test_a_column_survives_the_way_through_plain_values(column: Numeric | Categorical | Label | Ignored) -> None:
    assert column_from_dict("a", column_to_dict(column)) == column


def test_settings_left_at_their_default_are_not_written() -> None:
    assert column_to_dict(Numeric("a", (0, 1))) == {"kind": "numeric", "bounds": [0.0, 1.0]}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            {},
            "kind must be one of 'numeric', 'date', 'pattern', 'categorical', .*'person'; got None",
        ),
        ({"kind": "number"}, "got 'number'"),
        ({"kind": ["numeric"]}, "kind must be one of"),
        ({"kind": "numeric"}, "a numeric column needs 'bounds'"),
        ({"kind": "numeric", "bound": [0, 1]}, "has no setting 'bound'; it takes 'kind', 'bounds'"),
        ({"kind": "ignored", "group": "g"}, "has no setting 'group'"),
        ("numeric", "expected a table of settings"),
    ],
)
def test_a_malformed_rule_is_named(rule: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        column_from_dict("age", rule)
    assert "'age'" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "same"),
    [(" yes ", "yes"), ("3.0", "3"), ("-3.00", "-3"), ("3.", "3."), ("3.05", "3.05"), ("v3.0", "v3.0")],
)
def test_only_whole_numbers_lose_their_decimals(text: str, same: str) -> None:
    assert canonical(text) == same
