"""Rounding of invented numbers to cells that the schema allows."""

import numpy as np
import pytest

from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.valid_cells import assign_categories, class_rates, dealt_counts, to_valid_cells


def test_categories_are_as_common_as_their_mean_says_and_follow_the_scores() -> None:
    generator = np.random.RandomState(0)
    lean = generator.normal(size=1000)
    scores = np.column_stack([0.7 - 0.2 * lean, 0.25 + 0.2 * lean, 0.05 + generator.normal(0, 0.3, 1000)])
    counts = dealt_counts(scores.mean(axis=0), 1000, generator)
    categories = assign_categories(scores, counts)
    assert np.bincount(categories, minlength=3).tolist() == counts.tolist()
    wanted = scores.mean(axis=0) / scores.mean(axis=0).sum()
    np.testing.assert_allclose(np.bincount(categories, minlength=3) / 1000, wanted, atol=1e-3)
    assert lean[categories == 1].mean() > lean[categories == 0].mean() + 0.5
    assert (scores.argmax(axis=1) == 2).mean() > 0.0


def test_scores_below_zero_deal_rows_out_evenly() -> None:
    counts = dealt_counts(np.full(3, -1.0), 9, np.random.RandomState(0))
    assert counts.tolist() == [3, 3, 3]
    assert np.bincount(assign_categories(np.full((9, 3), -1.0), counts)).tolist() == [3, 3, 3]


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_few_rows_get_categories_at_the_right_rate_over_many_blocks(count: int) -> None:
    random, rates = np.random.RandomState(1), np.array([0.7, 0.0, 0.25, 0.05])
    dealt = np.array([dealt_counts(rates, count, random) for _ in range(4000)])
    assert (dealt.sum(axis=1) == count).all()
    assert (np.abs(dealt - rates * count) < 1).all()
    np.testing.assert_allclose(dealt.mean(axis=0), rates * count, atol=0.03)


def test_the_rows_of_highest_scores_get_a_rare_category() -> None:
    scores = np.random.RandomState(2).normal(size=(50, 3))
    categories = assign_categories(scores, np.array([30, 5, 15]))
    assert set(np.flatnonzero(categories == 1)) == set(np.argsort(-scores[:, 1])[:5])
    left = np.flatnonzero(categories != 1)
    assert set(np.flatnonzero(categories == 2)) == set(left[np.argsort(-scores[left, 2])[:15]])


def test_rates_are_the_mean_rows_of_the_classes() -> None:
    rows, codes = np.random.RandomState(3).normal(size=(20, 2)), np.arange(20) % 2
    rates = class_rates(rows, codes, 3)
    np.testing.assert_allclose(rates, [rows[::2].mean(axis=0), rows[1::2].mean(axis=0), [0, 0]])


def test_valid_cells_are_what_a_table_may_hold() -> None:
    schema = Schema(
        (
            Numeric("dose", (0, 1), missing="flag"),
            Categorical("blood", ("A", "B"), missing="category"),
            Label("ill", ("no", "yes")),
        )
    )
    rows = np.random.default_rng(0).normal(0.4, 1.0, (200, 5))
    codes = np.arange(200) % 2
    cells = to_valid_cells(rows, codes, schema, class_rates(rows, codes, 2), np.random.RandomState(0))
    assert cells.min() >= 0
    assert cells.max() <= 1
    assert set(np.unique(cells[:, 1])) == {0.0, 1.0}
    assert np.array_equal(cells[:, 2:].sum(axis=1), np.ones(200))
    assert set(np.unique(cells[:, 2:])) == {0.0, 1.0}
