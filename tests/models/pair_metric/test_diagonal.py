import math

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.models.pair_metric.diagonal import IDENTITY_SHARE, Diagonal, PairMoments, diagonal_weights
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit


def moments(similar: list[float], dissimilar: list[float], noise: float = 1e-3) -> PairMoments:
    size = len(similar)
    return PairMoments(np.array(similar), np.array(dissimilar), np.full(size, noise), 1e-3, np.zeros(size, bool))


def test_the_feature_with_the_larger_gap_weighs_more() -> None:
    weights, drowned = diagonal_weights(moments([0.2, 0.2, 0.2], [0.4, 0.3, 0.2]))
    assert not drowned
    assert weights[0] > weights[1] > weights[2] > 0


def test_a_spread_feature_weighs_less_than_a_narrow_one_of_the_same_relative_gap() -> None:
    weights, _ = diagonal_weights(moments([0.1, 0.4], [0.15, 0.6]))
    assert weights[0] > 1.5 * weights[1]


def test_gaps_that_chance_explains_leave_the_identity() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        noisy = rng.normal(0.3, 0.05, (2, 8))
        similar, dissimilar = noisy.tolist()
        weights, drowned = diagonal_weights(moments(similar, dissimilar, noise=0.05 * math.sqrt(2)))
        assert (weights == 1).all() if drowned else weights.min() >= math.sqrt(IDENTITY_SHARE)


def test_dissimilar_pairs_that_lie_nearer_teach_nothing() -> None:
    weights, drowned = diagonal_weights(moments([0.4, 0.4], [0.2, 0.2]))
    assert drowned
    assert weights.tolist() == [1.0, 1.0]


def test_indicators_that_always_differ_are_no_trouble_without_noise() -> None:
    always = PairMoments(np.ones(2), np.array([1.0, 1.0]), np.zeros(2), 1e-3, np.ones(2, bool))
    weights, drowned = diagonal_weights(always)
    assert drowned
    assert weights.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace", "staircase", "duchi"])
def test_released_means_come_near_the_true_ones_at_a_large_epsilon(mechanism: str) -> None:
    rng = np.random.default_rng(1)
    differences = rng.uniform(-0.3, 0.3, (40_000, 3))
    far = rng.random(40_000) < 0.4
    scale = (1.0, 2.0, 1.0)
    solver = Diagonal(3, 1, mechanism, 10.0, 1e-6, 1.0 if mechanism == "duchi" else 3.0, scale, (False, True, False))
    delta = 1e-6 if mechanism == "gaussian" else 0.0
    account = Account.open(solver.steps(), budget=Budget(10.0, delta, unit=Unit.PAIR), random_state=0)
    found = solver.moments(account, differences, far)
    # Randomising each pair on its own costs a factor of about the root of their number.
    near = 0.15 if mechanism == "duchi" else 0.005
    # Numbers that differ by more than 0.15 of their range are different: from there on the magnitude is 1.
    sizes = np.minimum(np.abs(differences) / [0.15, 1.0, 0.15], 1)
    assert np.allclose(found.similar, sizes[~far].mean(axis=0), atol=near)
    assert np.allclose(found.dissimilar, sizes[far].mean(axis=0), atol=near)
    assert found.weight == pytest.approx(1 / (~far).sum() + 1 / far.sum(), rel=0.3)


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_no_replacement_moves_the_sums_further_than_declared(mechanism: str) -> None:
    rng = np.random.default_rng(2)
    solver = Diagonal(5, 2, mechanism, 1.0, 1e-6, 0.8, (1.0,) * 5, (False,) * 5)
    query = solver.query

    def sums(rows: FloatArray, far: np.ndarray) -> FloatArray:
        short = query.shorten(np.column_stack([np.abs(rows), np.full(len(rows), solver.unit)]))
        return np.concatenate([short[~far].sum(axis=0), short[far].sum(axis=0)])

    for _ in range(300):
        rows, far = rng.uniform(-1, 1, (30, 5)), rng.random(30) < 0.5
        other, turned = rows.copy(), far.copy()
        other[:2], turned[:2] = rng.choice([-1.0, 0.0, 1.0], (2, 5)), rng.random(2) < 0.5
        assert solver.noise.distance(sums(rows, far), sums(other, turned)) <= query.sensitivity
