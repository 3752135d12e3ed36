"""Distillation losses: known values, gradients against differences with the target fixed, and what the theory says."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.numerics.sharpening import (
    LossAndGradient,
    adaptive_sharpening_loss,
    consistency_loss,
    entropy_loss,
    fenchel_young_loss,
    negative_sampling_loss,
    pseudo_label_loss,
    sharpening_loss,
)
from tacit.numerics.sparsemax import sparsemax, support

Z = np.array([[0.5, 0.2, 0.1, -0.3, -1.0]])
KNOWN: dict[str, tuple[Callable[[FloatArray], LossAndGradient], float, list[float]]] = {
    "ADS r=1": (partial(adaptive_sharpening_loss, power=1.0), 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]),
    "ADS r=1.5": (
        partial(adaptive_sharpening_loss, power=1.5),
        0.0264489,
        [-0.30622707, 0.06759534, 0.23863172, 0.0, 0.0],
    ),
    "ADS r=2": (adaptive_sharpening_loss, 0.09095626, [-0.55555556, 0.15873016, 0.3968254, 0.0, 0.0]),
    "FY": (partial(fenchel_young_loss, targets=[2]), 0.54333333, [0.56666667, 0.26666667, -0.83333333, 0.0, 0.0]),
    "ME": (entropy_loss, 1.51023651, [-0.12457515, -0.0202141, 0.00344777, 0.06059744, 0.08074404]),
    "SH": (sharpening_loss, 0.05719226, [-0.12018262, -0.00369055, 0.01766511, 0.05597704, 0.05023103]),
    "PL": (
        partial(pseudo_label_loss, confidence=0.3),
        1.1260969,
        [-0.67570345, 0.24024479, 0.21738248, 0.14571583, 0.07236034],
    ),
}
some_logits = arrays(np.float64, st.tuples(st.just(1), st.integers(3, 60)), elements=st.floats(-20, 20))


def kl(q: FloatArray, p: FloatArray) -> float:
    return math.fsum(a * math.log(a / b) for a, b in zip(q, p, strict=True) if a > 0)


def differences(value: Callable[[FloatArray], float], row: FloatArray) -> FloatArray:
    step = 1e-6
    moves = step * np.eye(len(row))
    return np.array([(value(row + move) - value(row - move)) / (2 * step) for move in moves])


@pytest.mark.parametrize("name", KNOWN)
def test_values_and_gradients_are_those_of_an_independent_computation(name: str) -> None:
    loss, value, gradient = KNOWN[name]
    found = loss(Z)
    assert_allclose(found.values, [value], atol=1e-8)
    assert_allclose(found.gradients, [gradient], atol=1e-8)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0, 5.0])
@pytest.mark.parametrize("n_classes", [4, 40])
def test_adaptive_sharpening_is_the_divergence_from_its_fixed_target(n_classes: int, power: float) -> None:
    logits = 0.6 * np.random.default_rng(n_classes).standard_normal((12, n_classes))
    found = adaptive_sharpening_loss(logits, power=power)
    for row, value, gradient in zip(logits, *found, strict=True):
        p = sparsemax(row[None])[0]
        q = np.where(p > 0, p**power, 0.0) / np.where(p > 0, p**power, 0.0).sum()
        assert value == pytest.approx(kl(q, p), abs=1e-12)
        moving = differences(lambda z, q=q: kl(q, sparsemax(z[None])[0]), row)  # type: ignore[misc]
        assert_allclose(gradient, moving, atol=1e-4 * max(1.0, np.abs(moving).max()))


def test_a_huge_power_picks_the_largest_without_underflow() -> None:
    found = adaptive_sharpening_loss(Z, power=1e4)
    p = sparsemax(Z)[0]
    assert_allclose(found.values, [-math.log(p[0])], rtol=1e-12)
    assert_allclose(found.gradients[0, :3], (np.full(3, 1 / 3) - [1, 0, 0]) / p[0], rtol=1e-12)


@pytest.mark.parametrize("temperature", [0.2, 0.5, 1.0, 2.0])
def test_sharpening_is_the_divergence_from_its_fixed_target(temperature: float) -> None:
    logits = np.random.default_rng(0).standard_normal((8, 6))
    for row, value, gradient in zip(logits, *sharpening_loss(logits, temperature=temperature), strict=True):
        q = softmax(row / temperature)
        assert value == pytest.approx(kl(q, softmax(row)), abs=1e-12)
        moving = differences(lambda z, q=q: kl(q, softmax(z)), row)  # type: ignore[misc]
        assert_allclose(gradient, moving, atol=1e-8)


@pytest.mark.parametrize(
    "loss",
    [
        entropy_loss,
        partial(pseudo_label_loss, confidence=0.4),
        partial(negative_sampling_loss, negligible=0.08),
        partial(fenchel_young_loss, targets=[3]),
        partial(fenchel_young_loss, targets=[[0.1, 0.0, 0.6, 0.0, 0.3, 0.0]]),
        partial(consistency_loss, reference=[[0.0, 0.4, -0.3, 0.2, 0.9, -1.0]]),
    ],
)
def test_the_gradient_is_that_of_the_loss(loss: Callable[[FloatArray], LossAndGradient]) -> None:
    seen = 0
    for row in 1.5 * np.random.default_rng(1).standard_normal((12, 6)):
        gradient = loss(row[None]).gradients[0]
        assert_allclose(gradient, differences(lambda z: float(loss(z[None]).values[0]), row), atol=1e-7)
        seen += bool(gradient.any())
    assert seen > 3


def test_the_fenchel_young_loss_is_the_printed_difference_of_squares() -> None:
    rng = np.random.default_rng(2)
    logits, soft = rng.standard_normal((30, 40)), rng.dirichlet(np.full(40, 0.1), size=30)
    for targets in (soft, np.eye(40)[rng.integers(0, 40, 30)]):
        printed = 0.5 * (((targets - logits) ** 2).sum(axis=1) - ((sparsemax(logits) - logits) ** 2).sum(axis=1))
        assert_allclose(fenchel_young_loss(logits, targets).values, printed, atol=1e-12)
    hard = targets.argmax(axis=1)
    assert_array_equal(fenchel_young_loss(logits, hard).values, fenchel_young_loss(logits, targets).values)


def test_the_fenchel_young_loss_is_zero_just_where_the_prediction_is_the_target() -> None:
    assert_array_equal(fenchel_young_loss([[3.0, 1.0, -5.0]], [0]).values, [0.0])
    assert_allclose(fenchel_young_loss(Z, sparsemax(Z)).values, [0.0], atol=1e-15)
    assert fenchel_young_loss([[3.0, 1.0, -5.0]], [1]).values[0] > 1


def test_consistency_is_finite_where_supports_are_disjoint_and_zero_where_predictions_agree() -> None:
    found = consistency_loss([[4.0, 0.0, 0.0]], [[0.0, 0.0, 3.0]])
    assert_allclose(found.values, [4.0])  # ½ 2 + (τ - z) = 1 + 3
    assert_array_equal(found.gradients, [[1.0, 0.0, -1.0]])
    assert_array_equal(consistency_loss([[4.0, 0.0]], [[9.0, 2.0]]).values, [0.0])


def test_pseudo_labels_leave_unsure_rows_alone() -> None:
    found = pseudo_label_loss(np.array([[3.0, 0.0], [0.3, 0.0]]), confidence=0.9)
    assert found.values[0] > 0
    assert found.values[1] == 0
    assert_array_equal(found.gradients[1], 0.0)


def test_negative_sampling_lowers_the_negligible_alone() -> None:
    p = softmax(Z, axis=1)
    found = negative_sampling_loss(Z, negligible=0.2)
    assert_allclose(found.values, [-math.log(1 - p[0, 3] - p[0, 4])])
    assert (found.gradients[0, 3:] > 0).all()
    assert (found.gradients[0, :3] < 0).all()
    indifferent = negative_sampling_loss(np.zeros((1, 10)), negligible=0.2)
    assert_array_equal(indifferent.values, [0.0])
    assert_allclose(indifferent.gradients, 0.0, atol=1e-16)


@given(some_logits)
def test_adaptive_sharpening_leaves_a_row_alone_whose_largest_probability_is_e_times_the_next(row: FloatArray) -> None:
    # [sharpening] Theorem 3; the gap is made to hold with room for the rounding of softmax.
    winner = int(row.argmax())
    row[0, winner] = np.partition(row[0], -2)[-2] + 1.001 + abs(row[0, 0])
    first, second = np.sort(softmax(row[0]))[:-3:-1]
    assert first > math.e * second
    found = adaptive_sharpening_loss(row)
    assert_array_equal(found.values, [0.0])
    assert_array_equal(found.gradients, np.zeros_like(row))


@given(some_logits)
def test_adaptive_sharpening_moves_every_row_with_a_nearer_runner_up(row: FloatArray) -> None:
    # The other half: with 1/e < p_(2)/p_(1) < 1 the prediction is informed, and the loss pushes the winner up.
    winner, second = np.argsort(row[0])[[-1, -2]]
    row[0, winner] = row[0, second] + 0.5
    found = adaptive_sharpening_loss(row)
    assert found.values[0] > 0
    assert found.gradients[0, winner] < 0
    assert found.gradients.sum() == pytest.approx(0.0, abs=1e-9 * np.abs(found.gradients).max())


@given(some_logits)
def test_a_class_that_is_ruled_out_has_a_small_softmax_probability(row: FloatArray) -> None:
    # [sharpening] Corollary 1 with e^(-1/ρ) where e^ρ is printed, which B.8 does not give: the printed bound,
    # e^ρ/(ρ + e^ρ), is nearly 1 and says nothing.
    kept, p = support(row)[0], softmax(row[0])
    size = int(kept.sum())
    shrink = math.exp(-1 / size)
    assert (p[~kept] <= shrink / (size + shrink) + 1e-12).all()
    if size == 1:
        assert p.max() >= math.e / (math.e + len(p) - 1) - 1e-12


def test_the_bound_for_classes_that_are_ruled_out_is_reached() -> None:
    for size in (1, 2, 5):
        row = np.array([[*([0.0] * size), -1 / size - 1e-9, -800.0]])  # just below the threshold -1/ρ
        shrink = math.exp(-1 / size)
        assert support(row).sum() == size
        assert softmax(row[0])[size] == pytest.approx(shrink / (size + shrink), rel=1e-8)


def test_two_classes_follow_the_formulas_in_the_softmax_probability() -> None:
    s = 0.6
    u = math.log(s / (1 - s))
    row = np.array([[u, 0.0]])
    p = sparsemax(row)[0, 0]
    found = adaptive_sharpening_loss(row)
    assert p == pytest.approx(0.70273255, abs=1e-8)
    assert p**2 / (p**2 + (1 - p) ** 2) == pytest.approx(0.84821747, abs=1e-8)
    assert found.values[0] == pytest.approx(0.05757547, abs=1e-8)
    assert found.gradients[0, 0] == pytest.approx(-0.34821747, abs=1e-8)
    assert found.gradients[0, 0] * (1 / s + 1 / (1 - s)) == pytest.approx(-1.45090615, abs=1e-8)  # eq. B.6


def test_one_class_and_single_precision_are_taken() -> None:
    for loss in (adaptive_sharpening_loss, entropy_loss, sharpening_loss, pseudo_label_loss, negative_sampling_loss):
        alone = loss(np.array([[2.0]]))
        assert_array_equal(alone.values, [0.0])
        assert_array_equal(alone.gradients, [[0.0]])
        assert_allclose(loss(Z.astype(np.float32)).gradients, loss(Z).gradients, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: adaptive_sharpening_loss(Z, power=0.5), "power must be at least 1; got 0.5"),
        (lambda: adaptive_sharpening_loss(Z, power=math.inf), "power must be a finite"),
        (lambda: sharpening_loss(Z, temperature=0.0), "temperature must be"),
        (lambda: pseudo_label_loss(Z, confidence=1.0), "confidence must be"),
        (lambda: negative_sampling_loss(Z, negligible=-0.1), "negligible must be"),
        (lambda: fenchel_young_loss(Z, [5]), "codes of the 5 classes"),
        (lambda: fenchel_young_loss(Z, [-1]), "codes of the 5 classes"),
        (lambda: fenchel_young_loss(Z, [0.5]), "codes of the 5 classes"),
        (lambda: fenchel_young_loss(Z, [0, 1]), "targets must have shape"),
        (lambda: fenchel_young_loss(Z, [[0.5, 0.6, 0.0, 0.0, 0.0]]), "sum to 1"),
        (lambda: fenchel_young_loss(Z, [[1.5, -0.5, 0.0, 0.0, 0.0]]), "at least 0"),
        (lambda: entropy_loss([[np.inf, 0.0]]), "logits must"),
    ],
)
def test_settings_outside_the_range_are_refused(call: Callable[[], LossAndGradient], named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()
