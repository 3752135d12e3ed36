"""Two Gaussian classes that moved: the last layer of a small perceptron tuned from 80 scores."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.experiments.feedback_runs import (
    SUPERVISED,
    gathered,
    hidden_features,
    last_layer,
    scored,
    searched,
    supervised_last_layer,
)
from tacit.experiments.registry import Row
from tacit.situations.feedback.linear import LinearScorer
from tacit.situations.feedback.metrics import accuracy

SEEDS = 10
QUERIES, SIGMA, BATCH = 80, 0.2, 8
# Variances as in [feedback] section 5.3.1, which gives no means: the classes move by almost half their distance.
SOURCE_MEANS, SOURCE_VARIANCES = ((-2.0, 0.0), (2.0, 0.0)), (0.7, 0.7)
TARGET_MEANS, TARGET_VARIANCES = ((-0.1, 0.0), (2.1, 0.0)), (0.1, 1.5)


def rows() -> Iterator[Row]:
    """Yield accuracies on the half of the target rows that answers queries and on the other half."""
    runs = [_run(seed) for seed in range(SEEDS)]
    yield from gathered(f"{QUERIES} queries, two Gaussians", runs)


def _run(seed: int) -> dict[tuple[str, str], float]:
    generator = check_random_state(seed)
    network = _trained(*_classes(SOURCE_MEANS, SOURCE_VARIANCES, generator), seed)
    X, y = _classes(TARGET_MEANS, TARGET_VARIANCES, generator)
    features, order = hidden_features(network, X), generator.permutation(len(X))
    shown, hidden = order[: len(X) // 2], order[len(X) // 2 :]
    support = LinearScorer(features[shown], accuracy(y[shown]))
    holdout = LinearScorer(features[hidden], accuracy(y[hidden]))
    found = searched(last_layer(network), support, queries=QUERIES, sigma=SIGMA, batch=BATCH, seed=seed)
    found[SUPERVISED] = supervised_last_layer(features[shown], y[shown], C=1.0)
    return scored(found, support, holdout)


def _classes(means: Any, variances: Any, generator: Any) -> tuple[FloatArray, NDArray[np.int64]]:
    X = np.concatenate([generator.normal(mean, np.sqrt(variances), (1000, 2)) for mean in means])
    return X, np.repeat([0, 1], 1000)


def _trained(X: FloatArray, y: NDArray[np.int64], seed: int) -> MLPClassifier:
    with warnings.catch_warnings():
        # The classes overlap: a few rounds are enough, and the optimiser need not settle.
        warnings.simplefilter("ignore", ConvergenceWarning)
        network = MLPClassifier((16, 16), max_iter=20, learning_rate_init=0.01, alpha=1.0, random_state=seed)
        return network.fit(X, y)
