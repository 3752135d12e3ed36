import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.models.membership.layers import DeepAutoencoder, layer_outputs, learn_deep
from tacit.models.membership.solution import choose_basis, learn_on_basis
from tacit.numerics.kernels import Floats


def rows(dtype: Any = np.float64) -> Floats:
    X, y = load_digits(return_X_y=True)
    return np.asarray(X[y == 3] / 16, dtype=dtype)


def learn(Y: Floats, **settings: Any) -> DeepAutoencoder:
    shape = {"n_components": 6, "max_landmarks": len(Y) // 2 or 1, "n_layers": 3, **settings}
    return learn_deep(Y, order=np.arange(len(Y)), **shape)


def slow_outputs(model: DeepAutoencoder, y: Floats) -> list[Floats]:
    """[membership] eq. 63 for one row: project, compare with every landmark, mix the coefficients."""
    outputs, current = [], y
    for layer in model.layers:
        x = [float(direction @ current) for direction in model.directions[: len(layer.scales)]]
        current = np.zeros_like(y)
        for a, coefficient in zip(layer.landmarks, layer.coefficients, strict=True):
            distance = sum((s * (u - v)) ** 2 for s, u, v in zip(layer.scales, x, a, strict=True))
            current = current + math.exp(-0.5 * distance) * coefficient
        outputs.append(current)
    return outputs


def test_layers_answer_as_the_formula_says() -> None:
    Y = rows()
    model = learn(Y)
    fast = list(layer_outputs(model, Y[:5]))
    for place in range(5):
        for depth, slow in enumerate(slow_outputs(model, Y[place])):
            assert np.allclose(fast[depth][place], slow, atol=1e-10)


def test_layers_are_learned_one_after_the_other_as_the_paper_says() -> None:
    """[membership] Alg. 2, line by line, on the directions that were found."""
    Y = rows()
    model = learn(Y)
    values, vectors = np.linalg.eigh(np.cov(Y.T))
    assert np.allclose(np.abs(np.diag(model.directions @ vectors[:, ::-1])[:6]), 1)
    assert values[-1] > values[-7]
    seen, most = Y, len(Y) // 2
    for depth, layer in enumerate(model.layers):
        P = model.directions[: 6 - depth]
        basis, tau = choose_basis(seen @ P.T, max_landmarks=most, order=np.arange(len(Y)))
        expected = learn_on_basis(basis, tau, seen @ P.T, Y)
        assert np.allclose(layer.coefficients, expected.coefficients, atol=1e-8)
        seen, most = np.array([slow_outputs(model, y)[depth] for y in Y]), len(expected.landmarks)


def test_deeper_layers_have_one_direction_fewer_and_at_least_one() -> None:
    model = learn(rows(), n_components=3, n_layers=5)
    assert [len(layer.scales) for layer in model.layers] == [3, 2, 1, 1, 1]
    counts = [len(layer.landmarks) for layer in model.layers]
    assert counts == sorted(counts, reverse=True)


def test_deeper_layers_are_more_abstract() -> None:
    Y = rows()
    errors = [float(((Y - output) ** 2).mean()) for output in layer_outputs(learn(Y, n_components=10, n_layers=8), Y)]
    assert errors[0] < errors[-1]


def test_fewer_directions_keep_less_of_a_digit() -> None:
    Y = rows()
    errors = []
    for n_components in (20, 10, 5, 1):
        first = next(layer_outputs(learn(Y, n_components=n_components, n_layers=1), Y))
        errors.append(float(((Y - first) ** 2).mean()))
    assert errors == sorted(errors)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_few_rows_are_reconstructed_in_as_many_dimensions_as_they_span(n_rows: int) -> None:
    Y = rows()[:n_rows]
    model = learn(Y, n_components=50, n_layers=2)
    assert len(model.directions) == max(1, n_rows - 1)
    for output in layer_outputs(model, Y):
        assert np.isfinite(output).all()
    if n_rows == 1:
        assert np.allclose(next(layer_outputs(model, Y)), Y, atol=1e-6)


def test_equal_rows_are_reconstructed_exactly() -> None:
    Y = np.repeat(rows()[:1], 30, axis=0)
    model = learn(Y)
    assert [len(layer.landmarks) for layer in model.layers] == [1, 1, 1]
    assert np.allclose(list(layer_outputs(model, Y)), Y, atol=1e-6)


def test_float32_stays_float32_and_near_float64() -> None:
    exact = list(layer_outputs(learn(rows()), rows()))
    single = list(layer_outputs(learn(rows(np.float32)), rows(np.float32)))
    assert single[0].dtype == np.float32
    assert np.abs(single[0] - exact[0]).mean() < 1e-3
