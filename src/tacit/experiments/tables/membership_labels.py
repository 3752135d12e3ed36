"""USPS to MNIST: digits of 16 x 16 pixels released at entry level, adopted for 28 x 28 with 100 to 500 labels."""

from collections.abc import Iterator
from typing import Any

from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.data.public.splits import few_labels
from tacit.experiments.printed_transfer import PRINTED, measure_printed, owner_rows
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import LabelledMatrix, measure, release_images

SEEDS = 5
EPSILON, DELTA = 0.1, 1e-5
# The receiver's rows, drawn from the 60000; all 10000 test digits are used.
RECEIVED = 9000
# Labels a class, and the accuracy that [membership] Table 3 prints for ten times as many.
PUBLISHED = {10: 0.9229, 20: 0.9586, 30: 0.9731, 40: 0.9763, 50: 0.9799}
# Draws and rows of the printed way: all 60000, as in the paper.
PRINTED_SEEDS, PRINTED_RECEIVED = 1, 60_000
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500, "PRINTED_RECEIVED": 1500, "PUBLISHED": {10: 0.9229}}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 10000 test digits, by the number of labels."""
    source, target = load_usps(), load_mnist()
    for per_class, published in PUBLISHED.items():
        runs = [_run(source, target, per_class, seed) for seed in range(SEEDS)]
        setting = f"entry epsilon {EPSILON:g}, {10 * per_class} labels"
        yield from mean_rows(f"{setting}, {RECEIVED} rows", runs)
        as_printed = [_printed(source, target, per_class, seed) for seed in range(PRINTED_SEEDS)]
        yield from mean_rows(f"{setting}, {PRINTED_RECEIVED} rows", as_printed, paper={PRINTED: published})


def _run(source: ImageSet, target: ImageSet, per_class: int, seed: int) -> dict[str, float]:
    release = release_images(source, unit="entry", epsilon=EPSILON, delta=DELTA, seed=seed)
    received = _received(target, RECEIVED, per_class, seed)
    return measure(release, target.schema, received, (target.X_test, target.y_test), seed=seed)


def _printed(source: ImageSet, target: ImageSet, per_class: int, seed: int) -> dict[str, float]:
    noisy = owner_rows(source, epsilon=EPSILON, delta=DELTA, seed=seed)
    received = _received(target, PRINTED_RECEIVED, per_class, seed)
    return measure_printed(noisy, target.schema, received, (target.X_test, target.y_test), seed=seed)


def _received(target: ImageSet, count: int, per_class: int, seed: int) -> LabelledMatrix:
    received = check_random_state(seed).permutation(len(target.y_train))[:count]
    y = few_labels(target.y_train[received], per_class=per_class, random_state=seed)
    return target.X_train[received], y
