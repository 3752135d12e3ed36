"""Estimators whose queries are sums over rows: the order of the rows changes no digit of what is released."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tacit import (
    PairMetric,
    PrivateAdditiveClassifier,
    PrivateAdditiveRegressor,
    PrivateAutoencoder,
    PrivateAutoencoderClassifier,
    PrivateLinearRegression,
    PrivateNearestMean,
)
from tacit.arrays import FloatArray

SETTINGS: dict[str, Any] = {"bounds": (0, 1), "random_state": 3}
N = 1500  # more than one block of rows, the last of them ragged
FITS: dict[str, Callable[[FloatArray, Any], Any]] = {
    "nearest mean": lambda X, y: PrivateNearestMean(1.0, **SETTINGS).fit(X, y).means_,
    "additive classifier": lambda X, y: PrivateAdditiveClassifier(1.0, **SETTINGS).fit(X, y).release().arrays["values"],
    "additive regression": lambda X, _: (
        PrivateAdditiveRegressor(1.0, target_bounds=(0, 4), **SETTINGS).fit(X, 4 * X[:, 0]).release().arrays["values"]
    ),
    "linear regression": lambda X, _: (
        PrivateLinearRegression(1.0, target_bounds=(0, 4), **SETTINGS).fit(X, 4 * X[:, 0]).weights_
    ),
    "linear regression, pure epsilon": lambda X, _: (
        PrivateLinearRegression(1.0, delta=0.0, target_bounds=(0, 4), **SETTINGS).fit(X, 4 * X[:, 0]).weights_
    ),
    "autoencoder": lambda X, _: PrivateAutoencoder(1.0, hidden=(5, 3), **SETTINGS).fit(X).transform(np.eye(6)),
    "autoencoder classifier": lambda X, y: (
        PrivateAutoencoderClassifier(1.0, hidden=(5,), output="functional", **SETTINGS).fit(X, y).output_
    ),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=list(FITS))
def test_the_order_of_rows_changes_no_digit(fit: Callable[[FloatArray, Any], FloatArray]) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((N, 6))
    y = (X[:, 0] + 0.3 * rng.random(N) > 0.7).astype(int)
    expected = fit(X, y)
    for _ in range(3):
        order = rng.permutation(N)
        assert fit(X[order], y[order]).tobytes() == expected.tobytes()


def test_the_order_of_pairs_changes_no_digit() -> None:
    rng = np.random.default_rng(1)
    pairs, signs = rng.random((900, 2, 4)), rng.choice([-1, 1], 900)

    def learned(order: Any) -> FloatArray:
        return PairMetric(5.0, kappa=1, bounds=(0, 1), random_state=0).fit(pairs[order], signs[order]).components_

    expected = learned(slice(None))
    assert learned(rng.permutation(900)).tobytes() == expected.tobytes()
