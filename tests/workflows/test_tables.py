"""What workflows read: tables as files, frames or rows, and what an owner is told before a promise is made."""

import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.arrays import UNLABELLED
from tacit.data.rows.encoding import Encoded, encode
from tacit.data.schemas.columns import Categorical, Label, Numeric, Person
from tacit.data.schemas.file import format_schema
from tacit.data.schemas.identifiers import RepeatingColumn
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.registry import kind_for
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.spending import digits
from tacit.releases.kind import choice_key
from tacit.workflows.tables import (
    Contribution,
    as_schema,
    chosen_unit,
    contribution,
    encoded_rows,
    input_paths,
    labelled,
    ledger_of,
    rows_in_memory,
    table_identity,
    warn_of_repeating,
    warn_of_rows,
    with_person,
)

COLUMNS = (Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes")))
SCHEMA = Schema(COLUMNS)
OF_PERSONS = Schema((Person("patient", rows=2), *COLUMNS))


def people(n_rows: int = 40, *, ages: list[float] | None = None) -> pl.DataFrame:
    """Return a table of ten patients with the classes mixed."""
    places = np.arange(n_rows)
    return pl.DataFrame(
        {
            "patient": [f"P{place % 10}" for place in places],
            "age": ages or (17.0 * places % 90 + 5).tolist(),
            "sex": ["fm"[place % 2] for place in places],
            "ill": [("no", "yes")[place // 3 % 2] for place in places],
        }
    )


def test_a_table_is_the_same_from_a_file_a_frame_and_as_rows(tmp_path: Path) -> None:
    frame = people().drop("patient")
    frame.write_csv(tmp_path / "people.csv")
    rows = encode(frame, SCHEMA)
    for table in (tmp_path / "people.csv", str(tmp_path / "people.csv"), frame, rows):
        read = encoded_rows(table, SCHEMA)
        np.testing.assert_array_equal(read.X, rows.X)
        np.testing.assert_array_equal(read.y, rows.y)


def test_reading_a_file_is_said_and_rows_are_not_read_again(tmp_path: Path) -> None:
    stages: list[str] = []
    people().drop("patient").write_csv(tmp_path / "people.csv")
    encoded_rows(tmp_path / "people.csv", SCHEMA, progress=stages.append)
    encoded_rows(encode(people().drop("patient"), SCHEMA), SCHEMA, progress=stages.append)
    assert stages == ["reading people.csv"]


def test_a_schema_is_the_same_from_a_file_and_takes_a_policy(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(format_schema(SCHEMA), encoding="utf-8")
    assert as_schema(tmp_path / "s.toml") == as_schema(SCHEMA) == SCHEMA
    assert SCHEMA.refusing_columns
    assert not as_schema(SCHEMA, "clip").refusing_columns


def test_only_files_are_inputs_that_an_output_could_replace(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.ledger", Budget(1.0, unit="record"))
    paths = input_paths("a.csv", Path("s.toml"), None, people(), SCHEMA, ledger)
    assert paths == [Path("a.csv"), Path("s.toml"), ledger.path]


def test_a_table_is_known_by_its_columns_and_not_by_their_rules() -> None:
    wider = Schema((Numeric("age", (0, 120)), *COLUMNS[1:]))
    other = Schema((Numeric("height", (0, 100)), *COLUMNS[1:]))
    assert table_identity(SCHEMA, "ward 7") == table_identity(wider, "ward 7")
    assert table_identity(SCHEMA, "ward 7") != table_identity(other, "ward 7")
    assert table_identity(SCHEMA, "ward 7") != table_identity(SCHEMA, "ward 8")


def test_no_ledger_stays_none(tmp_path: Path) -> None:
    assert ledger_of(None, SCHEMA) is None
    ledger = Ledger.create(tmp_path / "l.ledger", Budget(1.0, unit="record"))
    opened = ledger_of(ledger.path, SCHEMA)
    assert opened is not None
    assert opened.identifier == ledger.identifier


@pytest.mark.parametrize(
    ("schema", "unit", "chosen"),
    [
        (SCHEMA, None, Unit.RECORD),
        (OF_PERSONS, None, Unit.PERSON),
        (OF_PERSONS, "record", Unit.RECORD),
        (SCHEMA, Unit.ENTRY, Unit.ENTRY),
    ],
)
def test_a_person_is_protected_where_the_schema_names_one(schema: Schema, unit: str | None, chosen: Unit) -> None:
    assert chosen_unit(schema, unit) is chosen


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(InputError, match="unit must be one of"):
        chosen_unit(SCHEMA, "row")


def test_a_promise_per_person_needs_the_column_and_the_bound() -> None:
    with pytest.raises(InputError, match="person must name the column"):
        contribution(SCHEMA, unit="person", rows=2, ledger=None, random_state=0)
    named = with_person(SCHEMA, "patient")
    with pytest.raises(InputError, match="rows_per_person must be given"):
        contribution(named, unit=None, rows=None, ledger=None, random_state=0)
    assert contribution(OF_PERSONS, unit=None, rows=None, ledger=None, random_state=0).rows == 2
    assert contribution(OF_PERSONS, unit=None, rows=3, ledger=None, random_state=0).rows == 3
    with pytest.raises(InputError, match="rows_per_person must be None"):
        contribution(OF_PERSONS, unit="record", rows=3, ledger=None, random_state=0)


def test_the_key_that_chooses_rows_is_the_ledgers_or_the_seeds_or_fresh(tmp_path: Path) -> None:
    first, second = (Ledger.create(tmp_path / f"{name}.ledger", Budget(1.0, unit="record")) for name in "ab")
    assert choice_key(first, None) == choice_key(first, 7) == choice_key(Ledger(first.path), None)
    assert choice_key(first, None) != choice_key(second, None)
    assert choice_key(None, 7) == choice_key(None, 7) != choice_key(None, 8)
    assert choice_key(None, None) != choice_key(None, None)


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    rows = encode(people(), OF_PERSONS)
    unlabelled = Encoded(**{**vars(rows), "y": np.where(np.arange(40) < 3, UNLABELLED, rows.y)})
    with pytest.warns(UserWarning, match="3 rows without a label left out"):
        kept, has_label = labelled(unlabelled)
    assert (len(kept.y), int(has_label.sum())) == (37, 37)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert labelled(rows)[0] is rows


def test_no_more_rows_of_a_person_are_read_than_the_bound() -> None:
    kept = Contribution(Unit.PERSON, 2, b"a key of 16 bytes")
    with pytest.warns(UserWarning, match="20 of 40 rows left out: at most 2 of each person"):
        rows, facts = rows_in_memory(people(), OF_PERSONS, kept)
    assert rows.persons is not None
    assert sorted(Counter(rows.persons.tolist()).values()) == [2] * 10
    assert (facts.n_rows, facts.repeating) == (20, [])


def test_rows_of_nobody_are_not_read() -> None:
    frame = people().with_columns(
        patient=pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("")).otherwise(pl.col("patient"))
    )
    with pytest.warns(UserWarning, match="4 rows without a person left out"):
        rows, _ = rows_in_memory(frame, OF_PERSONS, Contribution(Unit.PERSON, 9, b"a key of 16 bytes"))
    assert len(rows.y) == 36


def test_a_table_without_the_column_of_persons_cannot_be_bounded() -> None:
    rows = encode(people().drop("patient"), SCHEMA)
    with pytest.raises(InputError, match="table must have the column that says whose row it is"):
        rows_in_memory(rows, SCHEMA, Contribution(Unit.PERSON, 2, b"a key of 16 bytes"))


def test_without_a_bound_the_columns_that_name_persons_are_noticed() -> None:
    for table in (people(), encode(people(), OF_PERSONS)):
        _, facts = rows_in_memory(table, OF_PERSONS, Contribution(Unit.RECORD))
        assert facts.repeating == [RepeatingColumn("patient", 4, declared=True)]


def test_the_owner_is_told_what_a_person_with_several_rows_loses() -> None:
    plan = kind_for("moments", SCHEMA, Unit.RECORD).plan(SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    event = plan_event(plan.steps, plan.budget)
    lost = accounting.epsilon(accounting.at_group(event, 4), delta=1e-6)
    assert lost > 4
    columns = [RepeatingColumn("patient", 4, declared=True), RepeatingColumn("code", 4)]
    with pytest.warns(UserWarning, match="person loses") as raised:
        warn_of_repeating(plan.budget, columns, event=event)
    sure, unsure = (str(warning.message) for warning in raised)
    assert f"That person loses epsilon {digits(lost, up=True)}" in sure
    assert "names persons" in sure
    assert "If it names persons, that person loses" in unsure


def test_a_promise_per_entry_says_nothing_of_persons() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_repeating(Budget(1.0, 1e-6, unit="entry"), [RepeatingColumn("patient", 4, declared=True)])


def test_a_column_that_is_clipped_away_is_noticed() -> None:
    _, facts = rows_in_memory(people(ages=[150.0] * 40).drop("patient"), SCHEMA, Contribution(Unit.RECORD))
    assert facts.clipped == {"age": 1.0}
    plan = kind_for("moments", SCHEMA, Unit.RECORD).plan(SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    with pytest.warns(UserWarning, match="column 'age': every value lies at or beyond a bound"):
        warn_of_rows(plan, facts)


def test_half_the_values_at_a_bound_are_half_of_them() -> None:
    _, facts = rows_in_memory(people(ages=[0.0, 50.0] * 20).drop("patient"), SCHEMA, Contribution(Unit.RECORD))
    assert facts.clipped == {"age": 0.5}


def test_a_sound_promise_of_a_sound_table_warns_of_nothing() -> None:
    plan = kind_for("moments", SCHEMA, Unit.RECORD).plan(SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    _, facts = rows_in_memory(people().drop("patient"), SCHEMA, Contribution(Unit.RECORD))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_rows(plan, facts)
