"""Nearest class mean on MNIST from noisy sums and counts."""

from collections.abc import Iterator
from typing import Any

from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.results import ResultRow, mean_row
from tacit.models.class_moments.nearest_mean import PrivateNearestMean

EPSILONS = (0.1, 0.5, 1.0)
SEEDS = 5
DELTA = 1e-5
# A public number: images of digits scaled to [0, 1] are seldom longer.
ROW_NORM = 10.0
QUICK: dict[str, Any] = {"SEEDS": 1}


def rows() -> Iterator[ResultRow]:
    """Yield the test accuracy at each record-level epsilon, delta 1e-5."""
    images = load_mnist()
    for epsilon in EPSILONS:
        accuracies = [_accuracy(images, epsilon, seed) for seed in range(SEEDS)]
        yield mean_row("nearest mean", f"record epsilon {epsilon:g}", accuracies)


def _accuracy(images: ImageSet, epsilon: float, seed: int) -> float:
    model = PrivateNearestMean(
        epsilon, bounds=(0, 1), delta=DELTA, row_norm=ROW_NORM, classes=range(10), random_state=seed
    )
    return float(model.fit(images.X_train, images.y_train).score(images.X_test, images.y_test))
