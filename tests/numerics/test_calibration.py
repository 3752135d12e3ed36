"""Calibration: the temperature against a search over many, the errors against counting row by row."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.calibration import (
    apply_temperature,
    calibration_error,
    coverage,
    find_temperature,
    reliability,
)

Codes = NDArray[np.int64]


def searched_temperature(logits: FloatArray, y: Codes) -> float:
    """The slow way: the smoothed likelihood written out, minimised over the logarithm of the temperature."""
    n, n_classes = logits.shape
    targets = (n * np.eye(n_classes)[y] + 1) / (n + n_classes)

    def loss(log_temperature: float) -> float:
        return -float((targets * log_softmax(logits / math.exp(log_temperature), axis=1)).sum())

    return math.exp(minimize_scalar(loss, bounds=(-12, 12), method="bounded", options={"xatol": 1e-10}).x)


def counted_error(P: FloatArray, y: Codes, bins: int) -> float:
    total = 0.0
    for b in range(bins):
        inside = [row for row, code in zip(P, y, strict=True) if b / bins < row.max() <= (b + 1) / bins]
        codes = [code for row, code in zip(P, y, strict=True) if b / bins < row.max() <= (b + 1) / bins]
        if inside:
            right = np.mean([row.argmax() == code for row, code in zip(inside, codes, strict=True)])
            total += len(inside) * abs(float(right) - float(np.mean([row.max() for row in inside])))
    return total / len(P)


@pytest.mark.parametrize("seed", range(6))
def test_the_temperature_is_that_of_the_slow_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(3, 80)), int(rng.integers(2, 7))
    logits = rng.normal(size=(n, n_classes)) * 10.0 ** rng.integers(-2, 3) + rng.normal(size=(n, 1))
    y = np.where(rng.random(n) < 0.7, logits.argmax(axis=1), rng.integers(n_classes, size=n))
    assert find_temperature(logits, y) == pytest.approx(searched_temperature(logits, y), rel=1e-5)


def test_labels_drawn_at_a_temperature_give_it_back() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 4))
    shares = softmax(logits / 0.4, axis=1).cumsum(axis=1)
    y = (rng.random((len(logits), 1)) > shares).sum(axis=1)
    temperature = find_temperature(logits, y)
    assert temperature == pytest.approx(0.4, rel=0.03)
    raw, corrected = (calibration_error(softmax(logits / t, axis=1), y) for t in (1.0, temperature))
    assert corrected < 0.02 < raw


def test_soft_targets_that_are_certain_are_class_codes() -> None:
    logits = np.random.default_rng(1).normal(size=(30, 3))
    y = np.arange(30) % 3
    assert find_temperature(logits, np.eye(3)[y]) == find_temperature(logits, y)


def test_rows_that_are_all_right_do_not_become_certain() -> None:
    logits = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    temperature = find_temperature(logits, [0, 1, 0])
    assert temperature == pytest.approx(searched_temperature(logits, np.array([0, 1, 0])), rel=1e-5)
    assert apply_temperature(logits, temperature).max() < 0.98


def test_logits_that_know_nothing_are_flattened_but_keep_their_order() -> None:
    logits = np.array([[2.0, 0.0], [0.0, 2.0]])
    scaled = apply_temperature(logits, find_temperature(logits, [1, 0]))
    assert_allclose(scaled, 0.5, atol=1e-3)
    assert_array_equal(scaled.argmax(axis=1), [0, 1])


@pytest.mark.parametrize("logits", [np.zeros((3, 2)), np.full((3, 2), 7.0), np.ones((3, 1))])
def test_constant_logits_are_left_as_they_are(logits: FloatArray) -> None:
    assert find_temperature(logits, np.zeros(3, dtype=int)) == 1.0


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e30, 1e200])
def test_the_temperature_grows_with_the_logits(scale: float) -> None:
    rng = np.random.default_rng(2)
    logits, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    assert find_temperature(scale * logits, y) == pytest.approx(scale * find_temperature(logits, y), rel=1e-9)


@pytest.mark.parametrize("bins", [1, 4, 15])
def test_the_calibration_error_is_that_of_counting(bins: int) -> None:
    rng = np.random.default_rng(bins)
    P = softmax(3 * rng.normal(size=(300, 3)), axis=1)
    P[:2] = [[0.25, 0.25, 0.5], [0.0, 1.0, 0.0]]  # on the borders of bins
    y = rng.integers(3, size=300)
    assert calibration_error(P, y, bins=bins) == pytest.approx(counted_error(P, y, bins), abs=1e-12)


def test_reliability_gathers_every_row_once() -> None:
    P = np.array([[0.9, 0.1], [0.6, 0.4], [0.08, 0.92], [1.0, 0.0]])
    found = reliability(P, [0, 1, 1, 0], bins=10)
    assert_array_equal(found.counts, [1, 1, 2])
    assert_allclose(found.confidence, [0.6, 0.9, 0.96])
    assert_allclose(found.accuracy, [0.0, 1.0, 1.0])
    assert found.error == pytest.approx((0.6 + 0.1 + 2 * 0.04) / 4)


def test_coverage_counts_what_is_answered() -> None:
    P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    found = coverage(P, [0, 1, 0], least=0.8)
    assert found.share == pytest.approx(2 / 3)
    assert (found.accuracy, found.answered) == (0.5, 2)
    assert coverage(P, [0, 1, 0], least=0).share == 1.0
    none = coverage(P, [0, 1, 0], least=0.95)
    assert none.answered == 0
    assert math.isnan(none.accuracy)


def test_what_is_no_table_of_probabilities_is_refused() -> None:
    with pytest.raises(InputError, match="row at least"):
        find_temperature(np.zeros((0, 2)), [])
    with pytest.raises(InputError, match="codes of the 2 classes"):
        find_temperature(np.zeros((1, 2)), [2])
    with pytest.raises(InputError, match="temperature must be"):
        apply_temperature(np.zeros((1, 2)), 0.0)
    with pytest.raises(InputError, match="n of at least 1"):
        calibration_error(np.zeros((0, 2)), [])
    with pytest.raises(InputError, match="must be probabilities"):
        calibration_error([[0.9, 0.9]], [0])
    with pytest.raises(InputError, match="least must be"):
        coverage([[1.0, 0.0]], [0], least=1.5)
