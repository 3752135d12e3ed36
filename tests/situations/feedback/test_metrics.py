"""Metrics of predicted classes."""

from typing import Any

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.situations.feedback.metrics import accuracy, accuracy_and_gap, rounded, top_accuracy


def test_the_gap_is_the_difference_of_two_rates() -> None:
    generator = np.random.default_rng(1)
    truth, group, predicted = (
        generator.integers(0, 2, 60),
        generator.integers(0, 2, 60),
        generator.integers(0, 2, (5, 60)),
    )
    scores = accuracy_and_gap(truth, group)(predicted)
    for row, (right, gap) in zip(predicted, scores, strict=True):
        rates = [sum(row[i] for i in range(60) if group[i] == g) / sum(group == g) for g in (0, 1)]
        assert right == pytest.approx(sum(row == truth) / 60)
        assert gap == pytest.approx(abs(rates[0] - rates[1]))


def test_a_row_counts_if_its_class_is_among_the_best_few() -> None:
    best_two = np.array([[[0, 1], [2, 1], [1, 0]], [[0, 2], [0, 2], [2, 0]]])
    assert top_accuracy([1, 1, 2])(best_two).tolist() == pytest.approx([2 / 3, 1 / 3])
    # Of one class it is the accuracy.
    assert top_accuracy([0, 2, 2])(best_two[:, :, :1]).tolist() == accuracy([0, 2, 2])(best_two[:, :, 0]).tolist()


def test_rounding_keeps_so_many_decimals() -> None:
    predicted = np.array([[0, 0, 0], [0, 1, 0]])
    assert rounded(accuracy([0, 1, 1]), 2)(predicted).tolist() == [0.33, 0.67]
    with pytest.raises(InputError, match="decimals"):
        rounded(accuracy([0]), -1)


@pytest.mark.parametrize("y", [[], [0.5], ["a"], [[1]]])
def test_labels_that_are_no_codes_are_refused(y: Any) -> None:
    with pytest.raises(InputError, match="y must be"):
        accuracy(y)


@pytest.mark.parametrize("group", [[0, 0], [0, 1, 1], [1, 2]])
def test_groups_that_are_not_two_are_refused(group: Any) -> None:
    with pytest.raises(InputError, match="group"):
        accuracy_and_gap([0, 1], group)
