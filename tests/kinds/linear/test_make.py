from pathlib import Path

import numpy as np
import pytest

from tacit import Budget, Ledger, Schema
from tacit.audit.replay import replay
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.errors import BudgetExceededError, InputError, SchemaError
from tacit.kinds.linear import KIND as LINEAR

Table = tuple[np.ndarray, np.ndarray]
GROUPED = Schema(
    (
        Numeric("age", (0, 100), group="who"),
        Categorical("sex", ("f", "m"), group="who"),
        Numeric("dose", (0, 1), group="what"),
        Label("ill", ("no", "yes")),
    )
)


def table(n: int = 60) -> Table:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(n), np.eye(2)[rng.integers(0, 2, n)], rng.random(n)])
    return X, np.arange(n) % 2


def test_a_plan_has_a_step_for_each_group_of_the_schema_and_no_delta() -> None:
    plan = LINEAR.plan(GROUPED, unit="record", epsilon=0.5, delta=1e-6)
    assert plan.budget == Budget(0.5, unit="record", relation="replace")
    assert [step.what for step in plan.steps] == [
        f"weights of a logistic regression on group {k} of 2 of the features" for k in (1, 2)
    ]


def test_the_ledger_is_charged_once_and_the_release_carries_the_schema(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(1, unit="record", relation="replace"))
    made = LINEAR.release(*table(), GROUPED, unit="record", epsilon=0.7, delta=0.0, ledger=ledger, purpose="for them")
    assert [line.purpose for line in ledger.lines()] == ["for them"]
    assert made.schema == GROUPED.to_dict()
    assert made.card.holds
    assert made.card.delta == 0
    with pytest.raises(BudgetExceededError):
        LINEAR.release(*table(), GROUPED, unit="record", epsilon=0.7, delta=0.0, ledger=ledger)


def test_a_replaced_row_moves_nothing_but_what_is_declared() -> None:
    X, y = table()
    other = X.copy()
    other[3] = [1, 0, 1, 1]

    def run(given: Table) -> dict[str, object]:
        return dict(LINEAR.release(*given, GROUPED, unit="record", epsilon=1.0, delta=0.0, random_state=1).arrays)

    assert replay(run, (X, y), (other, y)).require().largest_share == 1


def test_what_cannot_be_released_is_refused() -> None:
    X, y = table()
    with pytest.raises(InputError, match="record"):
        LINEAR.plan(GROUPED, unit="entry", epsilon=1, delta=0)
    with pytest.raises(SchemaError, match="label"):
        LINEAR.plan(Schema(GROUPED.columns[:-1]), unit="record", epsilon=1, delta=0)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        LINEAR.plan(Schema(GROUPED.columns, bounds_from_data=True), unit="record", epsilon=1, delta=0)
    with pytest.raises(InputError, match="class codes"):
        LINEAR.release(X, y - 1, GROUPED, unit="record", epsilon=1, delta=0)
    with pytest.raises(InputError, match="epsilon"):
        LINEAR.plan(GROUPED, unit="record", epsilon=-1, delta=0)
