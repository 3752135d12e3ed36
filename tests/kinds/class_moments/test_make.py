from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import Budget, Ledger, Schema
from tacit.audit.card_audit import audit_card
from tacit.audit.replay import replay
from tacit.data.public.datasets import load_digits
from tacit.data.rows.encoded_columns import BLOCK, EncodedColumns
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.errors import BudgetExceededError, InputError, SchemaError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.models.class_moments.features import ScaledColumns, features_of
from tacit.models.entry_noise import entry_weights

Table = tuple[np.ndarray, np.ndarray]
MIXED = Schema(
    (
        Numeric("age", (0, 100)),
        Categorical("sex", ("f", "m", "x")),
        Numeric("dose", (0, 1), missing="flag"),
        Label("ill", ("no", "yes")),
    )
)


def mixed_table(n: int = 60, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), np.eye(3)[rng.integers(0, 3, n)], rng.random(n), rng.integers(0, 2, n)])
    return X, rng.integers(0, 2, n)


def full_block(X: np.ndarray) -> np.ndarray:
    return next(EncodedColumns.of_matrix(X, np.zeros(len(X))).blocks())


def test_a_plan_states_its_price_and_charges_nothing() -> None:
    plan = CLASS_MOMENTS.plan(MIXED, unit="record", epsilon=0.5, delta=1e-6)
    assert plan.budget == Budget(0.5, 1e-6, unit="record")
    assert plan.n_features == 3
    assert len(plan.steps) == 1


@pytest.mark.parametrize("unit", ["record", "entry"])
def test_the_ledger_is_charged_and_the_card_audited(unit: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(30, 1e-2, unit=unit))
    release = CLASS_MOMENTS.release(*mixed_table(), MIXED, unit=unit, epsilon=1.0, delta=1e-6, ledger=ledger)
    assert len(ledger.lines()) == 1
    assert release.card.holds
    assert audit_card(release.card, draws=4000, seed=1).passed


def test_past_the_budget_nothing_is_released(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(0.5, 1e-6, unit="record"))
    with pytest.raises(BudgetExceededError):
        CLASS_MOMENTS.release(*mixed_table(), MIXED, unit="record", epsilon=1.0, delta=1e-6, ledger=ledger)
    assert not ledger.lines()


def test_a_schema_drafted_from_the_data_is_refused() -> None:
    drafted = Schema(MIXED.columns, bounds_from_data=True)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        CLASS_MOMENTS.plan(drafted, unit="record", epsilon=1, delta=1e-6)


def test_unlabelled_rows_and_wrong_shapes_are_refused() -> None:
    X, y = mixed_table()
    with pytest.raises(InputError, match="class codes"):
        CLASS_MOMENTS.release(X, np.where(y == 0, -1, y), MIXED, unit="record", epsilon=1, delta=1e-6)
    with pytest.raises(InputError, match="encoded columns"):
        CLASS_MOMENTS.release(X[:, :2], y, MIXED, unit="record", epsilon=1, delta=1e-6)


def test_any_entry_moves_its_weighted_columns_by_at_most_two() -> None:
    weights = entry_weights(MIXED)
    rng = np.random.default_rng(0)
    X, _ = mixed_table(200)
    for row in X:
        other = row.copy()
        which = rng.integers(3)
        if which == 0:
            other[0] = rng.random()
        elif which == 1:
            other[1:4] = np.eye(3)[rng.integers(3)]
        else:
            other[4:6] = [0.5, 1.0] if row[5] == 0 else [rng.random(), 0.0]
        moved = np.abs((other - row) * weights)
        assert moved.sum() <= 2
        assert (moved > 0).sum() <= 2


def test_no_row_of_features_is_longer_than_declared() -> None:
    X, _ = mixed_table(500)
    features = features_of(MIXED)
    assert isinstance(features, ScaledColumns)
    assert np.linalg.norm(features(X), axis=1).max() <= 1 + 1e-6


def test_the_features_of_a_row_do_not_depend_on_its_company() -> None:
    """Otherwise adding one row would move the last digits of all others, beyond the declared sensitivity."""
    digits = load_digits()
    features, X = features_of(digits.schema), digits.X_train[:40]
    together = features(full_block(X))[:40]
    for n in (1, 3, 17):
        assert np.array_equal(features(full_block(X[:n]))[:n], together[:n])
    shifted = features(full_block(X[1:]))[:39]
    assert np.array_equal(shifted, together[1:])
    assert BLOCK % 64 == 0


@pytest.mark.parametrize("unit", ["record", "entry"])
def test_a_replay_on_a_neighbour_finds_nothing(unit: str) -> None:
    X, y = mixed_table()

    def run(table: Table) -> dict[str, Any]:
        release = CLASS_MOMENTS.release(*table, MIXED, unit=unit, epsilon=1.0, delta=1e-6, random_state=1)
        return dict(release.arrays)

    if unit == "record":
        replay(run, (X, y), (np.vstack([X, [[1, 0, 0, 1, 1, 1]]]), np.append(y, 1))).require()
        replay(run, (X, y), (X[:-1], y[:-1])).require()
    else:
        changed = X.copy()
        changed[7, 1:4] = np.roll(changed[7, 1:4], 1)
        seen = replay(run, (X, y), (changed, y)).require()
        assert seen.largest_share == pytest.approx(1.0)


def test_a_release_of_images_holds_no_picture() -> None:
    digits = load_digits()
    release = CLASS_MOMENTS.release(
        digits.X_train, digits.y_train, digits.schema, unit="record", epsilon=1.0, delta=1e-6
    )
    assert release.arrays["sums"].shape == (10, 2000)
    assert set(release.arrays) == {"sums", "counts"}


def test_numbers_beyond_their_bounds_move_a_sum_no_further_than_the_bound() -> None:
    X, y = mixed_table()
    outside, inside = X.copy(), X.copy()
    outside[0], inside[0] = 1e9, 1.0
    sums = [
        CLASS_MOMENTS.release(rows, y, MIXED, unit="record", epsilon=1, delta=1e-6, random_state=3).arrays["sums"]
        for rows in (outside, inside)
    ]
    assert np.array_equal(sums[0], sums[1])
    outside[0, 0] = np.nan
    with pytest.raises(InputError, match="finite"):
        CLASS_MOMENTS.release(outside, y, MIXED, unit="record", epsilon=1, delta=1e-6)
