"""USPS to MNIST: digits of 16 x 16 pixels released at entry level, adopted for 28 x 28 with 100 to 500 labels."""

from collections.abc import Iterator
from typing import Any

from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.data.public.splits import few_labels
from tacit.experiments.results import ADOPTED, ResultRow, mean_rows
from tacit.experiments.transfer_runs import measure, release_images

SEEDS = 5
EPSILON, DELTA = 0.1, 1e-5
# The receiver's rows, drawn from the 60000; all 10000 test digits are used.
RECEIVED = 9000
# Labels a class, and the accuracy that [membership] Table 3 prints for ten times as many.
PUBLISHED = {10: 0.9229, 20: 0.9586, 30: 0.9731, 40: 0.9763, 50: 0.9799}
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on the 10000 test digits, by the number of labels."""
    source, target = load_usps(), load_mnist()
    for per_class, published in PUBLISHED.items():
        runs = [_run(source, target, per_class, seed) for seed in range(SEEDS)]
        setting = f"entry epsilon {EPSILON:g}, {10 * per_class} labels"
        yield from mean_rows(setting, runs, paper={ADOPTED: published})


def _run(source: ImageSet, target: ImageSet, per_class: int, seed: int) -> dict[str, float]:
    release = release_images(source, unit="entry", epsilon=EPSILON, delta=DELTA, seed=seed)
    received = check_random_state(seed).permutation(len(target.y_train))[:RECEIVED]
    y = few_labels(target.y_train[received], per_class=per_class, random_state=seed)
    test = target.X_test, target.y_test
    return measure(release, target.schema, (target.X_train[received], y), test, seed=seed)
