"""What a release and a receiver's table have in common."""

from dataclasses import replace

import numpy as np
import pytest

import tacit
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.releases.file import Release
from tacit.releases.lesson import (
    Lesson,
    ReceiverTable,
    column_note,
    owner_schema,
    shared_by_name,
    shared_classes,
)

OURS = Schema((Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes", "unsure"))))
THEIRS = Schema((Numeric("age", (0, 50)), Numeric("weight", (0, 200)), Label("state", ("yes", "dead", "no"))))


@pytest.fixture(scope="module")
def release() -> Release:
    import polars as pl

    table = pl.DataFrame({"age": [1.0, 2.0, 3.0] * 40, "weight": [50.0] * 120, "state": ["yes", "dead", "no"] * 40})
    return tacit.release(table, THEIRS, epsilon=5, method="moments", random_state=0)


def table(schema: Schema = OURS) -> ReceiverTable:
    return ReceiverTable(schema, np.zeros((4, len(schema.encoded_names))), np.array([0, 1]), np.array([0, 1]))


def test_classes_are_matched_by_name_in_either_order() -> None:
    assert dict(shared_classes(OURS, THEIRS)) == {0: 2, 1: 0}
    assert dict(shared_classes(THEIRS, OURS)) == {0: 1, 2: 0}
    assert dict(shared_classes(OURS, OURS)) == {0: 0, 1: 1, 2: 2}


def test_one_class_in_common_is_not_enough() -> None:
    other = Schema((Numeric("age", (0, 50)), Label("state", ("yes", "dead"))))
    with pytest.raises(InputError, match="at least two classes by name; theirs are yes, dead"):
        shared_classes(OURS, other)


def test_the_owners_schema_travels_with_the_release(release: Release) -> None:
    assert owner_schema(release) == THEIRS
    with pytest.raises((SchemaError, InputError)):
        owner_schema(replace(release, schema={"columns": "nonsense"}))


def test_a_lesson_says_what_is_shared_and_what_differs(release: Release) -> None:
    lesson, shared = shared_by_name(release, table())
    assert dict(lesson.classes) == {0: 2, 1: 0}
    assert shared.names == ("age",)
    assert lesson.note.startswith("1 columns shared by name; ")
    assert "age" in lesson.note
    assert lesson.note == column_note(shared)


def test_tables_without_a_common_column_say_so() -> None:
    other = Schema((Numeric("height", (0, 3)), Label("ill", ("no", "yes"))))
    assert column_note(OURS.shared_with(other)) == "no column is shared by name"


def test_a_lesson_is_empty_unless_a_kind_fills_it() -> None:
    lesson = Lesson({})
    assert lesson.candidates == ()
    parts = (lesson.class_places, lesson.metric, lesson.features, lesson.predictions, lesson.quality, lesson.halves)
    assert parts == (None,) * 6
    assert (lesson.calibrated, lesson.note) == (False, "")
