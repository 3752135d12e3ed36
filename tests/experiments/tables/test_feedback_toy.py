"""Two Gaussian classes that moved."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tacit.experiments.feedback_runs import BEST, PPS, RANDOM, START, SUPERVISED
from tacit.experiments.results import ResultRow
from tacit.experiments.tables import feedback_toy

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_the_search_reaches_its_goal_where_random_search_does_not(
    shrink: Callable[..., None], checked: Checked
) -> None:
    shrink(feedback_toy, SEEDS=3)
    rows = checked(feedback_toy.rows())
    assert {row.setting for row in rows} == {"80 queries, two Gaussians"}
    assert {row.runs for row in rows} == {3}
    holdout = {row.method: row.mean for row in rows if row.metric == "holdout accuracy"}
    support = {row.method: row.mean for row in rows if row.metric == "support accuracy"}
    assert list(holdout)[:4] == [START, RANDOM, PPS, BEST]
    assert list(holdout)[-1] == SUPERVISED
    assert holdout[PPS] >= 0.99 > holdout[RANDOM] > holdout[START]
    # A search over three parameters does not learn the support rows by heart.
    assert holdout == pytest.approx(support, abs=0.02)


def test_the_target_differs_from_the_source_and_a_seed_repeats_the_run() -> None:
    first, again, other = (feedback_toy._run(seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other
    X, y = feedback_toy._classes(feedback_toy.TARGET_MEANS, feedback_toy.TARGET_VARIANCES, np.random.RandomState(0))
    for code in (0, 1):
        np.testing.assert_allclose(X[y == code].mean(axis=0), feedback_toy.TARGET_MEANS[code], atol=0.15)
        np.testing.assert_allclose(X[y == code].var(axis=0), feedback_toy.TARGET_VARIANCES, rtol=0.15)
