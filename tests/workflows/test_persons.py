"""A release per person from a table: which rows are read, what the card and the ledger say, what the owner reads."""

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.workflows.planning import terms_of

import tacit
from tacit.audit.replay import QueryRecorder
from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Ignored, Label, Numeric, Person
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.privacy import accounting
from tacit.privacy.account import observed_by, plan_event
from tacit.privacy.budget import Budget, Relation, Unit
from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Mechanism
from tacit.releases.kind import choice_key
from tacit.workflows.release import plan_release
from tacit.workflows.tables import contribution

# Tables of a few rows, which an owner is warned of.
pytestmark = pytest.mark.filterwarnings("ignore:the table has")
COLUMNS = (Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Label("ill", ("no", "yes")))
SCHEMA = Schema((Person("patient", rows=2), *COLUMNS))
IGNORING = Schema((Ignored("patient"), *COLUMNS))


def visits(sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 9) * 6) -> pl.DataFrame:
    """Return a table of persons with so many rows each, the classes mixed."""
    who = np.repeat(np.arange(len(sizes)), sizes)
    return pl.DataFrame(
        {
            "patient": [f"P{each}" for each in who],
            "age": (17 * np.arange(len(who)) % 90).tolist(),
            "sex": ["fm"[i % 2] for i in range(len(who))],
            "ill": [("no", "yes")[i // 3 % 2] for i in range(len(who))],
        }
    )


TABLE = visits()
MANY = pytest.mark.filterwarnings("ignore:.* rows left out")


@MANY
def test_a_schema_with_a_person_column_makes_a_release_per_person() -> None:
    card = tacit.release(TABLE, SCHEMA, epsilon=1).card
    assert (card.unit, card.rows_per_person, card.relation) == (Unit.PERSON, 2, Relation.ADD_REMOVE)
    assert card.adjacency == "two tables are neighbours if one of them has one person more, with all their rows"
    assert any("same name in the column" in each for each in card.assumptions)
    text = card.to_text()
    assert "at the level of one person" in text
    assert "At most 2 rows of each person were read" in " ".join(text.split())
    assert Card.from_dict(card.to_dict()) == card


@MANY
@pytest.mark.parametrize("method", ["moments", "linear", "encoder", "fabricated"])
def test_every_kind_for_records_is_released_per_person(method: str, tmp_path: Path) -> None:
    relation = Relation.REPLACE if method == "linear" else Relation.ADD_REMOVE
    ledger = Ledger.create(tmp_path / "p.ledger", Budget(1, 1e-6, unit="person", relation=relation))
    made = tacit.release(TABLE, IGNORING, epsilon=1, person="patient", rows_per_person=3, method=method, ledger=ledger)
    assert made.card.unit is Unit.PERSON
    (line,) = ledger.statement().lines
    assert (line.claim.unit, line.claim.rows_per_person) == (Unit.PERSON, 3)
    assert ledger.spent() <= 1 + 1e-9
    assert "P1" not in str(made.schema)


def _sums(table: pl.DataFrame, **settings: object) -> np.ndarray:
    recorder = QueryRecorder()
    with observed_by(recorder.record), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tacit.release(table, SCHEMA, epsilon=1, method="moments", random_state=3, **settings)  # type: ignore[arg-type]
    return recorder.queries[0].values


def _planned_sums() -> Mechanism:
    planned = plan_release(visits((1, 2) * 3), terms_of(SCHEMA, unit="person"), method="moments")
    return planned.plan.steps[0].mechanism


@pytest.mark.parametrize("gone", [0, 5, 11, 17])
def test_a_whole_person_moves_the_query_by_at_most_the_claimed_sensitivity(gone: int) -> None:
    mechanism = _planned_sums()
    without = TABLE.filter(pl.col("patient") != f"P{gone}")
    assert 0 < mechanism.distance(_sums(TABLE), _sums(without)) <= 2 * mechanism.sensitivity


def test_what_stands_in_a_row_does_not_decide_whether_it_is_read() -> None:
    """All cells of one person changed: the query moves by what two rows can, whoever chose the values."""
    changed = TABLE.with_columns(
        age=pl.when(pl.col("patient") == "P5").then(pl.lit(100)).otherwise(pl.col("age")),
        sex=pl.when(pl.col("patient") == "P5").then(pl.lit("f")).otherwise(pl.col("sex")),
    )
    mechanism = _planned_sums()
    # Two rows out and two in.
    assert mechanism.distance(_sums(TABLE), _sums(changed)) <= 4 * mechanism.sensitivity
    same = np.flatnonzero(~np.isclose(_sums(TABLE)[:, -1], _sums(changed)[:, -1]))
    assert same.size == 0, "class counts stay: the same places of the person's rows are read"


def test_every_release_of_a_ledger_reads_the_same_rows_of_a_person(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "p.ledger", Budget(3, 1e-5, unit="person"))
    assert choice_key(ledger, None) == choice_key(Ledger(tmp_path / "p.ledger"), None)
    assert choice_key(None, None) != choice_key(None, None)
    assert choice_key(None, 7) == choice_key(None, 7)
    assert len({choice_key(None, 7), choice_key(None, 8), choice_key(ledger, None)}) == 3


def test_the_owner_of_repeated_ids_who_protects_records_reads_what_a_person_loses() -> None:
    planned = plan_release(TABLE, terms_of(IGNORING, unit="record"))
    with pytest.warns(UserWarning, match=r"column 'patient' repeats like an identifier: 9 rows") as raised:
        planned.warn()
    lost = accounting.epsilon(accounting.at_group(plan_event(planned.plan.steps, planned.plan.budget), 9), delta=1e-6)
    assert 11.87 < lost < 11.88
    words = str(raised[0].message)
    assert "that person loses epsilon 11.8723 at delta 1e-06" in words
    assert "P5" not in words
    with pytest.warns(
        UserWarning, match=r"column 'patient' names persons: 9 rows .* That person loses epsilon 11.8723"
    ):
        tacit.release(TABLE, SCHEMA, epsilon=1, unit="record")


def test_rows_without_a_label_do_not_count_for_a_person() -> None:
    table = TABLE.with_columns(ill=pl.when(pl.col("patient").is_in(["P5", "P11"])).then(None).otherwise(pl.col("ill")))
    fewer = table.filter(~pl.col("patient").is_in(["P17", "P23", "P29", "P35"]))
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", UserWarning)
        tacit.release(fewer, IGNORING, epsilon=1)
    assert [str(warning.message)[:50] for warning in raised] == [
        "18 rows without a label left out.",
        "column 'patient' repeats like an identifier: 5 row",
    ]


def test_unique_ids_and_other_units_are_not_warned_of() -> None:
    tacit.release(visits((1,) * 40), IGNORING, epsilon=1)
    tacit.release(TABLE, IGNORING, epsilon=1, unit="entry")


def test_encoded_rows_know_whose_they_are() -> None:
    rows = encode(TABLE, SCHEMA)
    assert rows.persons is not None
    assert rows.persons[:3].tolist() == ["P0", "P1", "P1"]
    with pytest.warns(UserWarning, match=r"78 of 144 rows left out: at most 2 of each person are read"):
        card = tacit.release(rows, SCHEMA, epsilon=1).card
    assert card.unit is Unit.PERSON
    with pytest.warns(UserWarning, match="That person loses epsilon"):
        tacit.release(rows, SCHEMA, epsilon=1, unit="record")
    with pytest.raises(InputError, match="table must have the column that says whose row it is"):
        tacit.release(encode(TABLE, IGNORING), SCHEMA, epsilon=1)


def test_a_missing_bound_or_column_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="rows_per_person must be given with unit 'person'"):
        contribution(IGNORING.with_person("patient"), unit=None, rows=None, ledger=None, random_state=None)
    with pytest.raises(InputError, match="person must name the column that says whose row it is"):
        tacit.release(TABLE, IGNORING, epsilon=1, unit="person", rows_per_person=2)
    with pytest.raises(InputError, match="rows_per_person must be None with unit 'record'"):
        tacit.release(TABLE, IGNORING, epsilon=1, rows_per_person=2)


@MANY
def test_rows_without_a_person_are_not_read_and_stop_no_release() -> None:
    """A row that is nobody's moves no query: whoever it belongs to, it tells nothing."""
    nobody = TABLE.with_columns(patient=TABLE["patient"].replace("P0", ""))
    with pytest.warns(UserWarning, match="1 row without a person left out"):
        tacit.release(nobody, SCHEMA, epsilon=1)
    changed = nobody.with_columns(age=pl.when(pl.col("patient") == "").then(99).otherwise(pl.col("age")))
    assert np.array_equal(_sums(nobody), _sums(changed))
    assert np.array_equal(_sums(nobody), _sums(TABLE.filter(pl.col("patient") != "P0")))


def test_a_larger_bound_than_the_schema_s_may_be_given() -> None:
    with pytest.warns(UserWarning, match="at most 8 of each person"):
        assert tacit.release(TABLE, SCHEMA, epsilon=1, rows_per_person=8).card.rows_per_person == 8


@MANY
def test_fabricated_rows_protect_a_person_and_name_nobody() -> None:
    rows = tacit.fabricate(TABLE, SCHEMA, epsilon=4)
    assert rows.card.unit is Unit.PERSON
    assert rows.table().columns == ["age", "sex", "ill"]
