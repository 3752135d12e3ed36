import numpy as np
from scipy.special import expit

from tacit.models.autoencoder.printed import LARGEST_WEIGHT, LEARNING_RATE, PrintedLayer, coefficients, descend, steps
from tacit.privacy import accounting


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
