"""USPS to MNIST as [membership] prints it: all 60000 rows of the receiver, 100 to 500 labels, eq. 87; Table 3.

Autoencoders of five layers reconstruct 60000 rows in each of four rounds: each number of labels takes
about four minutes of a processor.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from tacit.data.public.datasets import ImageSet, load_mnist, load_usps
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.printed_transfer import PRINTED, measure_printed, owner_rows
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import training_receiver

SEEDS = 1
EPSILON, DELTA = 0.1, 1e-5
RECEIVED = 60_000
# Labels of each class, and the accuracy that [membership] Table 3 prints for ten times as many.
PUBLISHED = {10: 0.9229, 20: 0.9586, 30: 0.9731, 40: 0.9763, 50: 0.9799}
QUICK: dict[str, Any] = {"RECEIVED": 1500, "PUBLISHED": {10: 0.9229}}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies of the printed source, target and combination on the 10000 test digits."""
    source, target = load_usps(), load_mnist()
    for per_class, published in PUBLISHED.items():
        runs = [
            kept_figures([__name__, EPSILON, RECEIVED, per_class, seed], partial(_run, source, target, per_class, seed))
            for seed in range(SEEDS)
        ]
        setting = f"entry epsilon {EPSILON:g}, {10 * per_class} labels, {RECEIVED} rows"
        yield from mean_rows(setting, runs, paper={PRINTED: published})


def _run(source: ImageSet, target: ImageSet, per_class: int, seed: int) -> dict[str, float]:
    noisy = owner_rows(source, epsilon=EPSILON, delta=DELTA, seed=seed)
    received = training_receiver(target, RECEIVED, per_class, seed)
    return measure_printed(noisy, target.schema, received, (target.X_test, target.y_test), seed=seed)
