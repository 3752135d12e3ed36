import numpy as np
import pytest
from scipy.special import expit

from tacit.errors import BudgetError
from tacit.models.autoencoder.printed import (
    LARGEST_WEIGHT,
    LEARNING_RATE,
    PerturbedOutput,
    PrintedLayer,
    _moved,
    coefficients,
    descend,
    fine_tuned,
    learn,
    steps,
)
from tacit.privacy import accounting
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget, Unit


def test_each_release_has_the_printed_sensitivity_and_the_whole_epsilon() -> None:
    planned = steps(30, (200,), 1.0)
    assert [step.mechanism.sensitivity for step in planned] == [306_000, 10_200]
    for step in planned:
        assert 0.999 < accounting.epsilon(step.event, delta=0) <= 1.0


def test_coefficients_equal_a_loop() -> None:
    rng = np.random.default_rng(0)
    X, H = rng.random((7, 3)), rng.random((7, 2))
    L, Q = coefficients(X, H)
    for j in range(3):
        for e in range(2):
            assert np.isclose(L[j, e], sum((0.5 - X[i, j]) * H[i, e] for i in range(7)))
    assert np.isclose(Q[0, 1], sum(H[i, 0] * H[i, 1] for i in range(7)) / 8)


def test_one_step_goes_down_the_slope() -> None:
    W, linear, quadratic = np.ones((1, 2)), np.array([[1.0, 2.0]]), np.array([[[1.0, 0.5], [0.0, 3.0]]])
    slope = np.array([[1 + 2 + 0.5, 2 + 0.5 + 6]])
    assert np.allclose(descend(W, linear, quadratic, 10), W - LEARNING_RATE * slope / 10)
    assert descend(W, 1e9 * linear, quadratic, 1).min() == -LARGEST_WEIGHT


def test_the_normalisation_reads_the_data_and_fills_the_unit_cube() -> None:
    X, W = np.random.default_rng(1).random((50, 3)), np.random.default_rng(2).normal(size=(3, 4))
    H = expit(X @ W)
    code = PrintedLayer(W, H.min(axis=0), H.max(axis=0)).encode(X) * 2
    assert np.allclose(code.min(axis=0), 0.0)
    assert np.allclose(code.max(axis=0), 1.0)


def test_codes_of_other_rows_stay_in_the_unit_cube() -> None:
    W = np.random.default_rng(2).normal(size=(3, 4))
    layer = PrintedLayer(W, np.full(4, 0.4), np.full(4, 0.6))
    code = layer.encode(10 * np.random.default_rng(3).normal(size=(50, 3)))
    assert code.min() >= 0
    assert code.max() <= 1 / np.sqrt(4)
    constant = PrintedLayer(W, np.full(4, 0.5), np.full(4, 0.5))
    assert np.isfinite(constant.encode(np.zeros((2, 3)))).all()
    assert set(layer.arrays()) == {"weights", "low", "high"}


def test_it_learns_a_layer_and_an_output_with_one_draw_each() -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.random((40, 3)) / 2, np.arange(30) % 2
    labelled = np.arange(40) < 30
    planned = steps(3, (2, 2), 1.0)
    account = Account.open(planned, budget=Budget(3.0, unit=Unit.RECORD), random_state=0)
    layers, output = learn(account, planned, X, labelled, codes, hidden=(2, 2))
    assert [layer.weights.shape for layer in layers] == [(3, 2), (2, 2)]
    assert output.shape == (1, 3)
    assert output[0, -1] == 0  # the constant unit has no weight in the paper
    assert np.abs(output).max() <= LARGEST_WEIGHT
    # [dpa] eq. 13 reads the data: after fine-tuning the labelled rows.
    hidden = expit(X[labelled] @ layers[0].weights)
    assert layers[0].low == pytest.approx(hidden.min(axis=0), abs=1e-12)
    with pytest.raises(BudgetError, match="as often as planned"):
        account.release(planned[0].mechanism, np.zeros(3 * 2 * 3))


def network() -> tuple[tuple[PrintedLayer, ...], np.ndarray, np.ndarray, PerturbedOutput]:
    rng = np.random.default_rng(0)
    X, codes = rng.random((12, 3)) / 2, np.arange(12) % 2
    layers, below = [], X
    for shape in ((3, 4), (4, 2)):
        # Ranges wider than the data's own: no code lies on a bend.
        layers.append(PrintedLayer(rng.normal(size=shape), np.full(shape[1], 0.1), np.full(shape[1], 0.95)))
        below = layers[-1].encode(below)
    objective = PerturbedOutput(codes, rng.normal(size=(1, 2)), rng.normal(size=(2, 2)))
    return tuple(layers), rng.normal(size=(1, 2)), X, objective


def truncated_loss(
    layers: tuple[PrintedLayer, ...], theta: np.ndarray, X: np.ndarray, objective: PerturbedOutput
) -> float:
    """Return the perturbed truncated cross-entropy, row by row."""
    total = float((objective.linear_noise @ theta.T)[0, 0] + (theta @ objective.quadratic_noise @ theta.T)[0, 0])
    for row, code in zip(X, objective.codes, strict=True):
        for layer in layers:
            row = layer.encode(row[None])[0]  # noqa: PLW2901 - through the layers
        z = float(theta[0] @ row)
        total += (0.5 - code) * z + z**2 / 8
    return total


def test_fine_tuning_goes_down_the_slope_of_the_perturbed_loss_in_every_layer() -> None:
    """[dpa] Alg. 1, line 6, one step against finite differences; ranges are read anew after it."""
    layers, theta, X, objective = network()
    inputs = [X]
    for layer in layers:
        inputs.append(layer.encode(inputs[-1]))
    moved = _moved(layers, inputs, objective.slopes(inputs[-1], theta))
    step = 1e-6
    for depth, layer in enumerate(layers):
        change = (layer.weights - moved[depth].weights) * len(X) / LEARNING_RATE
        for place in np.ndindex(layer.weights.shape):
            ends = []
            for sign in (1, -1):
                weights = layer.weights.copy()
                weights[place] += sign * step
                other = [*layers]
                other[depth] = PrintedLayer(weights, layer.low, layer.high)
                ends.append(truncated_loss(tuple(other), theta, X, objective))
            assert change[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)
    first = expit(X @ moved[0].weights)
    assert moved[0].high == pytest.approx(first.max(axis=0))


def test_fine_tuning_changes_every_layer_and_the_noise_reaches_the_output_alone() -> None:
    layers, theta, X, objective = network()
    tuned, output = fine_tuned(layers, theta, X, objective)
    assert all(not np.allclose(new.weights, old.weights) for new, old in zip(tuned, layers, strict=True))
    assert not np.allclose(output, theta)
    silent = PerturbedOutput(objective.codes, np.zeros((1, 2)), np.zeros((2, 2)))
    assert objective.slopes(X[:, :2], theta) == pytest.approx(silent.slopes(X[:, :2], theta))
    # Without noise, from layers whose ranges are the data's own, the loss falls.
    inputs = [X]
    for layer in layers:
        inputs.append(layer.encode(inputs[-1]))
    start = _moved(layers, inputs, np.zeros((12, 2)))
    after = fine_tuned(start, theta, X, silent)
    assert truncated_loss(*after, X, silent) < truncated_loss(start, theta, X, silent)
