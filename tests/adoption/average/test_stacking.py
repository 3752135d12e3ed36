"""Shares of two models by what they predict of rows that were left out."""

import numpy as np
import pytest

from tacit.adoption.average.stacking import stacked_share, stacked_share_of_means
from tacit.adoption.average.usage_fits import ROWS_AGAINST_TREES, ROWS_FOR_TREES

TREE_ROWS = (ROWS_AGAINST_TREES, ROWS_FOR_TREES)


@pytest.mark.parametrize("rows", [TREE_ROWS, (0.1, 2.0)])
def test_the_stacked_share_maximises_what_its_docstring_says(rows: tuple[float, float]) -> None:
    draw = np.random.default_rng(3)
    first, second = np.log(draw.uniform(0.2, 0.9, size=(2, 80)))
    share = stacked_share(first, second, rows=rows)

    def objective(t: float) -> float:
        foretold = np.log((1 - t) * np.exp(first) + t * np.exp(second)).sum()
        return float(foretold + rows[0] * np.log(1 - t) + rows[1] * np.log(t))

    grid = np.linspace(0.001, 0.999, 999)
    assert share == pytest.approx(grid[np.argmax([objective(t) for t in grid])], abs=2e-3)


def test_without_any_row_the_share_is_what_it_starts_with() -> None:
    nothing = np.empty(0)
    assert stacked_share(nothing, nothing, rows=(1.5, 0.5)) == pytest.approx(0.25, abs=1e-3)


def test_trees_get_the_share_that_predicts_best_and_little_without_a_gain() -> None:
    draw = np.random.default_rng(0)
    plain = np.log(draw.uniform(0.5, 0.9, size=300))
    rows = ROWS_AGAINST_TREES, ROWS_FOR_TREES
    assert stacked_share(plain, plain, rows=rows) < 0.3
    assert stacked_share(plain, plain - 0.5, rows=rows) < 0.05
    assert stacked_share(plain, plain + 0.5, rows=rows) > 0.9


@pytest.mark.parametrize("rows", [(5.0, 1.0), (0.1, 2.0)])
def test_the_share_of_means_minimises_what_its_docstring_says(rows: tuple[float, float]) -> None:
    draw = np.random.default_rng(3)
    targets = draw.normal(size=80)
    first, second = targets + draw.normal(size=80), targets + 1.5 * draw.normal(size=80)
    share = stacked_share_of_means(first, second, targets, rows=rows)
    variance = ((targets - first) ** 2).mean()

    def objective(t: float) -> float:
        errors = ((targets - (1 - t) * first - t * second) ** 2).sum() / (2 * variance)
        return float(errors - rows[0] * np.log(1 - t) - rows[1] * np.log(t))

    grid = np.linspace(0.001, 0.999, 999)
    assert share == pytest.approx(grid[np.argmin([objective(t) for t in grid])], abs=2e-3)


@pytest.mark.parametrize("targets", [np.empty(0), np.zeros(4)])
def test_where_means_do_not_differ_the_share_is_what_it_starts_with(targets: np.ndarray) -> None:
    assert stacked_share_of_means(targets, targets, targets, rows=(1.5, 0.5)) == pytest.approx(0.25, abs=1e-3)
