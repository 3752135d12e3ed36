"""Halves and parts of a table do not depend on where a row stands: in a sorted export one record moves only itself."""

from typing import Any

import numpy as np
import pytest

from tacit import FeatureSplitClassifier, PrivateLogisticRegression
from tacit.arrays import FloatArray
from tacit.models.linear.planning import SplitSettings
from tacit.privacy.account import observed_by

N = 120
STACKING: dict[str, Any] = {"split": 2, "settings": SplitSettings("stack")}
TUNING: dict[str, Any] = {"regularization": (0.5, 2.0)}


def sorted_neighbours() -> list[tuple[Any, Any]]:
    """Two tables kept sorted by their first column, as most exports are: the first row became the last."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.sort(rng.uniform(-1, 1, N)), rng.uniform(-1, 1, (N, 3))])
    y = np.arange(float(N)) % 2  # the label alternates along the sort: each half by place would hold one class
    other = X.copy()
    other[0, 0] = 0.9999
    order = np.argsort(other[:, 0], kind="stable")
    return [(X, y), (other[order], y[order])]


@pytest.mark.parametrize("n_rows", [None, 150])
@pytest.mark.parametrize(
    ("estimator", "settings"), [(FeatureSplitClassifier, STACKING), (PrivateLogisticRegression, TUNING)]
)
def test_a_replaced_record_of_a_sorted_table_moves_only_itself(
    estimator: Any, settings: dict[str, Any], n_rows: int | None
) -> None:
    seen: list[tuple[Any, FloatArray]] = []

    def observer(mechanism: Any, values: FloatArray, draw: Any) -> Any:
        seen.append((mechanism, values.copy()))
        return draw()

    with observed_by(observer):
        for X, y in sorted_neighbours():
            estimator(1.0, classes=[0, 1], n_rows=n_rows, **settings).fit(X, y)
    (mechanism, first), (_, second) = seen
    assert mechanism.distance(first, second) <= mechanism.sensitivity


@pytest.mark.parametrize(
    "model",
    [
        FeatureSplitClassifier(1.0, **STACKING),
        PrivateLogisticRegression(1.0, **TUNING),
        PrivateLogisticRegression(1.0, accounting="chaudhuri", **TUNING),
    ],
)
def test_a_row_may_go_from_one_part_to_another_at_no_more_than_the_promise(model: Any) -> None:
    (step,) = model.plan(4, n_rows=N)
    assert 0.99 < step.mechanism.event.epsilon <= 1.0
    assert step.mechanism.moved_epsilon <= step.mechanism.event.epsilon
