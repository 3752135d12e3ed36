"""MMDT: its map is the minimum that it says, and turned rows of a target are turned back."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from sklearn.svm import LinearSVC

from tacit.experiments.max_margin_transforms import MAP_COST, _with_map, learn_mmdt


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 3
    return np.eye(6)[y] + rng.normal(0, 0.25, (count, 6)), y


def test_the_map_is_the_minimum_over_all_matrices() -> None:
    rng = np.random.default_rng(0)
    weights, offsets = rng.normal(size=(2, 3)), rng.normal(size=2)
    X, y = rng.normal(size=(5, 3)), np.array([0, 1, 0, 1, 1])
    signs = np.where(y[:, None] == np.arange(2), 1.0, -1.0)

    def objective(flat: np.ndarray) -> float:
        W = flat.reshape(3, 3)
        short = np.maximum(0, 1 - signs * (X @ W.T @ weights.T + offsets))
        return float(0.5 * ((W - np.eye(3)) ** 2).sum() + MAP_COST * (short**2).sum())

    def slope(flat: np.ndarray) -> np.ndarray:
        W = flat.reshape(3, 3)
        short = np.maximum(0, 1 - signs * (X @ W.T @ weights.T + offsets))
        return np.asarray((W - np.eye(3) - 2 * MAP_COST * weights.T @ (signs * short).T @ X).ravel())

    assert check_grad(objective, slope, rng.normal(size=9)) < 1e-4
    best = minimize(objective, np.eye(3).ravel(), jac=slope, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-10})
    model = _with_map(weights, offsets, X, y)
    W = np.eye(3) + weights.T @ model.A @ X
    assert objective(W.ravel()) == pytest.approx(best.fun, rel=1e-4)
    np.testing.assert_allclose(model.mapped(X), X @ W.T, atol=1e-12)
    np.testing.assert_allclose(model.scores(X), X @ W.T @ weights.T + offsets, atol=1e-12)


def test_a_turned_target_is_turned_back_by_few_labels() -> None:
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(6, 6)))[0]
    (X_source, y_source), (X, y), (X_test, truth) = rows(90, 0), rows(15, 1), rows(300, 2)
    model = learn_mmdt((X_source, y_source), (X @ turn, y), seed=0)
    source_alone = LinearSVC(random_state=0).fit(X_source, y_source)
    accuracy = (model.predict(X_test @ turn) == truth).mean()
    assert accuracy > (source_alone.predict(X_test @ turn) == truth).mean() + 0.2
    assert accuracy > 0.75


def test_it_repeats_itself_and_length_does_not_matter() -> None:
    source, (X, y) = rows(60, 0), rows(9, 1)
    first, again = (learn_mmdt(source, (X * factor, y), seed=0).predict(X) for factor in (1.0, 7.0))
    np.testing.assert_array_equal(first, again)
