"""Batch normalisations tuned from scores on faulty pictures, with small networks."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest
import torch

from tacit.data.public.datasets import ImageSet
from tacit.experiments.feedback_runs import LCPS, PPS, RANDOM
from tacit.experiments.picture_faults import FAULTS
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import feedback_faults
from tacit.experiments.tables.feedback_faults import OF_ROWS, PRINTED_LCPS, STORED, TENT, _task, queries_to
from tacit.situations.feedback.performance import PerformanceSearch

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> Iterator[None]:
    threads = torch.get_num_threads()
    images = digits(16, 600, 300)
    shrink(feedback_faults, SETS={"digits": lambda: images}, SEEDS=1, QUERIES=30, MOST_QUERIES=60, SHOWN=("impulse",))
    shrink(feedback_faults, FAULTS={name: FAULTS[name] for name in ("impulse", "contrast")})
    shrink(feedback_faults, SOURCE_ROWS=600, SUPPORT_ROWS=100, HOLDOUT_ROWS=200, WIDTH=4, EPOCHS=8)
    feedback_faults._network.cache_clear()
    yield
    feedback_faults._network.cache_clear()
    torch.set_num_threads(threads)


def test_every_search_and_tent_are_measured_on_every_fault_and_over_all(checked: Checked) -> None:
    rows = checked(feedback_faults.rows())
    methods = {STORED, OF_ROWS, TENT, RANDOM, PPS, LCPS, PRINTED_LCPS}
    errors = {(row.setting, row.method): row.mean for row in rows if row.metric == "holdout error"}
    settings = ["digits, impulse, 30 queries", "digits, contrast, 30 queries", "digits, mean of 2 faults, 30 queries"]
    assert set(errors) == {(setting, method) for setting in settings for method in methods}
    for method in methods:
        first, second, mean = (errors[setting, method] for setting in settings)
        assert mean == pytest.approx((first + second) / 2)
    # Contrast shifts the statistics, which those of the rows repair.
    assert errors[settings[1], OF_ROWS] < errors[settings[1], STORED] - 0.1
    # No figure was published for these pictures.
    assert {row.paper for row in rows} == {None}


def test_the_metric_of_five_classes_is_never_above_that_of_one(checked: Checked) -> None:
    rows = [row for row in feedback_faults.rows() if "metric of tuning" in row.setting]
    errors = {(row.method, row.metric): row.mean for row in rows}
    assert set(errors) == {
        (method, metric)
        for method in (OF_ROWS, f"{LCPS} by top-1", f"{LCPS} by top-5")
        for metric in ("top-1 error", "top-5 error")
    }
    for (method, _), error in errors.items():
        assert errors[method, "top-5 error"] <= error


def test_queries_to_a_preset_error_are_counted_up_to_the_most() -> None:
    rows = [row for row in feedback_faults.rows() if row.metric.startswith("queries to 0.9")]
    assert [row.method for row in rows] == [PPS, f"{LCPS}, no importance", LCPS]
    assert all(0 < row.mean <= 60 for row in rows)


def test_a_search_stops_at_the_first_batch_that_reaches_the_target() -> None:
    search = PerformanceSearch(np.zeros(2), queries=100, sigma=0.1, batch=10, random_state=0)

    def score(rows: np.ndarray) -> np.ndarray:
        return np.asarray(-np.abs(rows - 0.5).sum(axis=1))

    assert queries_to(search, score, -2.0) == 10
    assert 10 < queries_to(search, score, -0.6) < 100
    assert queries_to(search, score, 0.0) == 100


def test_tested_pictures_answer_no_query_and_a_seed_repeats_them() -> None:
    first, again, other = (_task("digits", "impulse", seed) for seed in (0, 0, 1))
    assert first.support[0].shape == (100, 1, 16, 16)
    assert len(first.holdout[1]) == 200
    np.testing.assert_array_equal(first.holdout[0], again.holdout[0])
    assert not np.array_equal(first.support[1], other.support[1])
