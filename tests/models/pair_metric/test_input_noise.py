import numpy as np
import pytest

from tacit.models.pair_metric.input_noise import InputNoise
from tacit.privacy import accounting
from tacit.privacy.account import Account, plan_event
from tacit.privacy.budget import Budget, Unit


@pytest.mark.parametrize("kappa", [1, 3])
def test_features_and_labels_have_half_of_epsilon_each(kappa: int) -> None:
    features, labels = InputNoise(4, kappa, 2.0, 1.0, (False,) * 4).steps()
    assert accounting.epsilon(features.event, delta=0.0) == pytest.approx(1.0, rel=1e-3)
    assert accounting.epsilon(labels.event, delta=0.0) == pytest.approx(1.0)
    assert accounting.epsilon(plan_event([features, labels]), delta=0.0) <= 2.0 * (1 + 1e-9)


def test_no_replacement_moves_the_features_further_than_declared() -> None:
    solver = InputNoise(4, 2, 2.0, 0.8, (False,) * 4)
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (200, 2, 4))
    lengths = np.abs(rows).sum(axis=2, keepdims=True)
    short = rows * np.minimum(1, 0.8 / lengths)
    moved = np.abs(short[:100] - short[100:]).sum(axis=(1, 2))
    assert moved.max() <= solver.features.sensitivity == pytest.approx(2 * 2 * 0.8)


def test_at_a_large_epsilon_the_means_are_those_of_the_pairs() -> None:
    rng = np.random.default_rng(1)
    differences, far = rng.uniform(-0.3, 0.3, (500, 2)), rng.random(500) < 0.4
    solver = InputNoise(2, 1, 100.0, 1.0, (False, True))
    account = Account.open(solver.steps(), budget=Budget(100.0, unit=Unit.PAIR), random_state=0)
    moments = solver.moments(account, differences, far)
    sizes = np.minimum(np.abs(differences) / [0.15, 1.0], 1)
    assert moments.similar == pytest.approx(sizes[~far].mean(axis=0), abs=0.05)
    assert moments.dissimilar == pytest.approx(sizes[far].mean(axis=0), abs=0.05)
    assert moments.weight == pytest.approx(1 / (~far).sum() + 1 / far.sum())
    assert not moments.noise.any()


def test_it_learns_a_diagonal_and_has_no_warning() -> None:
    rng = np.random.default_rng(2)
    far = rng.random(400) < 0.5
    differences = np.column_stack([np.where(far, 0.3, 0.0), rng.uniform(-0.1, 0.1, 400)])
    solver = InputNoise(2, 1, 60.0, 1.0, (False, False))
    account = Account.open(solver.steps(), budget=Budget(60.0, unit=Unit.PAIR), random_state=0)
    W, is_identity = solver.learn(account, differences, far)
    assert not is_identity
    assert W[0, 0] > W[1, 1]
    assert W[0, 1] == W[1, 0] == 0
    assert solver.warning == ""
