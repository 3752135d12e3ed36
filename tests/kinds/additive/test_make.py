"""The additive kind: plan, ledger, and the release of a whole table."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError
from tacit.kinds.additive import KIND
from tacit.models.additive.release import read_additive
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger

SCHEMA = Schema(
    (
        Numeric("age", (0, 100), integer=True),
        Numeric("dose", (0, 1), missing="flag"),
        Categorical("sex", ("f", "m")),
        Label("outcome", ("well", "ill")),
    )
)


def rows(n_rows: int, seed: int = 0) -> tuple[FloatArray, NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n_rows)
    age = np.clip(random.normal(0.4 + 0.2 * y, 0.15), 0, 1)
    missing = (random.random(n_rows) < 0.2 + 0.4 * y).astype(float)
    dose = np.where(missing, 0.5, random.random(n_rows))
    return np.column_stack([age, dose, missing, np.eye(2)[random.integers(0, 2, n_rows)]]), y


def test_one_line_is_charged_for_the_whole_release(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.ledger", Budget(1.0, 1e-6, unit="record"))
    release = KIND.release(*rows(300), SCHEMA, epsilon=1.0, delta=1e-6, ledger=ledger)
    (line,) = ledger.lines()
    assert line.purpose == "additive release"
    assert ledger.spent() == pytest.approx(1.0, rel=1e-3)
    assert release.card.epsilon == 1.0


def test_a_ledger_of_exchanged_records_is_charged_for_a_group_of_two(tmp_path: Path) -> None:
    budget = Budget(3.0, 1e-6, unit="record", relation="replace")
    ledger = Ledger.create(tmp_path / "r.ledger", budget)
    KIND.release(*rows(300), SCHEMA, epsilon=1.0, delta=1e-6, ledger=ledger)
    assert 1.9 < ledger.spent() < 2.3


def test_the_plan_needs_no_number_of_rows_and_publishes_nothing_exactly() -> None:
    plan = KIND.plan(SCHEMA, unit="record", epsilon=1.0, delta=1e-6)
    assert plan.exact == ()
    assert len(plan.steps) == 2
    assert not KIND.row_count_public


def test_a_missing_number_is_a_level_that_can_tell_classes_apart() -> None:
    model = read_additive(KIND.release(*rows(5000), SCHEMA, epsilon=2.0, delta=1e-6, random_state=0))
    dose = list(model.curves.layout.parts())[1]
    curve = model.curves.values[dose, 0]
    assert curve[-1] > 0.3 > curve[:-1].max()


def test_a_draft_schema_and_one_without_classes_are_refused() -> None:
    draft = Schema(SCHEMA.columns, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        KIND.plan(draft, unit="record", epsilon=1.0, delta=1e-6)
    with pytest.raises(SchemaError, match="two classes"):
        KIND.plan(Schema(SCHEMA.features), unit="record", epsilon=1.0, delta=1e-6)


def test_other_units_and_foreign_codes_are_refused() -> None:
    with pytest.raises(InputError, match="--unit record"):
        KIND.plan(SCHEMA, unit="entry", epsilon=1.0, delta=1e-6)
    X, y = rows(20)
    with pytest.raises(InputError, match="class codes"):
        KIND.release(X, y - 1, SCHEMA, epsilon=1.0, delta=1e-6)


def test_the_file_is_small() -> None:
    release = KIND.release(*rows(300), SCHEMA, epsilon=1.0, delta=1e-6, random_state=0)
    assert sum(array.nbytes for array in release.arrays.values()) < 50_000


def test_persons_with_several_rows_are_protected_by_more_noise() -> None:
    one, three = (
        KIND.plan(SCHEMA, unit="person", epsilon=1.0, delta=1e-6, rows_per_person=rows).details for rows in (1, 3)
    )
    assert three.mu == pytest.approx(one.mu / 3, rel=1e-3)
    plan = KIND.plan(SCHEMA, unit="person", epsilon=1.0, delta=1e-6, rows_per_person=3)
    release = KIND.make(plan, *rows(300), random_state=0)
    assert release.card.unit == "person"
    assert release.card.epsilon == 1.0
