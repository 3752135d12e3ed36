"""The schema of a table."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import SchemaError

COLUMNS: tuple[Column, ...] = (
    Ignored("id"),
    Numeric("age", (0, 110), group="who"),
    Label("ill", ("no", "yes")),
    Categorical("sex", ("female", "male"), missing="category", group="who"),
    Numeric("chol", (100, 600), missing="flag"),
)
SCHEMA = Schema(COLUMNS, missing_values=("NA",))


def picture(shape: tuple[int, ...], *, prefix: str = "p", bounds: tuple[float, float] = (0, 255)) -> Schema:
    names = tuple(f"{prefix}{position}" for position in range(int(np.prod(shape))))
    columns: tuple[Column, ...] = (Numeric("age", (0, 110)), *(Numeric(name, bounds) for name in names))
    return Schema(columns, image=Image(names, shape))


def test_encoded_columns_follow_the_order_of_the_schema() -> None:
    expected = ("age", "sex = female", "sex = male", "sex is missing", "chol", "chol is missing")
    assert SCHEMA.encoded_names == expected
    assert SCHEMA.positions == {"age": range(1), "sex": range(1, 4), "chol": range(4, 6)}


def test_groups_gather_encoded_positions() -> None:
    assert SCHEMA.groups == {"who": (0, 1, 2, 3), None: (4, 5)}


def test_the_label_gives_the_classes() -> None:
    assert SCHEMA.classes == ("no", "yes")
    assert Schema((Numeric("a", (0, 1)),)).classes == ()


def test_a_schema_survives_json_whatever_the_order_of_keys() -> None:
    for schema in (SCHEMA, picture((4, 5)), picture((2, 2, 3)), replace(SCHEMA, bounds_from_data=True)):
        text = json.dumps(schema.to_dict(), sort_keys=True)
        assert Schema.from_dict(json.loads(text)) == schema


def test_many_pixels_are_written_as_one_run() -> None:
    content = picture((28, 28)).to_dict()
    assert [rule["name"] for rule in content["columns"]] == ["age", "p{0..783}"]
    assert content["image"] == {"columns": ["p{0..783}"], "shape": [28, 28]}


def test_a_draft_is_refused_until_its_mark_is_removed() -> None:
    SCHEMA.require_public_bounds()
    with pytest.raises(SchemaError, match=r"bounds_from_data is true.*delete the line"):
        replace(SCHEMA, bounds_from_data=True).require_public_bounds()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((Numeric("a", (0, 1)), Numeric("a", (0, 2))), "'a' is listed twice"),
        ((Numeric("a", (0, 1)), Label("b", ("x", "y")), Label("c", ("x", "y"))), "at most one column may be the label"),
        ((Ignored("a"), Label("b", ("x", "y"))), "at least one numeric or categorical"),
        ((Numeric("a{0..3}", (0, 1)),), "cannot be told from one; rename it"),
        ((), "at least one"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(columns: tuple[Column, ...], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema(columns)


@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 2, 1, 1), (4, 1.0), (-2, -2), (True, 4)])
def test_an_image_shape_must_hold_its_columns(shape: tuple[Any, ...]) -> None:
    with pytest.raises(SchemaError, match="image: shape must be"):
        Image(("a", "b", "c", "d"), shape)


@pytest.mark.parametrize(
    "pixel", [Categorical("b", ("x",)), Numeric("b", (0, 2)), Numeric("b", (0, 1), missing="flag"), Ignored("c")]
)
def test_pixels_are_numeric_columns_with_the_same_bounds(pixel: Column) -> None:
    with pytest.raises(SchemaError, match="image: "):
        Schema((Numeric("a", (0, 1)), pixel), image=Image(("a", "b"), (1, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version must be 1; got 2"),
        ({"bound": 1}, "unknown setting 'bound'"),
        ({"columns": {"age": {}}}, "columns must be a list"),
        ({"columns": [{"kind": "numeric"}]}, "each with a name"),
        ({"columns": [{"name": "p{0..999999999}", "kind": "ignored"}]}, "at most 100000 columns"),
        ({"image": {"columns": ["p{0..999999999}"], "shape": [1, 1]}}, "at most 100000 columns"),
        ({"image": {"shape": [1, 1]}}, "image needs exactly"),
        ({"image": {"columns": ["age"], "shape": 1}}, "image needs exactly"),
        ({"missing_values": "NA"}, "missing_values must be a list of texts"),
        ({"extra_columns": "drop"}, "extra_columns must be one of 'error', 'ignore'"),
        ({"bounds_from_data": "yes"}, "bounds_from_data must be true or false"),
    ],
)
def test_malformed_content_is_refused_and_its_source_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        Schema.from_dict(SCHEMA.to_dict() | change, source="ours.toml")
    assert str(caught.value).startswith("ours.toml: ")


@pytest.mark.parametrize("content", [None, 1, True, [], "schema", {}])
def test_what_is_no_schema_is_refused(content: Any) -> None:
    with pytest.raises(SchemaError, match="version must be 1"):
        Schema.from_dict(content)


def test_images_of_the_same_shape_match_by_pixel_whatever_their_names_and_range() -> None:
    shared = picture((2, 3)).shared_with(picture((2, 3), prefix="q", bounds=(0, 1)))
    assert shared.images is None
    assert shared.ours.tolist() == shared.theirs.tolist() == list(range(7))
    X = np.random.default_rng(0).random((4, 7))
    np.testing.assert_array_equal(shared.to_ours(X), X)


def test_images_of_other_shapes_share_no_pixel_but_their_other_columns() -> None:
    shared = picture((2, 3)).shared_with(picture((3, 3)))
    assert shared.names == ("age",)
    assert shared.images == ((2, 3), (3, 3))


def test_pixels_that_only_one_side_calls_an_image_match_by_name() -> None:
    ours = picture((2, 2))
    assert ours.shared_with(Schema(ours.columns)).names == ("age", "p0", "p1", "p2", "p3")


def test_classes_match_by_name() -> None:
    other = Schema((Numeric("age", (0, 110)), Label("outcome", ("yes", "unsure", "no"))))
    assert SCHEMA.shared_with(other).classes == {0: 2, 1: 0}
    assert SCHEMA.shared_with(Schema((Numeric("age", (0, 110)),))).classes == {}
