import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tacit import Budget
from tacit.arrays import FloatArray
from tacit.models.autoencoder.functional_mechanism import Norm
from tacit.models.autoencoder.layers import normalised_rows, with_constant
from tacit.models.autoencoder.output_layer import (
    EXPECTED_LENGTH,
    class_targets,
    functional_output,
    output_query,
    perturbed_output,
    perturbed_step,
)
from tacit.privacy import accounting
from tacit.privacy.account import Account, Step
from tacit.privacy.mechanisms import AgainstRest, Gaussian, ObjectivePerturbation


def test_targets_are_centred_and_as_long_as_declared() -> None:
    assert class_targets(np.array([0, 1]), 2).tolist() == [[-0.5], [0.5]]
    three = class_targets(np.arange(3), 3)
    assert np.allclose(three.sum(axis=1), 0.0)
    norms: tuple[Norm, ...] = (1, 2)
    for norm in norms:
        assert np.allclose(np.linalg.norm(three, ord=norm, axis=1), output_query(3, 4, norm=norm).target_norm)
        assert np.allclose(np.abs(class_targets(np.array([1]), 2)), output_query(2, 4, norm=norm).target_norm)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_output_layer_costs_epsilon_for_all_its_classes(n_classes: int, epsilon: float) -> None:
    step = perturbed_step(n_classes, 6, epsilon)
    assert accounting.epsilon(step.event, delta=0.0) == pytest.approx(epsilon)
    mechanism = step.mechanism
    assert (mechanism.problems if isinstance(mechanism, AgainstRest) else 2) == n_classes


@pytest.mark.parametrize("epsilon", [0.2, 4.0])
def test_the_regularisation_leaves_the_least_error_at_the_worst_curvature_of_the_loss(epsilon: float) -> None:
    d = 41
    mechanism = perturbed_step(2, d - 1, epsilon).mechanism
    assert isinstance(mechanism, ObjectivePerturbation)
    # Per coordinate: noise of the linear term, a Gamma(d, 1/epsilon) length in d dimensions, and the weight.
    noise, weight = (d + 1) / epsilon**2, EXPECTED_LENGTH / math.sqrt(d)
    h = np.geomspace(1e-4, 1e6, 20_001)

    def worst(log_c: float) -> float:
        c = math.exp(log_c)
        return float((h / 2 * (c**2 * weight**2 + noise) / (h + c) ** 2).max())

    best = minimize_scalar(worst, bounds=(-5, 8), method="bounded", options={"xatol": 1e-9})
    assert mechanism.curvature == pytest.approx(math.exp(best.x), rel=1e-2)


def corners(n_classes: int, count: int) -> tuple[FloatArray, np.ndarray]:
    """Return code in which each class leans to a direction of its own."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, count)
    return with_constant(normalised_rows(np.eye(n_classes)[codes] + 0.3 * rng.normal(size=(count, n_classes)))), codes


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("perturbed", [True, False])
def test_with_little_noise_both_output_layers_tell_classes_apart(n_classes: int, perturbed: bool) -> None:
    H, codes = corners(n_classes, 400)
    step = perturbed_step(n_classes, n_classes, 50.0)
    query = output_query(n_classes, n_classes, norm=2)
    gaussian = Gaussian(0.3, query.sensitivity, query.coordinates)
    planned = step if perturbed else Step(gaussian, "moments", "")
    account = Account.open([planned], budget=Budget(60.0, 0.1, unit="record"), random_state=0)
    if perturbed:
        weights = perturbed_output(account, step, H, codes, n_classes)
    else:
        weights = functional_output(account, (query, gaussian), H, codes, n_classes)
    scores = H @ weights.T
    assert weights.shape == (1 if n_classes == 2 else n_classes, n_classes + 1)
    assert ((scores[:, 0] > 0 if n_classes == 2 else scores.argmax(axis=1)) == codes).mean() > 0.95


def test_without_a_labelled_row_the_weights_are_noise() -> None:
    step = perturbed_step(2, 3, 1.0)
    account = Account.open([step], budget=Budget(1.0, unit="record"), random_state=0)
    weights = perturbed_output(account, step, np.zeros((0, 4)), np.zeros(0, dtype=np.intp), 2)
    assert weights.shape == (1, 4)
    assert np.isfinite(weights).all()
