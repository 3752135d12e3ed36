"""Nearest class mean on MNIST from noisy sums and counts."""

from collections.abc import Iterator

import numpy as np

from tacit.data.datasets import load_mnist
from tacit.experiments.registry import Row
from tacit.models.class_moments.nearest_mean import PrivateNearestMean

EPSILONS = (0.1, 0.5, 1.0)
SEEDS = 5
# A public number: images of digits scaled to [0, 1] are seldom longer.
ROW_NORM = 10.0


def rows() -> Iterator[Row]:
    """Yield the test accuracy at each record-level epsilon, delta 1e-5."""
    images = load_mnist()
    for epsilon in EPSILONS:
        scores = [
            PrivateNearestMean(
                epsilon, bounds=(0, 1), delta=1e-5, row_norm=ROW_NORM, classes=range(10), random_state=seed
            )
            .fit(images.X_train, images.y_train)
            .score(images.X_test, images.y_test)
            for seed in range(SEEDS)
        ]
        yield Row(
            "nearest mean",
            f"record epsilon {epsilon:g}",
            "accuracy",
            float(np.mean(scores)),
            float(np.std(scores)),
            SEEDS,
        )
