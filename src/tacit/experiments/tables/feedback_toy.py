"""Two Gaussian classes that moved: the last layer of a small perceptron tuned from 80 scores."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray
from tacit.experiments.feedback_runs import compare_last_layers, hidden_features, last_layer, train_perceptron
from tacit.experiments.results import Figures, ResultRow, metric_rows

SEEDS = 10
QUERIES, SIGMA, BATCH = 80, 0.2, 4
# Variances as in [feedback] section 5.3.1, which gives no means: the classes move by almost half their distance.
SOURCE_MEANS, SOURCE_VARIANCES = ((-2.0, 0.0), (2.0, 0.0)), (0.7, 0.7)
TARGET_MEANS, TARGET_VARIANCES = ((-0.1, 0.0), (2.1, 0.0)), (0.1, 1.5)
# The classes overlap: a few rounds are enough, and the optimiser need not converge.
NETWORK: dict[str, Any] = {
    "hidden_layer_sizes": (16, 16),
    "max_iter": 20,
    "learning_rate_init": 0.01,
    "alpha": 1.0,
}
QUICK: dict[str, Any] = {"SEEDS": 2}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the half of the target rows that answers queries and on the other half."""
    runs = [_run(seed) for seed in range(SEEDS)]
    yield from metric_rows(f"{QUERIES} queries, two Gaussians", runs)


def _run(seed: int) -> Figures:
    generator = check_random_state(seed)
    network = train_perceptron(*_classes(SOURCE_MEANS, SOURCE_VARIANCES, generator), random_state=seed, **NETWORK)
    X, y = _classes(TARGET_MEANS, TARGET_VARIANCES, generator)
    order = generator.permutation(len(X))
    return compare_last_layers(
        last_layer(network),
        (hidden_features(network, X), y),
        (order[: len(X) // 2], order[len(X) // 2 :]),
        regularization=1.0,
        queries=QUERIES,
        sigma=SIGMA,
        batch=BATCH,
        seed=seed,
    )


def _classes(means: Any, variances: Any, generator: Any) -> tuple[FloatArray, NDArray[np.int64]]:
    X = np.concatenate([generator.normal(mean, np.sqrt(variances), (1000, 2)) for mean in means])
    return X, np.repeat([0, 1], 1000)
