"""The printed descent of pairs step by step: without noise it goes down, and mechanisms are those that are named."""

import numpy as np
import pytest

from tacit.data.rows.pairs import balanced_pairs, pair_signs
from tacit.experiments.pair_curves import (
    DUCHI,
    LAPLACE,
    NON_PRIVATE,
    REDUCED,
    STAIRCASE,
    PairProblem,
    at_steps,
    curve,
    descent,
    pair_problem,
)
from tacit.experiments.pair_runs import BalancedSplit
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.printed import mean_distance
from tacit.models.pair_metric.solvers import PrintedSettings
from tacit.numerics.contrastive import contrastive_losses

RNG = np.random.default_rng(0)
Y = np.arange(120) % 2
X = np.clip(RNG.normal(0.5, 0.1, (120, 4)) + 0.2 * Y[:, None], 0, 1)
SPLIT = BalancedSplit(X, Y, X, Y)


@pytest.fixture(scope="module")
def problem() -> PairProblem:
    return pair_problem(SPLIT, 0)


def test_pairs_are_half_similar_and_rows_at_most_one_long(problem: PairProblem) -> None:
    assert problem.dissimilar.mean() == pytest.approx(0.5)
    assert np.abs(problem.differences).sum(axis=1).max() <= 2
    assert problem.kappa >= 1


def test_pairs_along_a_chain_have_no_cycle() -> None:
    problem = pair_problem(SPLIT, 0, acyclic=True)
    assert (problem.kappa, len(problem.differences)) == (1, 119)


def test_without_noise_the_objective_goes_down_and_is_the_mean_loss(problem: PairProblem) -> None:
    printed = descent(problem, epsilon=1.0)
    drawn = curve(problem, printed, NON_PRIVATE, seed=0)
    assert len(drawn.objectives) == printed.passes * printed.batches + 1
    assert drawn.objectives[-1] < drawn.objectives[0]
    margin = mean_distance(problem.differences[problem.dissimilar])
    losses = contrastive_losses(drawn.W, problem.differences, problem.dissimilar, margin)
    assert drawn.objectives[-1] == pytest.approx(losses.mean())


def test_the_ends_of_a_curve_are_its_first_and_last_objective(problem: PairProblem) -> None:
    printed = descent(problem, epsilon=1.0)
    whole, ends = (curve(problem, printed, LAPLACE, seed=0, ends=ends) for ends in (False, True))
    assert ends.objectives.tolist() == [whole.objectives[0], whole.objectives[-1]]
    np.testing.assert_array_equal(ends.W, whole.W)


def test_stated_sensitivities_are_those_of_the_theorems(problem: PairProblem) -> None:
    plain = descent(problem, epsilon=1.0)
    stated = curve(problem, plain, LAPLACE, seed=0).sensitivities
    # Theorem 1: 2 kappa h / |B|.
    assert stated == pytest.approx(2 * problem.kappa * plain.clip / plain.batch_size)
    reduced = curve(problem, descent(problem, epsilon=1.0, reduced=True), REDUCED, seed=0).sensitivities
    assert (reduced <= stated + 1e-12).all()
    assert reduced.mean() < stated.mean()


def test_noise_is_smaller_with_a_larger_epsilon_and_duchis_is_the_largest(problem: PairProblem) -> None:
    last = {
        (name, epsilon): np.mean(
            [
                curve(problem, descent(problem, epsilon=epsilon, passes=1), name, seed=seed).objectives[-1]
                for seed in range(5)
            ]
        )
        for name in (LAPLACE, STAIRCASE, DUCHI)
        for epsilon in (0.5, 4.0)
    }
    still = curve(problem, descent(problem, epsilon=1.0, passes=1), NON_PRIVATE, seed=0).objectives[-1]
    for name in (LAPLACE, STAIRCASE):
        assert last[name, 0.5] > last[name, 4.0]
        assert last[name, 4.0] == pytest.approx(still, rel=1.0)
    assert last[DUCHI, 4.0] > last[LAPLACE, 4.0]


def test_it_is_the_descent_of_the_metric_as_printed() -> None:
    pairs = balanced_pairs(SPLIT.y, 2.0, random_state=0).indices
    metric = PairMetric(
        4.0,
        bounds=(0, 1),
        accounting="paper",
        preprocessor=X,
        solver=PrintedSettings(passes=2, radius=1.0),
        random_state=0,
    ).fit(pairs, pair_signs(SPLIT.y, pairs))
    problem = PairProblem(X[pairs[:, 0]] - X[pairs[:, 1]], pair_signs(SPLIT.y, pairs) < 0, metric.kappa_)
    ours = curve(problem, descent(problem, epsilon=4.0, passes=2), LAPLACE, seed=0)
    # The same seed draws the same start, batches and noise.
    np.testing.assert_allclose(metric.components_, ours.W, atol=1e-9)


def test_steps_are_counted_from_the_end_too() -> None:
    assert at_steps(np.array([3.0, 2.0, 1.0]), (0, 2, 9, -1)) == {0: 3.0, 2: 1.0}
