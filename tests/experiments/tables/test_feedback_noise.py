"""What a search gains from noisy scores."""

from collections.abc import Callable, Iterable

import numpy as np

from tacit.experiments.results import ResultRow
from tacit.experiments.tables import feedback_noise
from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE

Checked = Callable[[Iterable[ResultRow]], list[ResultRow]]


def test_a_search_gains_less_from_noisier_scores_and_most_of_it_from_useful_ones(
    shrink: Callable[..., None], checked: Checked
) -> None:
    shrink(feedback_noise, SEEDS=5, CASES=((500, 300),), NOISE=(0.0, USEFUL_NOISE, 0.5))
    rows = checked(feedback_noise.rows())
    assert [row.metric for row in rows] == ["accuracy gained", "share of the exact gain"] * 3
    assert {(row.setting, row.runs) for row in rows} == {("500 rows, 300 queries", 5)}
    shares = [row.mean for row in rows if row.metric == "share of the exact gain"]
    assert shares[0] == 1 > shares[1] > 0.75 > shares[2]


def test_the_share_is_the_ratio_of_mean_gains(shrink: Callable[..., None]) -> None:
    gains = {0: [0.2, 0.1], 1: [0.4, 0.2]}
    shrink(feedback_noise, SEEDS=2, CASES=((10, 20),), NOISE=(0.0, 0.1), _gains=lambda n, q, seed: gains[seed])
    means = {(row.method, row.metric): row for row in feedback_noise.rows()}
    assert np.isclose(means["noise 0.1", "share of the exact gain"].mean, 0.15 / 0.3)
    assert np.isclose(means["noise 0", "accuracy gained"].mean, 0.3)
    # Few runs: the spread is the unbiased one.
    assert np.isclose(means["noise 0", "accuracy gained"].std, np.std([0.2, 0.4], ddof=1))


def test_three_tables_share_no_row_and_only_the_latter_two_are_shifted(shrink: Callable[..., None]) -> None:
    shrink(feedback_noise, SOURCE_ROWS=3000, HOLDOUT_ROWS=3000)
    source, support, holdout = feedback_noise._shifted_tables(3000, 1)
    assert [len(part[0]) for part in (source, support, holdout)] == [3000, 3000, 3000]
    means = [np.abs(part[0].mean(axis=0)) for part in (source, support, holdout)]
    assert np.abs(means[1] - means[2]).max() < 0.15
    assert np.abs(means[0] - means[1]).max() > 0.3
