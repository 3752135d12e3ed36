"""What the tables of private linear transfer share."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata, ttest_rel
from sklearn.metrics import roc_auc_score

from tacit.experiments import linear_runs
from tacit.experiments.linear_runs import (
    DIRECT,
    SIMPLE,
    SOURCE,
    LinearTask,
    comparable,
    measure,
    printed_area,
    rank_rows,
    ranks,
)
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.logistic import PrivateLogisticRegression

RNG = np.random.default_rng(0)


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 2
    return RNG.normal(0, 1, (n, 6)) + np.where(y, 1, -1)[:, None], y


TASK = LinearTask(table(400), table(200), table(200))


def test_ranks_are_averaged_and_ties_shared() -> None:
    runs = [{"a": 0.9, "b": 0.8, "c": 0.8}, {"a": 0.1, "b": 0.2, "c": 0.3}]
    assert dict(ranks(runs)) == {"a": (1 + 3) / 2, "b": (2.5 + 2) / 2, "c": (2.5 + 1) / 2}


def test_ranks_are_scipys_of_the_negated_figures() -> None:
    values = np.round(np.random.default_rng(1).random((5, 4)), 1)
    runs = [dict(zip("abcd", row, strict=True)) for row in values.tolist()]
    by_scipy = np.mean([rankdata(-row) for row in values], axis=0)
    assert list(dict(ranks(runs)).values()) == pytest.approx(by_scipy.tolist())


def test_methods_that_a_paired_test_does_not_tell_from_the_best_are_comparable() -> None:
    rng = np.random.default_rng(3)
    best = rng.normal(0.9, 0.02, 10)
    columns = {"best": best, "near": best + np.tile([-0.012, 0.01], 5), "far": best - 0.2, "equal": best}
    columns["shifted"] = best - 0.001  # by little, but every time
    runs = [{name: float(values[run]) for name, values in columns.items()} for run in range(10)]
    assert comparable(runs) == {"best", "near", "equal"}
    assert ttest_rel(columns["near"], best).pvalue > 0.05


def test_the_printed_algorithm_is_measured_and_a_seed_repeats_it() -> None:
    split = FeatureSplit.random(6, 2)
    first, again, other = (printed_area(TASK, 8.0, split, 0.1, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other
    assert first > 0.9


def test_every_method_is_measured() -> None:
    areas = measure(TASK, 8.0, {"FS": FeatureSplit.random(6, 2)}, seed=0)
    assert list(areas) == [DIRECT, SOURCE, SIMPLE, "FS, stack", "FS, average"]
    assert min(areas.values()) > 0.9


def test_the_area_is_that_of_the_test_rows() -> None:
    scores = np.random.default_rng(2).normal(size=200)
    assert TASK.auc(scores) == pytest.approx(roc_auc_score(TASK.test[1], scores))
    assert TASK.auc(TASK.test[1].astype(float)) == 1.0


def test_a_seed_repeats_a_measurement_and_another_draws_other_noise() -> None:
    first, again, other = (measure(TASK, 0.3, {}, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_source_and_target_never_share_their_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int | None] = []

    class Recorded(PrivateLogisticRegression):
        def fit(self, X: Any, y: Any, *, persons: Any = None, sample_weight: Any = None) -> "Recorded":
            seeds.append(self.random_state)
            super().fit(X, y, persons=persons)
            return self

    monkeypatch.setattr(linear_runs, "PrivateLogisticRegression", Recorded)
    for seed in (0, 1):
        measure(TASK, 1.0, {}, seed=seed)
    assert len(seeds) == 4
    assert len(set(seeds)) == 4


def test_rank_rows_rank_the_means_of_each_case_and_count_marks() -> None:
    first = [{"a": 0.9 + 0.01 * k, "b": 0.5 + 0.02 * k} for k in range(4)]
    second = [{"a": 0.2, "b": 0.8}, {"a": 0.3, "b": 0.8}, {"a": 0.2, "b": 0.9}]
    rows = {(row.method, row.metric.split()[0]): row for row in rank_rows("all 2", [first, second], "cases")}
    assert {key: row.mean for key, row in rows.items()} == {
        ("a", "averaged"): 1.5,
        ("b", "averaged"): 1.5,
        ("a", "share"): 0.5,
        ("b", "share"): 0.5,
    }
    assert {row.setting for row in rows.values()} == {"all 2"}
    assert "share of cases best" in rows["a", "share"].metric
