"""[pptl] Propositions 2 and 4: with one constant for all settings so many rows are enough, and far fewer are not."""

import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.models.linear.sample_size import SampleSizeGoal, group_rows_needed, rows_needed

# One constant for every setting below: the propositions say that there is one.
CONSTANT = 1.0
RUNS = 20


def rows_of(w: FloatArray, n: int, rng: np.random.Generator) -> tuple[FloatArray, np.ndarray]:
    """Return rows on the unit sphere, and labels by the logistic model of ``w``."""
    X = rng.normal(size=(n, len(w)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, (rng.random(n) < 1 / (1 + np.exp(-X @ w))).astype(int)


def excess_loss(learned: FloatArray, w: FloatArray, rng: np.random.Generator) -> float:
    """Return how much larger the expected loss of ``learned`` is than that of ``w``, on 20000 new rows."""
    X, _ = rows_of(w, 20_000, rng)
    chance = 1 / (1 + np.exp(-X @ w))

    def loss(v: FloatArray) -> float:
        margin = X @ v
        return float((chance * np.logaddexp(0, -margin) + (1 - chance) * np.logaddexp(0, margin)).mean())

    return loss(learned) - loss(w)


def share_reached(goal: SampleSizeGoal, n: int, *, epsilon: float, dimension: int) -> float:
    """Return the share of private fits on ``n`` rows whose excess loss is within the goal."""
    reached = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=dimension)
        w *= goal.length / np.linalg.norm(w)
        model = PrivateLogisticRegression(
            epsilon, regularization=goal.excess / goal.length**2, classes=[0, 1], random_state=seed
        )
        weights = model.fit(*rows_of(w, n, rng)).coef_.ravel()
        reached += excess_loss(weights, w, rng) <= goal.excess
    return reached / RUNS


@pytest.mark.parametrize("dimension", [3, 20])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("length", [1.0, 3.0])
def test_so_many_rows_are_enough_for_algorithm_1(dimension: int, epsilon: float, length: float) -> None:
    goal = SampleSizeGoal(0.1, 0.1, length)
    n = math.ceil(rows_needed(goal, epsilon=epsilon, dimension=dimension, constant=CONSTANT))
    assert share_reached(goal, n, epsilon=epsilon, dimension=dimension) >= 1 - goal.failure


def test_a_thirtieth_of_the_rows_is_not_enough() -> None:
    goal = SampleSizeGoal(0.1, 0.1, 1.0)
    n = math.ceil(rows_needed(goal, epsilon=0.5, dimension=20) / 30)
    assert share_reached(goal, n, epsilon=0.5, dimension=20) < 0.5


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_so_many_rows_are_enough_for_a_group_of_algorithm_3(share: float) -> None:
    dimension, n_groups, epsilon = 20, 2, 2.0
    goal = SampleSizeGoal(0.1, 0.1, 1.0 / share)  # in rows of norm q: weights of length 1 on rows of norm 1
    n = math.ceil(group_rows_needed(goal, epsilon=epsilon, dimension=dimension, n_groups=n_groups, share=share))
    split = FeatureSplit((tuple(range(10)), tuple(range(10, 20))), (share, 1 - share))
    settings = SplitSettings(regularization=goal.excess)
    reached = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=10)
        w /= np.linalg.norm(w)
        X, y = rows_of(w, n, rng)
        other, _ = rows_of(w, n, rng)
        model = FeatureSplitClassifier(epsilon, split=split, settings=settings, classes=[0, 1], random_state=seed)
        model.fit(np.column_stack([X, other]), y)
        reached += excess_loss(model.scores_.weights[0, :10], w, rng) <= goal.excess
    assert reached / RUNS >= 1 - goal.failure


def test_the_bounds_are_the_printed_maxima() -> None:
    goal = SampleSizeGoal(0.1, 0.05, 2.0)
    terms = (4 * math.log(20) / 0.01, 50 * math.log(50 / 0.05) * 2 / (0.1 * 0.5), 4 / (0.1 * 0.5))
    assert rows_needed(goal, epsilon=0.5, dimension=50) == pytest.approx(max(terms))
    a, q, K = 0.4, 0.2, 5
    terms = (a**2 * math.log(20) / 0.01, 50 * math.log(50 / (K * 0.05)) * a / (q * K * 0.1 * 0.5), a**2 / 0.05)
    grouped = group_rows_needed(goal, epsilon=0.5, dimension=50, n_groups=K, share=q)
    assert grouped == pytest.approx(max(terms))


def test_one_group_of_all_features_needs_what_the_whole_needs() -> None:
    goal = SampleSizeGoal(0.2, 0.1, 1.5)
    whole = rows_needed(goal, epsilon=1.0, dimension=30)
    assert group_rows_needed(goal, epsilon=1.0, dimension=30, n_groups=1, share=1.0) == pytest.approx(whole)
    # What splitting is for: groups of equal shares need fewer rows each, the more of them the fewer.
    split = [group_rows_needed(goal, epsilon=0.1, dimension=30, n_groups=K, share=1 / K) for K in (1, 2, 5)]
    assert split == sorted(split, reverse=True)


def test_goals_that_are_none_are_refused() -> None:
    for settings in ((0.0, 0.1, 1.0), (0.1, 1.0, 1.0), (0.1, 0.1, 0.0)):
        with pytest.raises(InputError):
            SampleSizeGoal(*settings)
