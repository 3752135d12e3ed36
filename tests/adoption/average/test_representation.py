"""The columns in which own learners see a table."""

import numpy as np
import pytest

from tacit.adoption.average.representation import FLOOR, LARGEST, POWER, represent


@pytest.fixture
def table() -> np.ndarray:
    draw = np.random.default_rng(0)
    number = draw.exponential(size=500)
    spiked = np.where(draw.random(500) < 0.5, 0.0, draw.random(500))
    return np.stack([number, np.full(500, 3.0), draw.random(500) < 0.1, spiked], axis=1).astype(float)


def test_numbers_give_two_columns_indicators_one_and_constants_none(table: np.ndarray) -> None:
    found = represent(table)
    assert found.numbers.tolist() == [0, 3]
    assert found.indicators.tolist() == [2]
    assert found(table).shape == (500, 5)


def test_the_first_column_of_a_number_is_its_standard_score_within_bounds(table: np.ndarray) -> None:
    Z = represent(table)(table)
    expected = np.clip((table[:, 0] - table[:, 0].mean()) / table[:, 0].std(), -LARGEST, LARGEST)
    assert Z[:, 0] * np.sqrt(2) == pytest.approx(expected)


def test_the_second_column_of_a_number_is_its_rank(table: np.ndarray) -> None:
    Z = represent(table)(table)
    ranks = np.array([(table[:, 0] < x).mean() + (table[:, 0] == x).mean() / 2 for x in table[:, 0]])
    assert np.abs(Z[:, 2] / np.sqrt(6) + 0.5 - ranks).max() < 0.02


def test_a_spike_has_the_middle_of_its_ranks(table: np.ndarray) -> None:
    Z = represent(table)(table)
    at_zero = Z[table[:, 3] == 0, 3] / np.sqrt(6) + 0.5
    assert at_zero == pytest.approx((table[:, 3] == 0).mean() / 2)


def test_a_rare_indicator_is_stretched_less_than_standardising_would(table: np.ndarray) -> None:
    Z = represent(table)(table)
    variance = table[:, 2].var()
    assert np.ptp(Z[:, 4]) == pytest.approx((variance + FLOOR) ** -POWER)
    assert np.ptp(Z[:, 4]) < 1 / np.sqrt(variance)


def test_values_beyond_those_seen_stay_within_bounds(table: np.ndarray) -> None:
    far = np.array([[1e9, 3.0, 1.0, -1e9]])
    assert np.abs(represent(table)(far)).max() < LARGEST
