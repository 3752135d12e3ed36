"""Rounding of invented numbers to cells that the schema allows."""

import numpy as np

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.valid_cells import assign_categories, to_valid_cells


def test_categories_are_as_common_as_their_mean_says_and_follow_the_scores() -> None:
    generator = np.random.default_rng(0)
    lean = generator.normal(size=1000)
    scores = np.column_stack([0.7 - 0.2 * lean, 0.25 + 0.2 * lean, 0.05 + generator.normal(0, 0.3, 1000)])
    categories = assign_categories(scores)
    wanted = scores.mean(axis=0) / scores.mean(axis=0).sum()
    np.testing.assert_allclose(np.bincount(categories, minlength=3) / 1000, wanted, atol=1e-3)
    assert lean[categories == 1].mean() > lean[categories == 0].mean() + 0.5
    assert (scores.argmax(axis=1) == 2).mean() > 0.0


def test_scores_below_zero_deal_rows_out_evenly() -> None:
    assert np.bincount(assign_categories(np.full((9, 3), -1.0))).tolist() == [3, 3, 3]


def test_valid_cells_are_what_a_table_may_hold() -> None:
    schema = Schema(
        (
            Numeric("dose", (0, 1), missing="flag"),
            Categorical("blood", ("A", "B"), missing="category"),
            Label("ill", ("no", "yes")),
        )
    )
    rows = np.random.default_rng(0).normal(0.4, 1.0, (200, 5))
    cells = to_valid_cells(rows, np.arange(200) % 2, schema)
    assert cells.min() >= 0
    assert cells.max() <= 1
    assert set(np.unique(cells[:, 1])) == {0.0, 1.0}
    assert np.array_equal(cells[:, 2:].sum(axis=1), np.ones(200))
    assert set(np.unique(cells[:, 2:])) == {0.0, 1.0}
