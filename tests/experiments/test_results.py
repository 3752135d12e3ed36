"""Rows of tables are means and spreads over runs, in the order of the first run."""

import json

import numpy as np
import pytest

from tacit.experiments.results import ResultRow, mean_row, mean_rows, metric_rows


def test_a_row_holds_the_mean_and_the_spread_of_all_runs() -> None:
    row = mean_row("ours", "epsilon 1", [0.5, 0.7, 0.9], paper=0.8)
    assert row == ResultRow("ours", "epsilon 1", "accuracy", row.mean, row.std, 3, 0.8)
    assert row.mean == pytest.approx(0.7)
    # The spread of these runs themselves, not an estimate for others.
    assert row.std == pytest.approx(np.sqrt(((np.array([0.5, 0.7, 0.9]) - 0.7) ** 2).mean()))


def test_one_run_has_no_spread() -> None:
    row = mean_row("ours", "epsilon 1", [0.5], metric="ROC AUC")
    assert (row.metric, row.std, row.runs, row.paper) == ("ROC AUC", 0.0, 1, None)


def test_methods_keep_their_order_and_their_published_figures() -> None:
    runs = [{"b": 1.0, "a": 0.0}, {"a": 1.0, "b": 0.5}]
    rows = list(mean_rows("here", runs, metric="gain", paper={"a": 0.25, "other": 9.0}))
    assert [(row.method, row.mean, row.paper) for row in rows] == [("b", 0.75, None), ("a", 0.5, 0.25)]
    assert {(row.setting, row.metric, row.runs) for row in rows} == {("here", "gain", 2)}


def test_a_published_figure_that_is_not_known_stays_empty() -> None:
    (row,) = mean_rows("here", [{"a": 1.0}], paper={"a": None})
    assert row.paper is None


def test_a_method_that_one_run_lacks_is_an_error() -> None:
    with pytest.raises(KeyError):
        list(mean_rows("here", [{"a": 1.0, "b": 1.0}, {"a": 1.0}]))


def test_each_metric_of_a_method_has_its_own_row() -> None:
    runs = [{("a", "gap"): 0.25, ("a", "accuracy"): 0.5}, {("a", "gap"): 0.75, ("a", "accuracy"): 1.0}]
    rows = list(metric_rows("here", runs))
    assert [(row.method, row.metric, row.mean, row.runs) for row in rows] == [
        ("a", "gap", 0.5, 2),
        ("a", "accuracy", 0.75, 2),
    ]


def test_a_row_is_json() -> None:
    row = mean_row("ours", "epsilon 1", np.array([0.5, 1.0]).tolist(), paper=0.8)
    assert json.loads(json.dumps(row.to_dict())) == {
        "method": "ours",
        "setting": "epsilon 1",
        "metric": "accuracy",
        "mean": 0.75,
        "std": 0.25,
        "runs": 2,
        "paper": 0.8,
    }
