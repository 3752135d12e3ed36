"""MNIST to MNIST as [membership] prints it: noisy rows, autoencoders of five layers, eq. 87; Table 1.

Beside the printed epsilon stand a larger one, no noise, and rows of nothing but noise: what is reached with those, the
owner's rows did not teach.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tacit.data.public.datasets import load_mnist
from tacit.experiments.printed_transfer import NOISE_ONLY, PRINTED, measure_printed, owner_rows, setting_of
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import receiver

SEEDS = 3
# A sixth of the paper's rows of the owner, two ninths of the receiver's; others of the 10000 test digits are tested.
OWNED, RECEIVED, PER_CLASS = 10_000, 2_000, 10
DELTA = 1e-5
EPSILONS = (0.1, 1.0, None, NOISE_ONLY)
# [membership] Table 1, of 60000 and 9000 rows.
PUBLISHED = {0.1: 0.951}
QUICK: dict[str, Any] = {"SEEDS": 1, "OWNED": 3_000, "RECEIVED": 600, "EPSILONS": (0.1,)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies of the printed source, the printed target and both together."""
    data = load_mnist()
    images = replace(data, X_train=data.X_train[:OWNED], y_train=data.y_train[:OWNED])
    for epsilon in EPSILONS:
        runs = [
            measure_printed(
                owner_rows(images, epsilon=epsilon, delta=DELTA, seed=seed),
                images.schema,
                *receiver(images, RECEIVED, PER_CLASS, seed),
                seed=seed,
            )
            for seed in range(SEEDS)
        ]
        published = None if epsilon is None else PUBLISHED.get(epsilon)
        yield from mean_rows(setting_of(epsilon), runs, paper={PRINTED: published})
