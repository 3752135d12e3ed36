"""The schemas of public sets: complete, public, and as wide as the sets' own documentation says."""

import pytest

from tacit.data.public import schemas as public_schemas
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, Target
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Schema

MADE = {
    name: getattr(public_schemas, name)()
    for name in dir(public_schemas)
    if name.endswith("_schema") and name not in ("image_schema", "parse_schema")
}


@pytest.mark.parametrize("schema", MADE.values(), ids=MADE.keys())
def test_every_schema_can_be_written_and_read(schema: Schema) -> None:
    assert parse_schema(format_schema(schema), source="text") == schema


@pytest.mark.parametrize("schema", MADE.values(), ids=MADE.keys())
def test_bounds_are_facts_and_not_read_from_rows(schema: Schema) -> None:
    schema.require_public_bounds()
    assert len({column.name for column in schema.columns}) == len(schema.columns)


@pytest.mark.parametrize("schema", MADE.values(), ids=MADE.keys())
def test_every_schema_but_of_behaviour_says_what_is_to_be_predicted(schema: Schema) -> None:
    outcomes = [column for column in schema.columns if isinstance(column, Label | Target)]
    assert len(outcomes) == (0 if schema is MADE["fitbit_schema"] else 1)


def test_adult_has_the_columns_of_its_documentation() -> None:
    schema = public_schemas.adult_schema()
    numbers = [column.name for column in schema.features if isinstance(column, Numeric)]
    assert len(schema.features) == 14
    assert numbers == ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    assert schema.classes == ("<=50K", ">50K")


def test_bank_keeps_the_twelve_months_in_their_order() -> None:
    schema = public_schemas.bank_schema()
    (month,) = (column for column in schema.features if column.name == "month")
    assert isinstance(month, Categorical)
    assert len(month.categories) == 12
    assert (month.categories[0], month.categories[-1]) == ("jan", "dec")


def test_flights_ignore_what_is_known_only_after_departure() -> None:
    for outcome in ("late", "arr_delay"):
        schema = public_schemas.flights_schema(outcome)
        ignored = {column.name for column in schema.columns if isinstance(column, Ignored)}
        assert {"dep_delay", "air_time"} <= ignored
        assert outcome not in ignored
        assert not ignored & {column.name for column in schema.features}
    assert public_schemas.flights_schema().classes == ("on time", "late")
    assert public_schemas.flights_schema("arr_delay").label is None
