import itertools
import math

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, people

from tacit.audit.replay import QueryRecorder
from tacit.data.rows.encoding import encode
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.models.marginals.counting import BatchCounts
from tacit.models.marginals.layout import Layout, encoded_batches
from tacit.models.marginals.levels import levels_of
from tacit.models.marginals.measuring import Survey, measure
from tacit.models.marginals.planning import MOST_PAIRS, plan_stages, tree_widths
from tacit.privacy import accounting
from tacit.privacy.account import Account, observed_by, plan_event
from tacit.privacy.budget import Budget, Relation
from tacit.privacy.mechanisms import Gaussian

BUDGET = Budget(1.0, 1e-6, unit="record")


def asked(X: np.ndarray, y: np.ndarray, answers: list[np.ndarray]) -> list[tuple[Gaussian, np.ndarray]]:
    """Return the queries of a measurement; ``answers`` are given back where there are some, and filled otherwise."""
    layout = Layout.of(SCHEMA)
    stages = plan_stages(layout, BUDGET)
    account = Account.open(stages.steps, budget=BUDGET, random_state=0)
    recorder, queries = QueryRecorder(), []

    def observe(mechanism, values, draw):  # type: ignore[no-untyped-def]
        queries.append((mechanism, values.copy()))
        if len(queries) <= len(answers):
            return answers[len(queries) - 1]
        return recorder.record(mechanism, values, draw)

    with observed_by(observe):
        measure(Survey(BatchCounts(encoded_batches(X, y, SCHEMA), layout), layout, stages, account))
    answers += [query.answer for query in recorder.queries]
    return queries


def test_one_row_moves_every_query_by_no_more_than_declared() -> None:
    """Brute force: each of many rows added to a table, every query asked with the same earlier answers."""
    rows, others = encode(people(400), SCHEMA), encode(people(40, seed=5), SCHEMA)
    answers: list[np.ndarray] = []
    base = asked(rows.X, rows.y, answers)
    largest = np.zeros(len(base))
    for x, label in zip(others.X, others.y, strict=True):
        more = asked(np.vstack([rows.X, x]), np.append(rows.y, label), answers)
        for place, ((mechanism, before), (_, after)) in enumerate(zip(base, more, strict=True)):
            change = after - before
            assert set(np.unique(change)) <= {0.0, 1.0}
            assert np.count_nonzero(change) <= mechanism.coordinates
            assert mechanism.distance(before, after) <= mechanism.sensitivity
            largest[place] = max(largest[place], mechanism.distance(before, after) / mechanism.sensitivity)
    # The bound is not only true but reached, by the first depth, the cells and the pairs.
    assert np.allclose(largest[[0, -2, -1]], 1.0)


def test_all_queries_together_cost_the_budget_and_hardly_less() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        budget = Budget(epsilon, 1e-6, unit="record")
        event = plan_event(plan_stages(Layout.of(SCHEMA), budget).steps, budget)
        assert accounting.fits(event, budget)
        assert accounting.epsilon(event, delta=1e-6) == pytest.approx(epsilon, rel=1e-3)


def test_steps_are_proved_for_a_row_more_or_less() -> None:
    for step in plan_stages(Layout.of(SCHEMA), BUDGET).steps:
        assert step.relation is Relation.ADD_REMOVE
        assert "sqrt(" in step.because


def test_shares_of_the_budget_are_8_20_and_72_of_100() -> None:
    stages = plan_stages(Layout.of(SCHEMA), BUDGET)
    costs = [(step.mechanism.sensitivity / step.mechanism.sigma) ** 2 for step in stages.steps]  # type: ignore[attr-defined]
    shares = np.array([sum(costs[:-2]), costs[-2], costs[-1]]) / sum(costs)
    assert np.allclose(shares, [0.08, 0.20, 0.72], atol=1e-6)


def test_one_column_has_no_pairs() -> None:
    stages = plan_stages(Layout.of(Schema((Numeric("x", (0, 1)), Label("y", ("a", "b"))))), BUDGET)
    assert stages.pairs is None
    assert accounting.epsilon(plan_event(stages.steps, BUDGET), delta=1e-6) == pytest.approx(1.0, rel=1e-3)


def test_wide_tables_count_a_limited_number_of_pairs() -> None:
    columns = tuple(Categorical(f"c{j}", ("a", "b")) for j in range(60))
    stages = plan_stages(Layout.of(Schema((*columns, Label("y", ("a", "b"))))), BUDGET)
    assert stages.n_pairs == MOST_PAIRS < math.comb(60, 2)


@pytest.mark.parametrize("bounds", [(0, 10), (0, 1000), (0, 5000), (0, 99_999), (0, 1_500_000)])
def test_nodes_get_narrower_down_to_single_levels(bounds: tuple[float, float]) -> None:
    widths = tree_widths(levels_of(Numeric("x", bounds, integer=True)))
    assert widths[-1] == 1
    assert len(widths) <= 4
    assert all(wide > narrow for wide, narrow in itertools.pairwise(widths))
