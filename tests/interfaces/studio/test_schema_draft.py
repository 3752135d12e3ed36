"""Schemas while they are edited: rules from fields, guesses, undo, and files that another hand has changed."""

from pathlib import Path

import pytest

from tacit.data.schemas.coded_columns import Date
from tacit.data.schemas.columns import Categorical, Column, Ignored, Label, Numeric, Person, Target
from tacit.data.schemas.file import format_schema, read_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.schema_draft import MISSING_TEXTS, DraftStore, SchemaDraft, guessed_columns
from tacit.interfaces.studio.schema_fields import rule_from_fields
from tacit.interfaces.studio.schema_marks import guesses_left
from tacit.interfaces.studio.schema_page import facts_text

AGE, SEX, NAME = Numeric("age", (15, 90), integer=True), Categorical("sex", ("f", "m")), Ignored("name")
GUESSED = Schema((AGE, SEX, NAME), missing_values=("NA",), bounds_from_data=True)


@pytest.fixture
def folder(tmp_path: Path) -> WorkFolder:
    (tmp_path / "t.csv").write_text("x")
    (tmp_path / "t.toml").write_text(format_schema(GUESSED))
    return WorkFolder.at(tmp_path)


def test_of_a_draft_everything_but_names_is_guessed() -> None:
    assert guessed_columns(GUESSED) == {"age", "sex", MISSING_TEXTS}
    assert guessed_columns(Schema((AGE, NAME))) == frozenset()


def test_a_schema_is_public_once_every_guess_is_confirmed_or_replaced() -> None:
    draft = SchemaDraft(GUESSED, guessed_columns(GUESSED))
    draft = draft.with_rule("age", {"kind": "numeric", "bounds": [0, 110]}).confirmed(["sex"])
    assert draft.schema.bounds_from_data
    done = draft.with_missing_texts(["NA", "?"])
    assert not done.schema.bounds_from_data
    assert done.schema.missing_values == ("NA", "?")
    assert done.column("age") == Numeric("age", (0, 110))


def test_undo_goes_back_to_the_first_state_and_no_further() -> None:
    first = SchemaDraft(GUESSED, guessed_columns(GUESSED))
    draft = first.with_rule("age", {"kind": "ignored"}).with_missing_texts([]).confirmed(["sex"])
    changed = []
    for _ in range(3):
        draft, names = draft.undone()
        changed.append(names)
    assert draft == first
    assert changed == [("sex",), (MISSING_TEXTS,), ("age",)]
    with pytest.raises(InputError, match="nothing to undo"):
        draft.undone()


def test_a_rule_that_no_schema_may_have_is_refused() -> None:
    draft = SchemaDraft(GUESSED, guessed_columns(GUESSED))
    with pytest.raises(InputError, match="no column 'none'"):
        draft.with_rule("none", {"kind": "ignored"})
    with pytest.raises(SchemaError, match="at least one"):
        draft.with_rule("age", {"kind": "ignored"}).with_rule("sex", {"kind": "ignored"})
    labelled = draft.with_rule("sex", {"kind": "label", "classes": ["f", "m"]})
    with pytest.raises(SchemaError, match="at most one"):
        labelled.with_rule("name", {"kind": "target", "bounds": [0, 1]})


def test_what_is_written_is_read_again_with_its_marks_and_its_way_back(folder: WorkFolder) -> None:
    store = DraftStore(folder)
    draft = store.open("t.csv").with_rule("age", {"kind": "numeric", "bounds": [0, 110]})
    store.write("t.csv", draft, {"sex": "a remark", "age": "no more"})
    text = folder.file("t.toml").read_text()
    assert "# a remark" in text
    assert "no more" not in text
    again = DraftStore(folder).open("t.csv")
    assert again == draft
    assert again.undone()[0].schema == GUESSED
    assert guesses_left(folder, "t.csv") == 2
    done = again.confirmed(["sex", MISSING_TEXTS])
    store.write("t.csv", done, {})
    assert guesses_left(folder, "t.csv") == 0
    assert not read_schema(folder.file("t.toml")).bounds_from_data


