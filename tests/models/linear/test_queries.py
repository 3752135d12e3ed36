"""The queries of groups, with an account that adds no noise."""

from typing import Any

import numpy as np
import pytest

from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.hypothesis import no_prior
from tacit.models.linear.planning import PublicNumbers, SplitSettings, plan_split
from tacit.models.linear.queries import GroupedTable, average_weights, stacked_weights
from tacit.models.two_class_problems import row_factors, signs_of
from tacit.privacy.mechanisms import Mechanism

SPLIT = FeatureSplit(((0, 2), (1,)), (2.0, 1.0))
X = np.random.default_rng(0).normal(size=(6, 3))
CODES = np.array([0, 1, 0, 1, 1, 0])
HALVES = np.array([0, 0, 1, 1, 0, 1])


class Recorder:
    """Stands for an account: remembers each query and answers it with the sums of its columns."""

    def __init__(self) -> None:
        self.queries: list[tuple[Mechanism, np.ndarray]] = []

    def release(self, mechanism: Mechanism, values: np.ndarray) -> np.ndarray:
        self.queries.append((mechanism, values))
        return np.asarray(values[:, :-1].sum(axis=0))


def table(n_rows: int = 6) -> GroupedTable:
    parts = [X[:, list(group)] for group in SPLIT.positions]
    start = np.array([[0.5, -1.0, 2.0]])
    return GroupedTable(parts, [row_factors(part) for part in parts], signs_of(CODES, 2), start, n_rows, HALVES)


def test_the_query_of_a_group_holds_its_signed_unit_rows_and_margins() -> None:
    query = table(8).query(0, 0, np.array([0.5, 2.0]))
    for row, code, values in zip(X[:, [0, 2]], CODES, query, strict=False):
        z = (1 if code else -1) * row / np.linalg.norm(row)
        assert values == pytest.approx([*z, z @ [0.5, 2.0]])
    assert not query[6:].any()


def test_averaged_groups_each_read_all_rows_and_are_weighed_by_public_numbers() -> None:
    plan = plan_split(no_prior(SPLIT, 3, 2), PublicNumbers(1.0, 6, 1), SplitSettings())
    account: Any = Recorder()
    learned = average_weights(account, plan, table())
    assert [mechanism for mechanism, _ in account.queries] == [step.mechanism for step in plan.steps]
    expected = table().start[0].copy()
    for group, (_, values) in zip(SPLIT.positions, account.queries, strict=True):
        expected[list(group)] += values[:, :-1].sum(axis=0)
    assert learned.weights[0] == pytest.approx(expected)
    assert learned.combination[0] == pytest.approx(SPLIT.weights)


def test_stacked_groups_are_one_query_whose_first_column_is_the_half() -> None:
    plan = plan_split(no_prior(SPLIT, 3, 2), PublicNumbers(1.0, 6, 1), SplitSettings("stack"))

    class Drawn(Recorder):
        def release(self, mechanism: Mechanism, values: np.ndarray) -> np.ndarray:
            self.queries.append((mechanism, values))
            return np.arange(1.0, 6.0)  # weights of both groups, then the two stacking weights

    account: Any = Drawn()
    learned = stacked_weights(account, plan, table())
    ((mechanism, values),) = account.queries
    assert mechanism is plan.steps[0].mechanism
    assert values[:, 0].tolist() == HALVES.tolist()
    assert values.shape == (6, 1 + 3 + 2)
    assert learned.weights.tolist() == [[0.5 + 1.0, -1.0 + 3.0, 2.0 + 2.0]]
    assert learned.combination.tolist() == [[4.0, 5.0]]
