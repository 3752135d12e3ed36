import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from tacit import Budget, Ledger, Schema
from tacit.audit.card_audit import audit_card
from tacit.audit.kinds.fabricated_rows import cases
from tacit.audit.self_audit import Verdict
from tacit.data.public.datasets import load_digits, load_mnist
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.errors import BudgetExceededError, InputError, SchemaError
from tacit.kinds.fabricated_rows import KIND as FABRICATED_ROWS
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.privacy.account import plan_event
from tacit.privacy.accounting import epsilon as cost

MIXED = Schema(
    (
        Numeric("age", (0, 100), integer=True),
        Categorical("sex", ("f", "m", "x")),
        Label("ill", ("no", "yes")),
        Numeric("dose", (0, 10), missing="flag"),
    )
)


def mixed_table(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    sex = np.eye(3)[rng.choice(3, n, p=[0.6, 0.3, 0.1])]
    X = np.column_stack([np.clip(rng.normal(0.3 + 0.3 * y, 0.1), 0, 1), sex, rng.random(n), rng.random(n) < 0.2])
    return X, y


@pytest.mark.parametrize("settings", [{"unit": "record"}, {"unit": "entry"}, {"unit": "entry", "method": "hull"}])
def test_a_fabricated_table_has_the_columns_and_types_of_the_schema(settings: dict[str, Any]) -> None:
    made = fabricate(*mixed_table(), MIXED, epsilon=2.0, delta=1e-6, **settings)
    table = made.table()
    assert table.columns == ["age", "sex", "ill", "dose"]
    assert table.schema == pl.Schema({"age": pl.Int64, "sex": pl.String, "ill": pl.String, "dose": pl.Float64})
    assert table["age"].is_between(0, 100).all()
    assert set(table["sex"]) <= {"f", "m", "x"}
    assert set(table["ill"]) == {"no", "yes"}
    assert table["dose"].is_between(0, 10).all()  # what is missing is passed over
    assert made.card.holds
    assert audit_card(made.card, draws=2000, seed=0).passed


def test_with_much_budget_the_moments_come_through() -> None:
    X, y = mixed_table(3000)
    made = fabricate(X, y, MIXED, unit="record", epsilon=50.0, delta=1e-4, rows=3000, random_state=0)
    for code in (0, 1):
        true, found = X[y == code], made.X[made.y == code]
        np.testing.assert_allclose(found[:, :4].mean(axis=0), true[:, :4].mean(axis=0), atol=0.03)
        assert found[:, 5].mean() == pytest.approx(true[:, 5].mean(), abs=0.03)
    assert abs(np.mean(made.y) - np.mean(y)) < 0.02


def test_digits_learned_from_fabricated_rows_alone_are_told_apart() -> None:
    data = load_digits()
    made = fabricate(data.X_train, data.y_train, data.schema, unit="record", epsilon=4.0, delta=1e-4, random_state=0)
    assert NearestCentroid().fit(made.X, made.y).score(data.X_test, data.y_test) > 0.7
    assert not made.card.holds  # seeded


def test_a_smaller_epsilon_masks_more_of_the_rows() -> None:
    # [hull] Figure 9, as a claim: how far fabricated digits are from the nearest true one.
    data = load_digits()
    far = []
    for epsilon in (1.0, 4.0, 50.0):
        made = fabricate(
            data.X_train,
            data.y_train,
            data.schema,
            unit="entry",
            method="hull",
            epsilon=epsilon,
            delta=1e-9,
            random_state=0,
        )
        far.append(pairwise_distances_argmin_min(made.X, data.X_train)[1].mean())
    assert far[0] > far[1] > far[2]


def test_the_number_of_rows_is_noisy_per_record_and_exact_per_entry() -> None:
    X, y = mixed_table()
    assert len(fabricate(X, y, MIXED, unit="entry", epsilon=1, delta=1e-6).y) == 400
    counts = {len(fabricate(X, y, MIXED, unit="record", epsilon=1, delta=1e-6).y) for _ in range(20)}
    assert len(counts) > 1
    assert len(fabricate(X, y, MIXED, unit="record", epsilon=1, delta=1e-6, rows=7).y) == 7


def test_a_large_seed_repeats_itself_and_a_wrong_one_is_refused() -> None:
    promise: dict[str, Any] = {"unit": "record", "epsilon": 1.0, "delta": 1e-6, "rows": 9}
    first, second = (fabricate(*mixed_table(), MIXED, random_state=2**40, **promise) for _ in range(2))
    assert np.array_equal(first.X, second.X)
    for seed in (-3, "a"):
        with pytest.raises(InputError, match="random_state"):
            fabricate(*mixed_table(), MIXED, random_state=seed, **promise)  # type: ignore[arg-type]


def test_the_printed_accounting_says_why_it_leaks() -> None:
    settings: dict[str, Any] = {"unit": "entry", "epsilon": 1.0, "delta": 1e-6, "method": "hull", "block_size": 50}
    made = fabricate(*mixed_table(), MIXED, accounting="paper", **settings)
    assert "raw rows" in made.card.warning
    assert made.card.to_text().startswith("THE STATED GUARANTEE DOES NOT HOLD")
    assert not fabricate(*mixed_table(), MIXED, **settings).card.warning


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_two_queries_together_cost_what_was_promised_and_no_more(epsilon: float) -> None:
    plan = FABRICATED_ROWS.plan(MIXED, unit="record", epsilon=epsilon, delta=1e-6)
    spent = cost(plan_event(plan.steps), delta=1e-6)
    assert 0.999 * epsilon < spent <= epsilon


def test_a_refused_charge_draws_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(0.5, 1e-6, unit="record"))
    with pytest.raises(BudgetExceededError):
        fabricate(*mixed_table(), MIXED, unit="record", epsilon=1.0, delta=1e-6, ledger=ledger)
    assert not ledger.lines()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"epsilon": -1}, InputError, "epsilon"),
        ({"delta": 0.0}, InputError, "delta"),
        ({"unit": "pair"}, InputError, "unit"),
        ({"method": "magic"}, InputError, "method"),
        ({"method": "hull"}, InputError, "entry"),
        ({"accounting": "paper"}, InputError, "hull"),
        ({"rows": 0}, InputError, "rows"),
        ({"rows": 10**9}, InputError, "rows"),
        ({"unit": "entry", "method": "hull", "rows": 401}, InputError, "at most 400"),
        ({"unit": "entry", "method": "hull", "block_size": 1}, InputError, "block_size"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_charged(
    settings: dict[str, Any], error: type[Exception], words: str, tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", Budget(3, 1e-5, unit="record"))
    given: dict[str, Any] = {"unit": "record", "epsilon": 1.0, "delta": 1e-6, **settings}
    with pytest.raises(error, match=words):
        fabricate(*mixed_table(), MIXED, ledger=ledger, **given)
    assert not ledger.lines()


def test_bad_tables_are_refused() -> None:
    X, y = mixed_table()
    promise: dict[str, Any] = {"unit": "record", "epsilon": 1.0, "delta": 1e-6}
    for rows, codes in ((X[:, 1:], y), (X, y[1:]), (X[:0], y[:0]), (X + 2, y), (np.where(X > 0.9, np.nan, X), y)):
        with pytest.raises(InputError, match="X must"):
            fabricate(rows, codes, MIXED, **promise)
    with pytest.raises(InputError, match="y must"):
        fabricate(X, y - 1, MIXED, **promise)
    with pytest.raises(SchemaError, match="bounds_from_data"):
        fabricate(X, y, Schema(MIXED.columns, bounds_from_data=True), **promise)
    with pytest.raises(SchemaError, match="label"):
        FABRICATED_ROWS.plan(Schema((Numeric("a", (0, 1)),)), **promise)


def test_a_class_without_rows_and_a_table_of_one_row_are_fabricated() -> None:
    X, _ = mixed_table(5)
    for unit in ("record", "entry"):
        made = fabricate(X, np.zeros(5, dtype=int), MIXED, unit=unit, epsilon=1.0, delta=1e-6)
        assert np.isfinite(made.X).all()
        one = fabricate(X[:1], np.ones(1, dtype=int), MIXED, unit=unit, epsilon=1.0, delta=1e-6, rows=4)
        assert len(one.y) == 4


@pytest.mark.parametrize("case", [case for case in cases(5) if "game" not in case.name], ids=lambda case: case.name)
def test_replays_pass_and_the_printed_accounting_is_caught(case: Any) -> None:
    assert Verdict(case.run(), case.control).as_expected


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("TACIT_DATA"), reason="needs MNIST in the folder TACIT_DATA")
def test_mnist_fabricated_per_record_is_learned_well() -> None:
    images = load_mnist()
    promise: dict[str, Any] = {"unit": "record", "epsilon": 1.0, "delta": 1e-5, "random_state": 0, "rows": 20000}
    made = fabricate(images.X_train, images.y_train, images.schema, **promise)
    learner = make_pipeline(PCA(60, random_state=0), QuadraticDiscriminantAnalysis(reg_param=0.1))
    assert learner.fit(made.X, made.y).score(images.X_test, images.y_test) > 0.94
