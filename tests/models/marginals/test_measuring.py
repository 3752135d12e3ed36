import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label
from tacit.data.schemas.schema import Schema
from tacit.errors import BudgetError
from tacit.models.marginals.counting import BatchCounts
from tacit.models.marginals.layout import Layout, encoded_batches
from tacit.models.marginals.measuring import (
    LEAST_ROWS,
    Measurement,
    Survey,
    chosen_pairs,
    label_weight,
    measure,
    pairs_drown,
    step_sigma,
)
from tacit.models.marginals.planning import plan_stages
from tacit.models.marginals.tables import ColumnTable
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget


def test_tables_are_the_true_counts_up_to_their_stated_noise(measurement: Measurement) -> None:
    rows = encode(people(6000), SCHEMA)
    codes = Layout.of(SCHEMA).row_codes(rows.X)
    errors = []
    for pair in measurement.pairs:
        i, j = pair.columns
        cells = [
            measurement.columns[k].groups[
                np.searchsorted(measurement.columns[k].ranges[:, 0], codes[:, k], side="right") - 1
            ]
            for k in (i, j)
        ]
        exact = np.zeros(pair.counts.shape)
        np.add.at(exact, (rows.y, *cells), 1.0)
        errors.append((pair.counts - exact).ravel())
    noise = np.concatenate(errors)
    assert noise.std() == pytest.approx(measurement.pair_sigma, rel=0.1)
    assert abs(noise.mean()) < 4 * measurement.pair_sigma / np.sqrt(len(noise))


def test_equal_seeds_give_equal_tables_in_any_order_of_rows() -> None:
    rows = encode(people(500), SCHEMA)
    order = np.random.default_rng(0).permutation(500)
    first = measured(rows.X, rows.y, SCHEMA, seed=3)
    second = measured(rows.X[order], rows.y[order], SCHEMA, seed=3)
    assert all(np.array_equal(a.counts, b.counts) for a, b in zip(first.columns, second.columns, strict=True))
    assert all(np.array_equal(a.counts, b.counts) for a, b in zip(first.pairs, second.pairs, strict=True))


def test_an_account_answers_a_survey_once() -> None:
    rows, layout, budget = encode(people(50), SCHEMA), Layout.of(SCHEMA), Budget(1.0, 1e-6, unit="record")
    stages = plan_stages(layout, budget)
    account = Account.open(stages.steps, budget=budget, random_state=0)
    survey = Survey(BatchCounts(encoded_batches(rows.X, rows.y, SCHEMA), layout), layout, stages, account)
    measure(survey)
    with pytest.raises(BudgetError, match="was not planned, or was drawn"):
        measure(survey)


def test_pairs_of_columns_that_tell_about_the_label_are_chosen() -> None:
    plain = np.full((2, 4), 50.0)
    telling = np.array([[90.0, 80, 20, 10], [10.0, 20, 80, 90]])
    tables = [
        ColumnTable(np.zeros((4, 2), dtype=int), counts, np.arange(4)) for counts in (plain, telling, plain, telling)
    ]
    assert chosen_pairs(tables, 1, sigma=1.0) == [(1, 3)]
    assert len(chosen_pairs(tables, 6, sigma=1.0)) == 6


def test_noise_alone_has_no_weight() -> None:
    rng = np.random.default_rng(0)
    noisy = 50 + rng.normal(0, 10, (2, 200))
    assert label_weight(noisy, 10.0) < 0.02
    assert label_weight(np.array([[100.0, 0], [0, 100.0]]), 1.0) == pytest.approx(1.0, abs=0.05)


def wide_table(n_rows: int) -> tuple[Schema, np.ndarray, np.ndarray]:
    columns = tuple(Categorical(f"c{j}", ("a", "b")) for j in range(45))
    rng = np.random.default_rng(0)
    X = np.eye(2)[rng.integers(0, 2, (n_rows, 45))].reshape(n_rows, 90)
    return Schema((*columns, Label("y", ("0", "1")))), X, rng.integers(0, 2, n_rows)


def test_a_wide_table_is_measured() -> None:
    schema, X, y = wide_table(500)
    assert len(measured(X, y, schema).pairs) == 600


def test_of_few_rows_columns_are_counted_again_in_place_of_pairs_with_the_stated_noise() -> None:
    schema, X, y = wide_table(100)
    errors, sigmas = [], set()
    for seed in range(3):
        found = measured(X, y, schema, seed=seed)
        assert found.pairs == ()
        sigmas.add(found.cell_sigma)
        codes = Layout.of(schema).row_codes(X)
        for j, table in enumerate(found.columns):
            exact = np.array([[np.sum((y == code) & (codes[:, j] == cell)) for cell in (0, 1)] for code in (0, 1)])
            # What lies between the two cells of a class is not moved to common totals.
            errors.append(np.diff(table.counts - exact, axis=1)[1] - np.diff(table.counts - exact, axis=1)[0])
    (sigma,) = sigmas
    planned = plan_stages(Layout.of(schema), Budget(4.0, 1e-6, unit="record"))
    assert planned.pairs is not None
    first, again = step_sigma(planned.cells), step_sigma(planned.pairs) / np.sqrt(600 // 45)
    assert sigma == pytest.approx((first**-2 + again**-2) ** -0.5)
    assert np.std(errors) == pytest.approx(2 * sigma, rel=0.15)


def test_columns_of_enough_rows_and_two_columns_alone_keep_their_pairs() -> None:
    stages = plan_stages(Layout.of(SCHEMA), Budget(1.0, 1e-6, unit="record"))
    assert stages.pairs is not None
    enough = LEAST_ROWS * step_sigma(stages.pairs)
    assert pairs_drown(0.9 * enough, stages, 6)
    assert not pairs_drown(1.1 * enough, stages, 6)
    two = Schema((Categorical("a", ("0", "1")), Categorical("b", ("0", "1"))))
    assert not pairs_drown(1.0, plan_stages(Layout.of(two), Budget(1.0, 1e-6, unit="record")), 2)
