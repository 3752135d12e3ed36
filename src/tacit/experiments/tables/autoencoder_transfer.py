"""An encoder released by an owner of many digits, adopted by a receiver with few rows of two others."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.data.public.datasets import load_mnist
from tacit.experiments.results import ResultRow, mean_row
from tacit.experiments.small_digits import DELTA, ROW_NORM, averaged_pixels
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.layers import Layer, public_directions
from tacit.models.bounded_rows import scaled_rows
from tacit.models.linear.logistic import PrivateLogisticRegression

# What the owner spends, once; each epsilon below is what the receiver spends on its own table.
OWNER_EPSILON = 1.0
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
N_OWNED, N_RECEIVED = 30_000, (100, 300, 1000)
UNITS = 24
# No setting was chosen on these two.
RECEIVED = (3, 8)
SEEDS = 10
REGULARIZATION = 0.01

DigitRows = tuple[FloatArray, IntArray]
Transform = Callable[[FloatArray], FloatArray]
FeatureBounds = tuple[float, float] | None
QUICK: dict[str, Any] = {"SEEDS": 1, "EPSILONS": (1.0,), "N_OWNED": 3000}


def rows() -> Iterator[ResultRow]:
    """Yield the receiver's test accuracy on two digits, which the owner has none of.

    Beside the pixels stands the layer before it learned anything: public directions, no centre.
    """
    images = load_mnist()
    train, test = averaged_pixels(images.X_train), averaged_pixels(images.X_test)
    of_receiver, of_test = (np.isin(y, RECEIVED) for y in (images.y_train, images.y_test))
    table, test_rows = (train[of_receiver], images.y_train[of_receiver]), (test[of_test], images.y_test[of_test])
    for n_rows in N_RECEIVED:
        for name, (transform, bounds) in _feature_maps(train[~of_receiver]).items():
            features, test_features = (transform(table[0]), table[1]), (transform(test_rows[0]), test_rows[1])
            for epsilon in (*EPSILONS, None):
                learners = [_learner(epsilon, bounds, seed) for seed in range(SEEDS)]
                accuracies = [
                    float(learner.fit(*_few_rows(features, n_rows, seed)).score(*test_features))
                    for seed, learner in enumerate(learners)
                ]
                promise = "not private" if epsilon is None else f"epsilon {epsilon:g}"
                yield mean_row(name, f"{n_rows} rows, {promise}", accuracies)


def _feature_maps(owned: FloatArray) -> dict[str, tuple[Transform, FeatureBounds]]:
    """Return what the receiver may learn from: a function of its pixels, and public bounds of the result."""
    chosen = check_random_state(0).permutation(len(owned))[:N_OWNED]
    unlearned = Layer(public_directions(owned.shape[1], UNITS, seed=0), np.zeros(owned.shape[1]), nonnegative=True)
    feature_maps: dict[str, tuple[Transform, FeatureBounds]] = {
        "pixels": (lambda X: X, (0.0, 0.5)),
        "a layer that learned nothing": (lambda X: unlearned.encode(scaled_rows(X, (0, 1), ROW_NORM)), None),
    }
    for delta in (DELTA, 0.0):
        owner = PrivateAutoencoder(
            OWNER_EPSILON, bounds=(0, 1), delta=delta, hidden=(UNITS,), row_norm=ROW_NORM, random_state=0
        )
        adopted = PrivateAutoencoder.from_release(owner.fit(owned[chosen]).release())
        promise = f"epsilon {OWNER_EPSILON:g}, delta {delta:g}"
        feature_maps[f"the owner's encoder, {promise}"] = (adopted.transform, None)
    return feature_maps


def _few_rows(table: DigitRows, n_rows: int, seed: int) -> DigitRows:
    chosen = check_random_state(seed).permutation(len(table[0]))[:n_rows]
    return table[0][chosen], table[1][chosen]


def _learner(epsilon: float | None, bounds: FeatureBounds, seed: int) -> Any:
    if epsilon is None:
        return LogisticRegression(C=10.0, max_iter=1000)
    return PrivateLogisticRegression(
        epsilon, bounds=bounds, regularization=REGULARIZATION, classes=RECEIVED, random_state=seed
    )
