"""What tables say about the label: nothing of shuffled labels, and as much as a loop or a simulation says."""

import numpy as np
import pytest
from tests.models.marginals.conftest import SCHEMA, measured, people

from tacit.data.rows.encoding import encode
from tacit.models.marginals.label_signal import class_distance, label_signal, size_of
from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.tables import ColumnTable
from tacit.privacy.accounting import calibrate
from tacit.privacy.budget import Budget
from tacit.privacy.mechanisms import Gaussian


def column(counts: np.ndarray, groups: list[int]) -> ColumnTable:
    places = np.arange(counts.shape[1])
    return ColumnTable(np.stack([places, places + 1], axis=1), counts.astype(float), np.array(groups))


def test_the_distance_without_noise_is_that_of_a_loop_over_cells() -> None:
    table = column(np.array([[40, 30, 20, 10], [10, 10, 30, 50]]), [0, 0, 1, 2])
    expected = 0.0
    for inside, outside in ((20, 70), (30, 20), (50, 10)):
        p, a = (inside + outside) / 200, 1 / 100 + 1 / 100
        expected += ((inside / 100 - outside / 100) ** 2 - a * p * (1 - p)) / p
    distance = class_distance(table, 1, sigma=0.0)
    assert distance.squared == pytest.approx(expected)
    assert distance.noise_variance == pytest.approx(0.0)
    assert class_distance(table, 0, sigma=0.0).squared == pytest.approx(expected), "two classes are one contrast"


def test_without_a_signal_distances_are_not_above_zero_and_have_the_stated_variance() -> None:
    random, shares, sigma = np.random.default_rng(0), np.array([0.5, 0.3, 0.15, 0.05]), 12.0
    distances = []
    for _ in range(3000):
        counts = np.stack([random.multinomial(size, shares) for size in (400, 1600)]) + random.normal(0, sigma, (2, 4))
        distances.append(class_distance(column(counts, [0, 1, 1, 2]), 1, sigma))
    squared = np.array([each.squared for each in distances])
    stated = np.mean([each.noise_variance + each.sampling_variance for each in distances])
    # Shares that noise makes small weigh more, and what is taken off for noise with them: a little below 0 on average.
    assert -0.15 * squared.std() < squared.mean() < 0.05 * squared.std()
    assert squared.std() == pytest.approx(np.sqrt(stated), rel=0.1)


def test_a_class_of_no_rows_and_a_column_of_one_cell_say_nothing() -> None:
    assert class_distance(column(np.array([[0, 0], [60, 40]]), [0, 1]), 0, sigma=2.0).squared < 0
    assert class_distance(column(np.array([[50], [50]]), [0]), 1, sigma=0.0).squared == pytest.approx(0.0, abs=1e-12)


def test_the_signal_of_true_labels_stands_out_and_grows_with_epsilon() -> None:
    rows = encode(people(3000), SCHEMA)
    signals = [label_signal(measured(rows.X, rows.y, SCHEMA, epsilon=each), range(6)) for each in (0.5, 4.0)]
    assert 3 < signals[0].z < signals[1].z
    assert signals[0].size < signals[1].size
    assert signals[1].separation == pytest.approx(2.2, abs=0.4)


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_shuffled_labels_hold_nothing(epsilon: float) -> None:
    rows = encode(people(2000), SCHEMA)
    z = []
    for seed in range(12):
        shuffled = np.random.default_rng(seed).permutation(rows.y)
        z.append(label_signal(measured(rows.X, shuffled, SCHEMA, epsilon=epsilon, seed=seed), range(6)).z)
    assert np.mean(z) < 0.3
    assert np.std(z) < 1.2
    assert max(z) < 3.5


def test_a_column_that_says_nothing_adds_nothing(measurement: Measurement) -> None:
    # The grade (4) tells the outcome, the work (3) does not.
    assert label_signal(measurement, [4]).z > 20
    assert abs(label_signal(measurement, [3]).z) < 3
    assert label_signal(measurement, [3, 4]).separation == pytest.approx(
        label_signal(measurement, [4]).separation, abs=0.1
    )


def test_the_size_is_rows_times_mu_of_the_whole_budget(measurement: Measurement) -> None:
    budget = Budget(4.0, 1e-6, unit="record")
    sigma = calibrate(lambda level: Gaussian(level, 1.0, 1).event, budget)  # one query of sensitivity 1
    assert size_of(measurement) == pytest.approx(6000 / sigma, rel=0.03)


def test_the_size_is_rows_times_mu_where_columns_were_counted_again() -> None:
    rows = encode(people(150), SCHEMA)
    again = measured(rows.X, rows.y, SCHEMA, epsilon=1.0)
    assert again.pairs == ()
    sigma = calibrate(lambda each: Gaussian(each, 1.0, 1).event, Budget(1.0, 1e-6, unit="record"))
    assert size_of(again) == pytest.approx(max(again.columns[0].counts.sum(), 0) / sigma, rel=0.02)
