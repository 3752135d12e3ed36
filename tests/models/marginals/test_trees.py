import itertools

import numpy as np
import pytest
from tests.models.marginals.conftest import measured

from tacit.arrays import FloatArray
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.trees import CELL_PENALTY, Cells, _divided, density_cuts

NUMBER = Schema((Numeric("x", (0, 5000), integer=True, missing="flag"), Label("y", ("a", "b"))))


def number_rows(values: FloatArray, missing: float = 0.0) -> Measurement:
    rng = np.random.default_rng(0)
    X = np.column_stack([values / 5000, rng.random(len(values)) < missing])
    return measured(X, rng.integers(0, 2, len(values)), NUMBER, epsilon=3.0)


def test_fine_cells_cover_every_level_once_and_missing_cells_stand_alone() -> None:
    ranges = number_rows(np.random.default_rng(1).exponential(600, 5000).clip(0, 5000).round(), 0.2).columns[0].ranges
    assert ranges[0, 0] == 0
    assert np.array_equal(ranges[1:, 0], ranges[:-1, 1])
    assert ranges[-1].tolist() == [5001, 5002]


def test_a_spike_becomes_a_cell_of_one_value() -> None:
    rng = np.random.default_rng(2)
    values = np.where(rng.random(8000) < 0.4, 1234, rng.integers(0, 5001, 8000)).astype(float)
    table = number_rows(values).columns[0]
    spike = np.flatnonzero((table.ranges[:, 0] == 1234) & (table.ranges[:, 1] == 1235))
    assert len(spike) == 1
    assert table.counts[:, spike].sum() == pytest.approx((values == 1234).sum(), rel=0.05)


def test_an_empty_table_still_has_cells() -> None:
    table = number_rows(np.array([3.0])).columns[0]
    assert table.ranges[-1, 1] == 5002
    assert np.isfinite(table.counts).all()


def test_children_add_up_to_the_average_of_both_estimates_of_their_parent() -> None:
    tree = Cells(np.array([[0, 10], [10, 20]]), np.array([100.0, 5.0]), np.array([4.0, 4.0]))
    divided = _divided(tree, {0: (np.array([[0, 5], [5, 10]]), np.array([80.0, 32.0]))}, 2.0)
    # Parent 100 with variance 4, children 112 with variance 2 + 2: the mean is 106.
    assert divided.counts.tolist() == [77.0, 29.0, 5.0]
    assert divided.ranges.tolist() == [[0, 5], [5, 10], [10, 20]]


def _cost(counts: FloatArray, variances: FloatArray, spans: FloatArray, cuts: tuple[int, ...]) -> float:
    """Return what a division costs, by the definition."""
    cost = 0.0
    for start, end in itertools.pairwise(cuts):
        c, v, w = counts[start:end], variances[start:end], spans[start:end]
        density = (c * w / v).sum() / (w * w / v).sum()
        cost += ((c - density * w) ** 2 / v).sum() + CELL_PENALTY
    return cost


def test_cuts_are_the_cheapest_of_all_divisions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        spans = rng.integers(1, 5, 8).astype(float)
        counts, variances = spans * rng.choice([2.0, 9.0], 8) + rng.normal(0, 1, 8), rng.uniform(0.5, 2, 8)
        found = density_cuts(counts, variances, spans, most=np.inf)
        every = [(0, *inner, 8) for size in range(8) for inner in itertools.combinations(range(1, 8), size)]
        best = min(_cost(counts, variances, spans, cuts) for cuts in every)
        assert _cost(counts, variances, spans, tuple(found)) == pytest.approx(best)


def test_no_joined_cell_holds_more_than_allowed() -> None:
    counts = np.full(20, 10.0)
    cuts = density_cuts(counts, np.ones(20), np.ones(20), most=35.0)
    assert np.diff(cuts).max() == 3