def test_a_schema_that_another_hand_has_changed_is_read_anew(folder: WorkFolder) -> None:
    store = DraftStore(folder)
    store.write("t.csv", store.open("t.csv").confirmed(["age"]), {})
    folder.file("t.toml").write_text(format_schema(GUESSED))
    assert store.open("t.csv") == SchemaDraft(GUESSED, guessed_columns(GUESSED))
    assert guesses_left(folder, "t.csv") == 3
    folder.file("t.toml").write_text("no toml")
    assert guesses_left(folder, "t.csv") is None
    folder.file("t.toml").unlink()
    with pytest.raises(InputError, match="no such file"):
        store.open("t.csv")


@pytest.mark.parametrize(
    ("column", "fields", "rule"),
    [
        (AGE, {"low": "0", "high": "110,5"},
         {"kind": "numeric", "bounds": [0, 110.5], "integer": False, "missing": "error"}),
        (AGE, {"low": "0", "high": "9", "integer": "on", "missing": "value", "missing_value": "3"},
         {"kind": "numeric", "bounds": [0, 9], "integer": True, "missing": 3.0}),
        (SEX, {"values": " f \n\nm\nx", "missing": "category"},
         {"kind": "categorical", "categories": ["f", "m", "x"], "missing": "category"}),
        (SEX, {"values": "f\nm", "missing": "value", "missing_value": "m"},
         {"kind": "categorical", "categories": ["f", "m"], "missing": "m"}),
        (SEX, {"kind": "label", "values": "f\nm"}, {"kind": "label", "classes": ["f", "m"]}),
        (AGE, {"kind": "target", "low": "1", "high": "2"}, {"kind": "target", "bounds": [1, 2]}),
        (NAME, {"kind": "person", "rows": "4"}, {"kind": "person", "rows": 4}),
        (NAME, {"kind": "person", "rows": ""}, {"kind": "person"}),
        (NAME, {"kind": "date", "low": "2020-01-01", "high": "2024-01-01"},
         {"kind": "date", "bounds": ["2020-01-01", "2024-01-01"], "step": "day", "missing": "error"}),
        (AGE, {"kind": "ignored"}, {"kind": "ignored"}),
    ],
)  # fmt: skip
def test_fields_of_the_editor_become_a_rule(column: Column, fields: dict[str, str], rule: dict[str, object]) -> None:
    assert rule_from_fields(column, fields) == rule


def test_settings_that_the_editor_does_not_show_stay() -> None:
    merged = Label("ill", ("no", "yes"), merge={"0": "no"}, unknown="missing")
    rule = rule_from_fields(merged, {"values": "no\nyes\nmaybe"})
    assert rule == {"kind": "label", "classes": ["no", "yes", "maybe"], "merge": {"0": "no"}, "unknown": "missing"}


@pytest.mark.parametrize("fields", [{"low": "a", "high": "1"}, {"low": "1"}, {"kind": "person", "rows": "-1"}])
def test_fields_that_are_no_numbers_are_named(fields: dict[str, str]) -> None:
    with pytest.raises(SchemaError, match="must be"):
        rule_from_fields(AGE, fields)


def test_facts_are_told_in_a_few_words() -> None:
    many = Categorical("c", tuple("abcdefg"))
    columns: list[Column] = [AGE, SEX, NAME, many, Target("t", (0, 1.5)), Person("p", 3), Person("q")]
    texts = [facts_text(column) for column in [*columns, Date("d", ("2020-01-01", "2021-01-01"))]]
    assert texts == ["15 … 90", "f, m", "", "a, b, c, d, … (7)", "0 … 1.5", "K = 3", "", "2020-01-01 … 2021-01-01"]
