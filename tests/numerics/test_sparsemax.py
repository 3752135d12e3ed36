"""Sparsemax against a slow search for its threshold, and its two ways against each other."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.sparsemax import (
    NEWTON_FROM,
    newton_threshold,
    sorted_threshold,
    sparsemax,
    support,
    threshold,
)

Z = np.array([[0.5, 0.2, 0.1, -0.3, -1.0]])
WAYS = (sorted_threshold, newton_threshold)


def slow_threshold(row: FloatArray) -> float:
    low, high = float(row.max()) - 1.0, float(row.max())
    for _ in range(200):
        middle = (low + high) / 2
        mass = math.fsum(max(0.0, float(z) - middle) for z in row)
        low, high = (middle, high) if mass > 1 else (low, middle)
    return low


def test_probabilities_threshold_and_support_have_the_values_of_an_independent_computation() -> None:
    assert_allclose(sparsemax(Z), [[0.56666667, 0.26666667, 0.16666667, 0.0, 0.0]], atol=1e-8)
    assert_allclose(threshold(Z), [-0.06666667], atol=1e-8)
    assert_array_equal(support(Z), [[True, True, True, False, False]])
    assert_array_equal(sparsemax([[2.0, 0.9, -1.0]]), [[1.0, 0.0, 0.0]])


@pytest.mark.parametrize("spread", [0.0, 0.01, 0.3, 1.0, 30.0])
@pytest.mark.parametrize("n_classes", [1, 2, 5, NEWTON_FROM - 1, NEWTON_FROM, 300])
def test_both_ways_find_the_root_that_bisection_finds(n_classes: int, spread: float) -> None:
    logits = spread * np.random.default_rng(n_classes).standard_normal((20, n_classes))
    expected = [slow_threshold(row) for row in logits]
    for find in WAYS:
        assert_allclose(find(logits), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [40, 1000])
def test_newton_equals_sorting_among_ties_and_heavy_tails(n_classes: int) -> None:
    rng = np.random.default_rng(1)
    rows = [rng.standard_cauchy((50, n_classes)), np.round(rng.standard_normal((50, n_classes)), 1)]
    rows += [np.linspace(0, 2, n_classes)[None], -np.log(np.arange(1.0, n_classes + 1))[None]]
    logits = np.concatenate(rows)
    assert_allclose(newton_threshold(logits), sorted_threshold(logits), rtol=1e-15, atol=1e-12)


def test_no_other_probabilities_are_nearer_to_the_logits() -> None:
    rng = np.random.default_rng(2)
    logits = rng.standard_normal((30, 40))
    nearest = ((sparsemax(logits) - logits) ** 2).sum(axis=1)
    for _ in range(50):
        others = rng.dirichlet(np.full(40, 0.2), size=30)
        assert (((others - logits) ** 2).sum(axis=1) >= nearest).all()


@pytest.mark.parametrize("n_classes", [3, 50])
def test_rows_are_probabilities_whatever_is_added_to_the_logits(n_classes: int) -> None:
    logits = np.random.default_rng(3).integers(-8, 9, (40, n_classes)) / 8  # exact after adding a power of two
    p = sparsemax(logits)
    assert (p >= 0).all()
    assert_allclose(p.sum(axis=1), 1.0, atol=1e-14)
    assert_array_equal(sparsemax(logits + 2.0**40), p)


@pytest.mark.parametrize("n_classes", [3, 50])
def test_logits_at_the_ends_of_the_range_are_one_hot(n_classes: int) -> None:
    logits = np.full((1, n_classes), -1.7e308)
    logits[0, 1] = 1.7e308
    assert_array_equal(sparsemax(logits), np.eye(n_classes)[[1]])


@pytest.mark.parametrize("n_classes", [4, 64])
def test_equal_logits_share_evenly(n_classes: int) -> None:
    assert_allclose(sparsemax(np.zeros((1, n_classes))), 1 / n_classes, rtol=1e-15)


def test_single_precision_and_no_rows_are_taken() -> None:
    assert_allclose(sparsemax(Z.astype(np.float32)), sparsemax(Z), atol=1e-7)
    for n_classes in (3, 50):
        assert sparsemax(np.empty((0, n_classes))).shape == (0, n_classes)


@pytest.mark.parametrize("logits", [np.zeros(3), np.zeros((2, 0)), np.zeros((1, 2, 3)), [[np.nan, 1.0]], [["a"]]])
def test_what_are_no_logits_is_refused(logits: object) -> None:
    with pytest.raises(InputError, match="logits must"):
        sparsemax(logits)  # type: ignore[arg-type]
