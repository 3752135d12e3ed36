import numpy as np
import pytest

from tacit.models.marginals.measuring import Measurement
from tacit.models.marginals.mixture import (
    MixtureTargets,
    _chosen_cells,
    column_softmax,
    fitted_mixture,
    gradients,
    moved_to_margins,
    targets_of,
)
from tacit.models.marginals.zeros import structural_zeros


def small_targets(seed: int = 0) -> MixtureTargets:
    """Return exact tables of two columns (3 and 2 cells) and two classes."""
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    pairs = np.zeros((2, 5, 5), dtype=np.float32)
    pairs[:, :3, 3:], pairs[:, 3:, :3] = joint, joint.transpose(0, 2, 1)
    weights = (pairs.sum(axis=0) > 0).astype(np.float32)
    margins = np.hstack([joint.sum(axis=2), joint.sum(axis=1)]).astype(np.float32)
    return MixtureTargets(np.array([0, 3, 5]), pairs, weights, margins, np.ones(5, dtype=np.float32), 1e-4)


def loss(targets: MixtureTargets, shares: np.ndarray, weights: np.ndarray) -> float:
    """Return the squared error by its definition."""
    total = 0.0
    for code in range(len(targets.pairs)):
        joint = sum(weights[k, code] * np.outer(shares[k], shares[k]) for k in range(len(weights)))
        total += float((targets.weights * (joint - targets.pairs[code]) ** 2).sum()) / 2
        margin = weights[:, code] @ shares - targets.margins[code]
        total += float((targets.margin_weights * margin**2).sum())
    return total


def test_gradients_equal_differences_of_the_loss() -> None:
    targets, rng = small_targets(), np.random.default_rng(1)
    shares = column_softmax(rng.normal(size=(4, 5)), targets.offsets)
    weights = rng.dirichlet(np.ones(8)).reshape(4, 2)
    by_shares, by_weights = gradients(targets, shares, weights)
    for values, found in ((shares, by_shares), (weights, by_weights)):
        for place in np.ndindex(*values.shape):
            h = 1e-6
            values[place] += h
            above = loss(targets, shares, weights)
            values[place] -= 2 * h
            below = loss(targets, shares, weights)
            values[place] += h
            assert found[place] == pytest.approx((above - below) / (2 * h), abs=1e-6)


def test_a_mixture_reaches_exact_tables() -> None:
    targets = small_targets()
    mixture = fitted_mixture(targets, np.random.RandomState(0))
    joint = np.einsum("kc,ka,kb->cab", mixture.weights, mixture.shares, mixture.shares)
    # Half of the total variation, over the cells of the pair.
    assert np.abs(joint - targets.pairs)[:, :3, 3:].sum() / 2 < 0.02


def test_weights_and_shares_add_up_to_one(measurement: Measurement) -> None:
    coarse = measurement.coarse()
    targets = targets_of(measurement, coarse, structural_zeros(measurement, coarse))
    mixture = fitted_mixture(targets, np.random.RandomState(0))
    assert mixture.weights.sum() == pytest.approx(1)
    assert np.allclose(np.add.reduceat(mixture.shares, targets.offsets[:-1], axis=1), 1, atol=1e-5)
    again = fitted_mixture(targets, np.random.RandomState(0))
    assert np.array_equal(mixture.shares, again.shares)


def test_targets_have_zeros_where_cells_are_forbidden(measurement: Measurement) -> None:
    coarse = measurement.coarse()
    zeros = structural_zeros(measurement, coarse)
    targets = targets_of(measurement, coarse, zeros)
    i, j = zeros[0].columns
    block = targets.pairs[:, targets.offsets[i] : targets.offsets[i + 1], targets.offsets[j] : targets.offsets[j + 1]]
    assert (block[:, zeros[0].forbidden] == 0).all()
    assert np.allclose(targets.pairs, targets.pairs.transpose(0, 2, 1))


def test_tables_are_moved_to_their_margins() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(5, 50, (2, 3, 4)).astype(float)
    noisy = truth + rng.normal(0, 3, truth.shape)
    moved = moved_to_margins(noisy, truth.sum(axis=2), truth.sum(axis=1))
    assert np.allclose(moved.sum(axis=2), truth.sum(axis=2))
    assert np.allclose(moved.sum(axis=1), truth.sum(axis=1))
    assert ((moved - truth) ** 2).sum() < ((noisy - truth) ** 2).sum()


def test_cells_are_chosen_as_often_as_their_weight_says() -> None:
    weights = np.array([1.0, 2.0, 5.0])
    times = np.bincount(_chosen_cells(weights, 80, np.random.RandomState(0)), minlength=3)
    assert np.abs(times - [10, 20, 50]).max() <= 1
    assert times.sum() == 80
