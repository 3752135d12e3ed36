"""MNIST from 20 labels: sparsemax alone and with each distillation, and MixMatch; [sharpening] Tables 4.2 and 4.3.

The thesis has CIFAR-10 with 4000 labels, a deeper network and far more steps: its figures are of another experiment and
do not stand beside these. Only which of two rows is better can be compared.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from threadpoolctl import threadpool_limits

from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.data.public.splits import few_labels
from tacit.experiments.results import ResultRow, mean_row
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import LossSettings

SEEDS = range(2)
PER_CLASS = 2
UNLABELLED_ROWS = 20_000
STEPS = {"vat": 200, "fixmatch": 200, "mixmatch": 200}
METRIC, SETTING = "test error, %", "MNIST, 20 labels"
# The columns of [sharpening] Table 4.3, then sharpening on softmax.
LINKS: dict[str, tuple[str, str]] = {
    "none": ("none", "softmax"),
    "Sp": ("none", "sparsemax"),
    "Sp+ME": ("me", "sparsemax"),
    "Sp+PL": ("pl", "sparsemax"),
    "Sp+NS": ("ns", "sparsemax"),
    "ADS": ("ads", "sparsemax"),
    "SH": ("sh", "softmax"),
}
# FixMatch learns targets: minimum entropy makes none ([sharpening] Table 4.3). MixMatch as in Table 4.2.
ROWS = {"vat": tuple(LINKS), "fixmatch": ("none", "Sp", "Sp+PL", "Sp+NS", "ADS"), "mixmatch": ("SH", "ADS")}
QUICK: dict[str, Any] = {"SEEDS": range(1), "STEPS": dict.fromkeys(STEPS, 20), "UNLABELLED_ROWS": 2000}


def rows() -> Iterator[ResultRow]:
    """Yield the test error in percent of each algorithm by how its predictions are made and distilled."""
    for algorithm, names in ROWS.items():
        for name in names:
            errors = [error(algorithm, name, seed) for seed in SEEDS]
            yield mean_row(f"{algorithm}, {name}", SETTING, errors, metric=METRIC)


def error(algorithm: str, name: str, seed: int) -> float:
    """Return the test error in percent after learning from the labels that ``seed`` draws, on one thread."""
    import torch  # noqa: PLC0415 - an extra, needed only here

    torch.set_num_threads(1)
    digits, (distillation, link) = _digits(), LINKS[name]
    labels = few_labels(digits.y_train[:UNLABELLED_ROWS], per_class=PER_CLASS, random_state=seed)
    model = SharpenedClassifier(
        image_shape=(28, 28),
        algorithm=algorithm,
        distillation=distillation,
        n_steps=STEPS[algorithm],
        unlabelled_ratio=1 if algorithm == "vat" else 2,
        losses=LossSettings(link=link, vat_radius=3.0),
        random_state=seed,
    )
    with threadpool_limits(1):
        model.fit(digits.X_train[:UNLABELLED_ROWS], labels)
        return 100.0 * (1.0 - float(model.score(digits.X_test, digits.y_test)))


@cache
def _digits() -> ImageSet:
    return load_mnist()
