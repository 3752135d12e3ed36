"""MNIST to MNIST: 60000 private rows, 9000 of the receiver's with 10 labels a class, 1000 for evaluation."""

from collections.abc import Iterator
from typing import Any

from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.data.public.splits import few_labels
from tacit.experiments.results import ADOPTED, ResultRow, mean_rows
from tacit.experiments.transfer_runs import measure_releases, release_images

SEEDS = 5
# The receiver's rows of the 10000 test digits, and its labels of each class; the other rows are for evaluation.
RECEIVED, PER_CLASS = 9000, 10
# (unit, epsilon, delta, published accuracy of [membership] Table 1)
SETTINGS = (
    ("entry", 0.1, 1e-5, 0.951),
    ("entry", 1.0, 1e-5, None),
    ("record", 0.1, 1e-5, None),
    ("record", 0.5, 1e-5, None),
    ("record", 1.0, 1e-5, None),
    ("record", 1e-3, 1e-9, None),
)
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies at entry and record level; the last setting is noise in all but name."""
    images = load_mnist()
    runs = [_run(images, seed) for seed in range(SEEDS)]
    for unit, epsilon, _, published in SETTINGS:
        setting = f"{unit} epsilon {epsilon:g}"
        yield from mean_rows(setting, [run[setting] for run in runs], paper={ADOPTED: published})


def _run(images: ImageSet, seed: int) -> dict[str, dict[str, float]]:
    releases = {
        f"{unit} epsilon {epsilon:g}": release_images(images, unit=unit, epsilon=epsilon, delta=delta, seed=seed)
        for unit, epsilon, delta, _ in SETTINGS
    }
    order = check_random_state(seed).permutation(len(images.y_test))
    received, held_out = order[:RECEIVED], order[RECEIVED:]
    y = few_labels(images.y_test[received], per_class=PER_CLASS, random_state=seed)
    test = images.X_test[held_out], images.y_test[held_out]
    return measure_releases(releases, images.schema, (images.X_test[received], y), test, seed=seed)
