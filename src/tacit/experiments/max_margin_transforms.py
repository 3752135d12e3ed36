"""MMDT, a peer of [membership] Tables 4 to 15: a linear map of target rows and linear machines, learned in turn.

J. Hoffman and others, Efficient learning of domain-invariant image representations, 2013. It reads the owner's rows as
they are: nothing is private.
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from tacit.arrays import FloatArray, IntArray, Rows
from tacit.records import record

ROUNDS = 2
# Weights of the machines' and of the map's hinge losses, as in the authors' code.
SOURCE_COST, TARGET_COST, MAP_COST = 0.05, 1.0, 1.0


@record
class MarginTransform:
    """Linear machines, weights [K, p] and offsets [K], and a map W = I + weightsᵀ A X of target rows X [n, p]."""

    weights: FloatArray
    offsets: FloatArray
    A: FloatArray
    X: FloatArray

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the machines' scores of mapped rows [N, K]."""
        return np.asarray(rows @ self.weights.T + self.offsets + (rows @ self.X.T) @ self.A.T @ self._gram)

    def mapped(self, rows: FloatArray) -> FloatArray:
        """Return W x of each row."""
        return np.asarray(rows + (rows @ self.X.T) @ self.A.T @ self.weights)

    def predict(self, rows: Rows) -> IntArray:
        """Return class codes."""
        return np.asarray(self.scores(_unit(rows)).argmax(axis=1), dtype=np.int64)

    @property
    def _gram(self) -> FloatArray:
        return np.asarray(self.weights @ self.weights.T)


def learn_mmdt(source: tuple[Rows, IntArray], target: tuple[Rows, IntArray], *, seed: int) -> MarginTransform:
    """Return machines and map of labelled rows of both domains, class codes 0 to K - 1, all of them in the source."""
    (X_source, y_source), (X_target, y_target) = ((_unit(X), y) for X, y in (source, target))
    costs = np.repeat([SOURCE_COST, TARGET_COST], [len(y_source), len(y_target)])
    y = np.concatenate([y_source, y_target])

    def round_from(mapped: FloatArray) -> MarginTransform:
        machine = LinearSVC(random_state=seed).fit(np.concatenate([X_source, mapped]), y, sample_weight=costs)
        return _with_map(machine.coef_, machine.intercept_, X_target, y_target)

    model = round_from(X_target)
    for _ in range(ROUNDS - 1):
        model = round_from(model.mapped(X_target))
    return model


def _with_map(weights: FloatArray, offsets: FloatArray, X: FloatArray, y: IntArray) -> MarginTransform:
    """Return the map that minimises ½|W - I|² + cost times the squared hinge losses of the mapped rows.

    W - I is a sum of products of weights and rows, so only their coefficients A [K, n] are sought.
    """
    K, n = len(weights), len(X)
    gram, kernel = weights @ weights.T, X @ X.T
    first = X @ weights.T + offsets  # [n, K]
    signs = np.where(y[:, None] == np.arange(K), 1.0, -1.0)

    def objective(flat: FloatArray) -> tuple[float, FloatArray]:
        A = flat.reshape(K, n)
        curved = gram @ A @ kernel
        short = np.maximum(0.0, 1.0 - signs * (first + curved.T))
        value = 0.5 * float((A * curved).sum()) + MAP_COST * float((short**2).sum())
        slope = curved - 2 * MAP_COST * gram @ (signs * short).T @ kernel
        return value, slope.ravel()

    best = minimize(objective, np.zeros(K * n), jac=True, method="L-BFGS-B")
    return MarginTransform(weights, offsets, best.x.reshape(K, n), X)


def _unit(X: Rows) -> FloatArray:
    rows = np.asarray(X, dtype=np.float64)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))
