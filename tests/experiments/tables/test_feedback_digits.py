"""Batch normalisations tuned from scores on faulty digits, with small networks."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import pytest
import torch

from tacit.data.public.datasets import ImageSet
from tacit.experiments.feedback_networks import convolutional, deep
from tacit.experiments.feedback_runs import BEST, LCPS, PPS, RANDOM, START, SUPERVISED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import feedback_digits

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]
STORED, OF_ROWS = "holdout error, stored statistics", "holdout error, statistics of the rows"


@pytest.fixture(autouse=True)
def small(shrink: Callable[..., None], digits: Callable[..., ImageSet]) -> Iterator[None]:
    threads = torch.get_num_threads()
    images = digits(28, 300, 200)
    shrink(feedback_digits, load_mnist=lambda: images, SEEDS=1, QUERIES=20, DEEP_QUERIES=40, EPOCHS=8, DEEP_EPOCHS=6)
    shrink(feedback_digits, FAULTS={"contrast": 0.3}, DEEP_FAULTS={"contrast": 0.3})
    shrink(feedback_digits, SOURCE_ROWS=300, SUPPORT_ROWS=80, HOLDOUT_ROWS=100)
    shrink(feedback_digits, convolutional=partial(convolutional, 4), deep=partial(deep, width=12, depth=4))
    networks = feedback_digits._mnist_network, feedback_digits._digits_network
    for network in networks:
        network.cache_clear()
    yield
    for network in networks:
        network.cache_clear()
    torch.set_num_threads(threads)


def test_each_search_is_measured_with_both_statistics(checked: Checked) -> None:
    rows = checked(feedback_digits.rows())
    shallow = [row for row in rows if row.setting == "contrast, 20 queries"]
    searches = {START, RANDOM, PPS, BEST}
    assert {row.method for row in shallow if row.metric == STORED} >= searches
    assert {row.method for row in shallow if row.metric == OF_ROWS} >= searches | {LCPS, SUPERVISED}
    deep_rows = [row for row in rows if row.setting.startswith("24 groups, contrast")]
    assert [row.method for row in deep_rows][:2] == [START, PPS]
    assert len([row for row in deep_rows if row.method.startswith(f"{LCPS}, reliance")]) == 2
    assert len(shallow) + len(deep_rows) == len(rows)
    assert all(0 <= row.mean <= 1 for row in rows)
    errors = {(row.method, row.metric): row.mean for row in shallow}
    # Contrast shifts the statistics, which those of the faulty rows themselves repair.
    assert errors[START, OF_ROWS] < errors[START, STORED] - 0.1
    assert errors[SUPERVISED, OF_ROWS] < errors[START, OF_ROWS] + 0.05


def test_the_network_learns_clean_digits_and_the_tested_rows_are_faulty_others(digits: Callable[..., ImageSet]) -> None:
    task = feedback_digits._mnist_task("contrast", 0)
    assert (len(task.support[0]), len(task.holdout[0])) == (80, 100)
    assert task.groups.sizes == (8, 16, 32)
    spread = task.support[0].reshape(80, -1).std(axis=1).mean()
    clean = digits(28, 300, 200).X_test.std(axis=1).mean()
    assert spread == pytest.approx(0.3 * clean, rel=0.1)


def test_a_seed_repeats_the_faults_and_another_draws_others() -> None:
    first, again, other = (feedback_digits._digits_task("contrast", seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.support[0], again.support[0])
    assert not np.array_equal(first.support[1], other.support[1])
    assert len(first.support[1]) + len(first.holdout[1]) == 1797 - feedback_digits.DEEP_SOURCE_ROWS
