"""Estimates from scores against loops and the numbers worked out by hand from the printed algorithms."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.arrays import FloatArray
from tacit.situations.feedback.estimates import (
    best_reliance,
    default_step,
    drawn_layer,
    layer_probabilities,
    mirrored,
    move,
    normalised,
    normalised_ranks,
    regret_bound,
    standard_normal,
)

HALF = np.array([[1.0, 0.5, -1.0], [-0.5, 2.0, 0.25]])
SCORES = np.array([0.62, 0.55, 0.50, 0.58])
NORMALISED = [1.13681365, -0.2471334, -1.23566701, 0.34598676]


def slow_normalised(scores: list[float]) -> list[float]:
    mean = math.fsum(scores) / len(scores)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
    return [(score - mean) / spread for score in scores]


def slow_move(directions: FloatArray, feedback: FloatArray, sigma: float, step: float) -> list[float]:
    b, p = directions.shape
    return [step / (sigma * b) * sum(directions[i, j] * feedback[i] for i in range(b)) for j in range(p)]


def test_directions_are_mirrored_from_the_ends() -> None:
    expected = [[1.0, 0.5, -1.0], [-0.5, 2.0, 0.25], [0.5, -2.0, -0.25], [-1.0, -0.5, 1.0]]
    assert mirrored(HALF).tolist() == expected


def test_feedback_is_the_score_in_unbiased_standard_deviations() -> None:
    assert_allclose(normalised(SCORES), NORMALISED, atol=1e-8)
    assert_allclose(normalised(SCORES), slow_normalised(SCORES.tolist()), rtol=1e-12)


@pytest.mark.parametrize("score", [0.1, 0.0, -3.0, 1 / 3, 1e300])
def test_equal_scores_say_nothing(score: float) -> None:
    assert normalised(np.full(7, score)).tolist() == [0.0] * 7
    assert normalised_ranks(np.full(7, score)).tolist() == [0.0] * 7


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e300])
def test_feedback_does_not_depend_on_the_scale_of_the_score(scale: float) -> None:
    assert_allclose(normalised(SCORES * scale), NORMALISED, atol=1e-8)


def test_ranks_are_normalised_and_ties_share_theirs() -> None:
    ranks = normalised_ranks(np.array([0.62, 0.55, 0.55, 0.58]))
    assert_allclose(ranks, [1.22474487, -0.81649658, -0.81649658, 0.40824829], atol=1e-8)


def test_a_step_follows_the_printed_update() -> None:
    moved = np.array([0.1, -0.2, 0.3]) + move(mirrored(HALF), normalised(SCORES), sigma=0.5, step=0.1)
    assert_allclose(moved, [0.114828, -0.08137597, 0.27281533], atol=1e-8)


def test_a_unit_step_on_raw_scores_is_the_estimated_gradient() -> None:
    assert_allclose(move(mirrored(HALF), SCORES, sigma=0.5, step=1.0), [0.0075, 0.06, -0.01375], atol=1e-12)


def test_a_step_is_the_sum_of_a_loop() -> None:
    generator = np.random.default_rng(0)
    directions, feedback = generator.standard_normal((6, 4)), generator.standard_normal(6)
    assert_allclose(
        move(directions, feedback, sigma=0.3, step=0.7), slow_move(directions, feedback, 0.3, 0.7), rtol=1e-12
    )


def test_the_default_step_is_a_quarter_of_the_variance_times_the_root_of_the_batch() -> None:
    assert default_step(0.2, 16) == pytest.approx(0.25 * 0.04 * 4)


def test_chances_of_layers_are_the_softmax_of_their_importance() -> None:
    assert_allclose(layer_probabilities(np.array([0.0, 0.5, 1.2])), [0.16753679, 0.27622147, 0.55624174], atol=1e-8)
    assert_allclose(layer_probabilities(np.array([1.2, 0.5, 4.2])), [0.04633465, 0.0230091, 0.93065625], atol=1e-8)
    assert layer_probabilities(np.array([5000.0, 0.0])).tolist() == [1.0, 0.0]


def test_the_reliance_of_theorem_5() -> None:
    assert best_reliance(6, expected_gain=0.1) == pytest.approx(4.99450456)


def test_draws_depend_on_the_seed_and_the_turn_alone() -> None:
    first = standard_normal(3, 5, (4, 2))
    assert standard_normal(3, 5, (4, 2)).tolist() == first.tolist()
    assert standard_normal(3, 6, (4, 2)).tolist() != first.tolist()
    assert standard_normal(4, 5, (4, 2)).tolist() != first.tolist()


def test_draws_are_standard_normal_from_turn_to_turn() -> None:
    drawn = np.concatenate([standard_normal(0, turn, (10,)) for turn in range(2000)])
    assert abs(drawn.mean()) < 4 / math.sqrt(len(drawn))
    assert abs(drawn.std() - 1) < 4 / math.sqrt(2 * len(drawn))


def test_layers_are_drawn_with_their_chances() -> None:
    chances = np.array([0.1, 0.6, 0.3])
    drawn = [drawn_layer(1, turn, chances) for turn in range(3000)]
    assert_allclose(np.bincount(drawn, minlength=3) / 3000, chances, atol=0.04)
    assert drawn_layer(0, 0, np.array([0.0, 1.0])) == 1


def smooth_score(rows: FloatArray) -> FloatArray:
    """Return a score whose gradient at 0 is (1, ..., p)."""
    return np.asarray(np.tanh(rows @ np.arange(1.0, rows.shape[1] + 1)) + 0.3 * (rows**2).sum(axis=1))


def test_the_estimated_gradient_is_a_projection_of_the_true_one() -> None:
    """[feedback] Proposition 2: for small sigma it is the mean over b/2 directions of <gradient, e> e."""
    gradient = np.arange(1.0, 8.0)
    half = np.random.default_rng(0).standard_normal((5, 7))
    directions, sigma = mirrored(half), 1e-4
    estimate = move(directions, smooth_score(sigma * directions), sigma=sigma, step=1.0)
    assert_allclose(estimate, np.mean([(gradient @ e) * e for e in half], axis=0), rtol=1e-4)
    # It lies in the space that the directions span.
    assert np.linalg.matrix_rank(np.vstack([half, estimate]), tol=1e-4) == 5
    # With a large sigma it does not: the score is not linear that far.
    far = move(directions, smooth_score(2.0 * directions), sigma=2.0, step=1.0)
    assert not np.allclose(far, estimate, rtol=0.1)


def projected(gradient: FloatArray, b: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return |M' g|²/|g|² for M as printed in [feedback] Theorem 4, and for directions over the root of b/2."""
    half = rng.standard_normal((b // 2, len(gradient)))
    printed = np.linalg.norm(half, axis=1, keepdims=True) * half
    scaled = half / np.sqrt(b / 2)
    squared = float(gradient @ gradient)
    first, second = (float(((M @ gradient) ** 2).sum()) / squared for M in (printed, scaled))
    return first, second


def test_directions_over_the_root_of_their_number_keep_the_length_and_the_printed_ones_do_not() -> None:
    """[feedback] Theorem 4 needs the scale that it leaves out: as printed lengths grow with b and with p."""
    rng = np.random.default_rng(0)
    gradient = rng.standard_normal(40)
    ratios = {b: np.array([projected(gradient, b, rng) for _ in range(300)]) for b in (20, 200)}
    for b, found in ratios.items():
        assert_allclose(found[:, 0].mean(), 42 * b / 2, rtol=0.1)  # E |e|² <e, g>² = (p + 2) |g|²
        assert_allclose(found[:, 1].mean(), 1.0, rtol=0.1)
    # The more directions, the nearer: the share outside 1 +- 1/2 falls.
    outside = {b: float((np.abs(found[:, 1] - 1) > 0.5).mean()) for b, found in ratios.items()}
    assert outside[200] < 0.01 < outside[20]


def test_the_regret_bound_of_theorem_5_is_above_all_that_can_be_lost() -> None:
    """[feedback] Theorem 5 holds for a search that gains nothing: the bound exceeds G_max at every beta."""
    for beta in (1e-3, 0.1, 1.0, 30.0):
        for gain in (0.01, 1.0, 50.0):
            assert regret_bound(beta, gain, n_layers=24, units=3.0) > gain
    best = best_reliance(24, expected_gain=0.5)
    bounds = [regret_bound(best * factor, 0.5, n_layers=24, units=3.0) for factor in (0.9, 1.0, 1.1)]
    assert bounds[1] == min(bounds)
