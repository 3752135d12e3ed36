"""MNIST to MNIST: 60000 private rows, 9000 of the receiver's with 10 labels a class, 1000 for evaluation."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ResultRow, mean_rows
from tacit.experiments.transfer_runs import measure_releases, receiver, release_images

SEEDS = 5
OWNED = 60_000
# The receiver's rows of the 10000 test digits, and its labels of each class; the other rows are for evaluation.
RECEIVED, PER_CLASS = 9000, 10
# Unit, epsilon and delta of the releases of class moments.
SETTINGS = (
    ("entry", 0.1, 1e-5),
    ("entry", 1.0, 1e-5),
    ("record", 0.1, 1e-5),
    ("record", 0.5, 1e-5),
    ("record", 1.0, 1e-5),
    ("record", 1e-3, 1e-9),
)
QUICK: dict[str, Any] = {"SEEDS": 1, "RECEIVED": 1500, "OWNED": 10_000}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies at entry and record level; the last setting is noise in all but name."""
    data = load_mnist()
    images = replace(data, X_train=data.X_train[:OWNED], y_train=data.y_train[:OWNED])
    runs = [
        kept_figures([__name__, OWNED, RECEIVED, PER_CLASS, SETTINGS, seed], partial(_run, images, seed))
        for seed in range(SEEDS)
    ]
    for unit, epsilon, _ in SETTINGS:
        setting = f"{unit} epsilon {epsilon:g}"
        yield from mean_rows(setting, [run[setting] for run in runs])


def _run(images: ImageSet, seed: int) -> dict[str, dict[str, float]]:
    releases = {
        f"{unit} epsilon {epsilon:g}": release_images(images, unit=unit, epsilon=epsilon, delta=delta, seed=seed)
        for unit, epsilon, delta in SETTINGS
    }
    return measure_releases(releases, images.schema, *receiver(images, RECEIVED, PER_CLASS, seed), seed=seed)
