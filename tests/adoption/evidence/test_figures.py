"""Figures of held-out predictions."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tacit.adoption.evidence.figures import (
    HeldOut,
    accuracy,
    area,
    calibration,
    log_loss,
    log_loss_difference,
    mean_figure,
)
from tacit.errors import InputError


def predictions(n: int = 60, n_classes: int = 2, times: int = 2, seed: int = 0) -> tuple[HeldOut, np.ndarray]:
    draw = np.random.default_rng(seed)
    codes = draw.integers(n_classes, size=n)
    p = draw.dirichlet(np.ones(n_classes), size=(times, n)) + 0.5 * np.eye(n_classes)[codes]
    return HeldOut(p / p.sum(axis=2, keepdims=True), draw.integers(3, size=(times, n))), codes


def test_of_a_single_fold_the_area_is_the_usual_one() -> None:
    held_out, codes = predictions(times=1)
    one = HeldOut(held_out.probabilities, np.zeros_like(held_out.folds))
    figure = area(one, codes)
    assert figure is not None
    assert figure.value == pytest.approx(roc_auc_score(codes, one.probabilities[0, :, 1]))


def test_the_area_counts_pairs_within_folds_only() -> None:
    held_out, codes = predictions()
    wins = pairs = 0.0
    for p, folds in zip(held_out.probabilities[:, :, 1], held_out.folds, strict=True):
        for i in np.flatnonzero(codes == 1):
            for j in np.flatnonzero((codes == 0) & (folds == folds[i])):
                wins += (p[i] > p[j]) + 0.5 * (p[i] == p[j])
                pairs += 1
    figure = area(held_out, codes)
    assert figure is not None
    assert figure.value == pytest.approx(wins / pairs)
    assert figure.low < figure.value < figure.high


def test_the_interval_of_the_area_is_from_leaving_out_each_row() -> None:
    held_out, codes = predictions(n=30)
    parts = []
    for left in range(30):
        rest = np.arange(30) != left
        part = area(HeldOut(held_out.probabilities[:, rest], held_out.folds[:, rest]), codes[rest])
        assert part is not None
        parts.append(part.value)
    error = np.sqrt(29 / 30 * ((np.array(parts) - np.mean(parts)) ** 2).sum())
    figure = area(held_out, codes)
    assert figure is not None
    assert figure.value - figure.low == pytest.approx(1.959964 * error, rel=1e-4)


def test_of_several_classes_the_area_is_the_mean_over_classes() -> None:
    held_out, codes = predictions(n_classes=3, times=1)
    one = HeldOut(held_out.probabilities, np.zeros_like(held_out.folds))
    figure = area(one, codes)
    assert figure is not None
    expected = roc_auc_score(codes, one.probabilities[0], multi_class="ovr", average="macro")
    assert figure.value == pytest.approx(expected)


def test_too_few_pairs_give_no_area() -> None:
    held_out, codes = predictions(n=12)
    assert area(held_out, np.zeros_like(codes)) is None


def test_accuracy_counts_ties_in_part() -> None:
    held_out = HeldOut(np.full((1, 4, 2), 0.5), np.zeros((1, 4), dtype=np.intp))
    assert accuracy(held_out, np.array([0, 1, 1, 1])).value == pytest.approx(0.5)


def test_log_loss_is_the_mean_over_rows_and_a_difference_is_paired() -> None:
    first, codes = predictions(seed=0)
    second = HeldOut(first.probabilities[::-1], first.folds)
    expected = -np.mean([np.log(first.probabilities[t, i, c]) for t in range(2) for i, c in enumerate(codes)])
    assert log_loss(first, codes).value == pytest.approx(expected)
    assert log_loss_difference(first, second, codes).value == pytest.approx(0)
    assert log_loss_difference(first, second, codes).high == pytest.approx(0)


def test_a_single_value_has_no_interval() -> None:
    with pytest.raises(InputError, match="two values"):
        mean_figure(np.array([1.0]))


def test_calibration_bins_hold_all_predictions_in_order() -> None:
    held_out, codes = predictions(n=53)
    bins = calibration(held_out, codes)
    assert sum(each.n_rows for each in bins) == 53
    assert [each.predicted for each in bins] == sorted(each.predicted for each in bins)
    assert sum(each.observed.value * each.n_rows for each in bins) == pytest.approx((codes == 1).sum())
