"""Columns that name persons with several rows are noticed by how they repeat."""

from functools import reduce
from operator import add

import numpy as np
import polars as pl
import pytest

from tacit.data.rows.facts import RowFacts
from tacit.data.schemas import identifiers
from tacit.data.schemas.columns import Ignored, Label, Numeric, Person
from tacit.data.schemas.draft import MAY_NAME_PERSONS, NAMES_PERSONS, draft_schema
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.identifiers import (
    RepeatingColumn,
    count_names,
    is_identifier_name,
    repeats_like_identifier,
)
from tacit.data.schemas.schema import Schema
from tacit.errors import SchemaError

N = 120
VISITS = pl.DataFrame(
    {
        "patient": [f"P{i // 3}" for i in range(N)],
        "letter": [f"letter {i // 2}" for i in range(N)],
        "note": [f"free text {i}" for i in range(N)],
        "ward": [f"ward {i % 4}" for i in range(N)],
        "weight": [i / 7 for i in range(N)],
        "age": [str(20 + i % 50) for i in range(N)],
        "ill": [str(i % 2) for i in range(N)],
    }
)
SCHEMA = Schema(
    (
        Ignored("patient"),
        Ignored("letter"),
        Ignored("note"),
        Ignored("ward"),
        Ignored("weight"),
        Numeric("age", (0, 100)),
        Label("ill", ("0", "1")),
    )
)


def repeating_columns(table: pl.DataFrame, schema: Schema) -> list[RepeatingColumn]:
    return RowFacts(names=count_names(table, schema)).repeating


@pytest.mark.parametrize("name", ["id", "Id", "patient_id", "PATIENT", "customer no", "user.name", "visit-id"])
def test_names_of_identifiers_are_known(name: str) -> None:
    assert is_identifier_name(name)


@pytest.mark.parametrize("name", ["age", "paid", "idle", "patients", "id_of_ward_size", "user rating"])
def test_other_names_are_not(name: str) -> None:
    assert not is_identifier_name(name)


def test_columns_that_repeat_are_found_with_their_most_frequent_value() -> None:
    assert repeating_columns(VISITS, SCHEMA) == [RepeatingColumn("patient", 3), RepeatingColumn("letter", 2)]


def test_few_groups_free_texts_and_measurements_are_no_identifiers() -> None:
    for name in ("note", "ward", "weight"):
        assert not repeats_like_identifier(VISITS[name]), name


def test_a_feature_called_an_identifier_is_noticed_and_another_is_not() -> None:
    schema = Schema((Numeric("person_id", (0, 1000)), Numeric("age", (0, 1000)), Label("ill", ("0", "1"))))
    table = pl.DataFrame({"person_id": [i // 4 for i in range(N)], "age": [i // 4 for i in range(N)]})
    assert repeating_columns(table, schema) == [RepeatingColumn("person_id", 4)]


def test_a_declared_person_counts_even_if_few_repeat() -> None:
    schema = Schema((Person("who"), Numeric("age", (0, 100))))
    table = pl.DataFrame({"who": ["a", "b", "b", None], "age": [1, 2, 3, 4]})
    assert repeating_columns(table, schema) == [RepeatingColumn("who", 2, declared=True)]
    assert repeating_columns(table[:2], schema) == []
    assert repeating_columns(table[3:], schema) == []


def test_a_draft_makes_a_repeating_identifier_a_person_and_says_so() -> None:
    draft = draft_schema(VISITS, label="ill")
    assert draft.schema.person == Person("patient")
    assert draft.remarks["patient"] == NAMES_PERSONS
    assert draft.remarks["letter"] == MAY_NAME_PERSONS
    text = format_schema(draft.schema, comments=draft.remarks)
    assert parse_schema(text) == draft.schema
    assert "P1" not in text


def test_of_two_identifiers_a_draft_makes_the_first_a_person() -> None:
    draft = draft_schema(VISITS.with_columns(user_id=pl.col("patient")), label="ill")
    assert draft.schema.person == Person("patient")
    assert draft.remarks["user_id"] == MAY_NAME_PERSONS


def test_a_person_column_is_neither_feature_nor_label_and_survives_its_file() -> None:
    schema = parse_schema(
        'version = 1\n[columns.who]\nkind = "person"\nrows = 4\n[columns.age]\nkind = "numeric"\nbounds = [0, 1]\n'
    )
    assert schema.person == Person("who", 4)
    assert schema.encoded_names == ("age",)
    assert Schema.from_dict(schema.to_dict()) == schema


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, "3"])
def test_a_bound_must_be_a_whole_number(rows: object) -> None:
    with pytest.raises(SchemaError, match=r"column 'who': rows must be a whole number of at least 1"):
        Person("who", rows)  # type: ignore[arg-type]


def test_a_schema_has_one_person_column() -> None:
    with pytest.raises(SchemaError, match="at most one column may be of kind 'person'"):
        Schema((Person("a"), Person("b"), Numeric("age", (0, 1))))


def test_a_person_can_be_named_where_the_schema_ignores_the_column_or_does_not_list_it() -> None:
    assert SCHEMA.with_person("patient").person == Person("patient")
    assert SCHEMA.with_person("unlisted").person == Person("unlisted")
    again = SCHEMA.with_person("patient")
    assert again.with_person("patient") is again
    with pytest.raises(SchemaError, match=r"person must be 'patient', as the schema says; got 'note'"):
        again.with_person("note")
    with pytest.raises(SchemaError, match=r"got 'age', which is of kind 'numeric'"):
        SCHEMA.with_person("age")


def test_names_of_parts_add_up_and_very_many_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    schema = Schema((Numeric("x", (0, 1)), Ignored("patient")))
    table = pl.DataFrame({"patient": rng.integers(0, 3000, 9000)})
    whole = count_names(table, schema)["patient"]
    parts = [count_names(part, schema)["patient"] for part in table.iter_slices(1000)]
    total = reduce(add, parts)
    assert total.repeating("patient") == whole.repeating("patient")
    monkeypatch.setattr(identifiers, "MOST_NAMES", 500)
    thin = reduce(add, [count_names(part, schema)["patient"] for part in table.iter_slices(1000)])
    assert thin.counts.height <= 500
    assert 0.8 < thin.counts.height * 2**thin.level / whole.counts.height < 1.2
    found, exact = thin.repeating("patient"), whole.repeating("patient")
    assert found is not None
    assert exact is not None
    assert exact.most_rows / 2 < found.most_rows <= exact.most_rows
