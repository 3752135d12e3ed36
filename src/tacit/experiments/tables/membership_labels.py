"""USPS to MNIST: digits of 16 x 16 pixels released at entry level, adopted for 28 x 28 with 100 to 500 labels."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import measure, release_images, training_receiver

SEEDS = 5
EPSILON, DELTA = 0.1, 1e-5
# The receiver's rows, drawn from the 60000; all 10000 test digits are used.
RECEIVED = 9000
# Labels of each class.
PER_CLASS = (10, 20, 30, 40, 50)
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500, "PER_CLASS": (10,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 10000 test digits, by the number of labels."""
    source, target = load_usps(), load_mnist()
    for per_class in PER_CLASS:
        runs = [
            kept_figures([__name__, EPSILON, RECEIVED, per_class, seed], partial(_run, source, target, per_class, seed))
            for seed in range(SEEDS)
        ]
        yield from mean_rows(f"entry epsilon {EPSILON:g}, {10 * per_class} labels, {RECEIVED} rows", runs)


def _run(source: ImageSet, target: ImageSet, per_class: int, seed: int) -> dict[str, float]:
    release = release_images(source, unit="entry", epsilon=EPSILON, delta=DELTA, seed=seed)
    received = training_receiver(target, RECEIVED, per_class, seed)
    return measure(release, target.schema, received, (target.X_test, target.y_test), seed=seed)
