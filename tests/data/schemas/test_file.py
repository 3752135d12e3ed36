"""Schemas as TOML files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.schemas.column_rules import is_run
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, canonical
from tacit.data.schemas.file import format_schema, parse_schema, read_schema
from tacit.data.schemas.schema import Image, Schema
from tacit.errors import SchemaError

EXAMPLE = """
version = 1
missing_values = ["NA"]
extra_columns = "ignore"

[columns.age]
kind = "numeric"
bounds = [0, 110]
integer = true
missing = "middle"
group = "who"

[columns.sex]
kind = "categorical"
categories = ["female", "male"]

[columns."pixel{0..3}"]
kind = "numeric"
bounds = [0, 255]

[columns.num]
kind = "label"
classes = ["healthy", "ill"]
merge = { "0" = "healthy", "1" = "ill", "2" = "ill" }

[columns.name]
kind = "ignored"

[image]
columns = "pixel{0..3}"
shape = [2, 2]
"""


def test_the_example_says_what_it_means() -> None:
    schema = parse_schema(EXAMPLE)
    pixels = tuple(f"pixel{i}" for i in range(4))
    assert schema == Schema(
        (
            Numeric("age", (0, 110), integer=True, missing="middle", group="who"),
            Categorical("sex", ("female", "male")),
            *(Numeric(pixel, (0, 255)) for pixel in pixels),
            Label("num", ("healthy", "ill"), merge={"0": "healthy", "1": "ill", "2": "ill"}),
            Ignored("name"),
        ),
        image=Image(pixels, (2, 2)),
        missing_values=("NA",),
        extra_columns="ignore",
    )
    assert parse_schema(format_schema(schema)) == schema


# Half-surrogates cannot stand in any text file.
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(lambda name: not is_run(name))
TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(lambda text: bool(text.strip())),
    min_size=2,
    max_size=5,
    unique_by=canonical,
)
NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False)


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(["numeric", "categorical", "ignored"]))
    group = draw(st.sampled_from([None, "a", 'say "b"']))
    if kind == "numeric":
        low, high = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2, unique=True)))
        missing: float | str = draw(
            st.one_of(st.sampled_from(["error", "middle", "flag"]), st.sampled_from([low, high]))
        )
        return Numeric(name, (low, high), missing=missing, group=group)
    if kind == "categorical":
        return Categorical(name, tuple(draw(TEXTS)), missing=draw(st.sampled_from(["error", "category"])), group=group)
    return Ignored(name)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAMES, min_size=2, max_size=8, unique=True))
    rules: list[Column] = [Numeric(names[0], (0, 1)), Label(names[1], tuple(draw(TEXTS)))]
    rules += [draw(columns(name)) for name in names[2:]]
    return Schema(tuple(rules), bounds_from_data=draw(st.booleans()), missing_values=tuple(draw(TEXTS)))


@given(schemas())
def test_every_schema_is_read_back_as_it_was_written(schema: Schema) -> None:
    assert parse_schema(format_schema(schema, heading="one\ntwo", comments={schema.columns[0].name: "x"})) == schema


def test_comments_stand_above_their_column_and_its_run() -> None:
    rules = tuple(Numeric(f"p{i}", (0, 1)) for i in range(5))
    text = format_schema(Schema(rules), heading="First.", comments={"p0": "Pixels."})
    assert text.startswith("# First.\n\nversion = 1\n")
    assert '# Pixels.\n[columns."p{0..4}"]\n' in text


def test_a_long_list_is_written_one_item_a_line() -> None:
    column = Categorical("country", tuple(f"country-{i}" for i in range(20)))
    text = format_schema(Schema((column,)))
    assert '\n    "country-7",\n' in text
    assert parse_schema(text).columns == (column,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = ", "not a TOML file"),
        ("version = 1", r"no columns. Add one table per column, such as \[columns.age\]"),
        ("version = 1\ncolumns = []", "no columns"),
        ("version = 1\n[columns]\nage = 3", "column 'age' must be a table of settings"),
        ("[columns.age]\nkind = 'numeric'\nbounds = [0, 1]", "version must be 1; got None"),
        ("version = 1\n[columns.age]\nkind = 'numeric'\nbounds = [9, 1]", "column 'age': bounds must be two finite"),
        ("version = 1\n[columns.age]\nkind = 'numeric'\nbounds = [0, 1]\nname = 'x'", "without a 'name'"),
        ("version = 1\n[columns.a]\nkind = 'ignored'\n[columns.a]\nkind = 'ignored'", "not a TOML file"),
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)
    with pytest.raises(SchemaError, match=message) as caught:
        read_schema(file)
    assert str(caught.value).startswith("ours.toml: ")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"absent\.toml: the schema cannot be read \(No such file"):
        read_schema(tmp_path / "absent.toml")
    with pytest.raises(SchemaError, match="cannot be read"):
        read_schema(tmp_path)
    (tmp_path / "latin.toml").write_bytes("version = 1 # é".encode("latin1"))
    with pytest.raises(SchemaError, match="must be UTF-8"):
        read_schema(tmp_path / "latin.toml")


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.encode())
    assert read_schema(file) == parse_schema(EXAMPLE)


def test_the_documented_example_is_a_schema() -> None:
    page = (Path(__file__).parents[3] / "docs" / "schema.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    schema = parse_schema(example)
    assert schema.image is not None
    assert len(schema.features) == 5 + 64
    assert parse_schema(format_schema(schema)) == schema


def test_very_large_numbers_are_not_written_as_integers() -> None:
    schema = Schema((Numeric("n", (-1e300, 1e300)),))
    text = format_schema(schema)
    assert "bounds = [-1e+300, 1e+300]" in text
    assert parse_schema(text) == schema
