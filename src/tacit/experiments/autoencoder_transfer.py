"""An encoder released by an owner of many digits, adopted by a receiver with few rows of two others."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.data.datasets import load_mnist
from tacit.experiments.autoencoder_mnist import DELTA, ROW_NORM, small
from tacit.experiments.registry import Row
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.layers import Layer, public_directions
from tacit.models.bounded_rows import scaled_rows
from tacit.models.linear.logistic import PrivateLogisticRegression

# What the owner spends, once; each epsilon below is what the receiver spends on its own table.
OWNER_EPSILON = 1.0
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
N_OWNED, N_RECEIVED = 30_000, (100, 300, 1000)
UNITS = 24
RECEIVED = (3, 5)
SEEDS = 10
REGULARIZATION = 0.01

Table = tuple[FloatArray, NDArray[np.int64]]
View = Callable[[FloatArray], FloatArray]
Bounds = tuple[float, float] | None


def rows() -> Iterator[Row]:
    """Yield the receiver's test accuracy on digits 3 and 5, which the owner has none of.

    Beside the pixels stands the layer before it learned anything: public directions, no centre.
    """
    images = load_mnist()
    train, test = small(images.X_train), small(images.X_test)
    mine, tested = (np.isin(y, RECEIVED) for y in (images.y_train, images.y_test))
    table, judged = (train[mine], images.y_train[mine]), (test[tested], images.y_test[tested])
    for n_rows in N_RECEIVED:
        for name, (view, bounds) in _views(train[~mine]).items():
            seen, shown = (view(table[0]), table[1]), (view(judged[0]), judged[1])
            for epsilon in (*EPSILONS, None):
                learners = [_learner(epsilon, bounds, seed) for seed in range(SEEDS)]
                scores = [each.fit(*_few(seen, n_rows, seed)).score(*shown) for seed, each in enumerate(learners)]
                promise = "not private" if epsilon is None else f"epsilon {epsilon:g}"
                setting = f"{n_rows} rows, {promise}"
                yield Row(name, setting, "accuracy", float(np.mean(scores)), float(np.std(scores)), SEEDS)


def _views(owned: FloatArray) -> dict[str, tuple[View, Bounds]]:
    """Return what the receiver may learn from: a function of its pixels, and public bounds of the result."""
    chosen = check_random_state(0).permutation(len(owned))[:N_OWNED]
    unlearned = Layer(public_directions(owned.shape[1], UNITS, seed=0), np.zeros(owned.shape[1]), nonnegative=True)
    views: dict[str, tuple[View, Bounds]] = {
        "pixels": (lambda X: X, (0.0, 0.5)),
        "a layer that learned nothing": (lambda X: unlearned.encode(scaled_rows(X, (0, 1), ROW_NORM)), None),
    }
    for delta in (DELTA, 0.0):
        owner = PrivateAutoencoder(
            OWNER_EPSILON, bounds=(0, 1), delta=delta, hidden=(UNITS,), row_norm=ROW_NORM, random_state=0
        )
        adopted = PrivateAutoencoder.from_release(owner.fit(owned[chosen]).release())
        promise = f"epsilon {OWNER_EPSILON:g}, delta {delta:g}"
        views[f"the owner's encoder, {promise}"] = (adopted.transform, None)
    return views


def _few(table: Table, n_rows: int, seed: int) -> Table:
    chosen = check_random_state(seed).permutation(len(table[0]))[:n_rows]
    return table[0][chosen], table[1][chosen]


def _learner(epsilon: float | None, bounds: Bounds, seed: int) -> Any:
    if epsilon is None:
        return LogisticRegression(C=10.0, max_iter=1000)
    return PrivateLogisticRegression(
        epsilon, bounds=bounds, regularization=REGULARIZATION, classes=RECEIVED, random_state=seed
    )
