"""CIFAR-10 from 250 labels: MixMatch and FixMatch, each as published and with adaptive sharpening.

In the manner of [sharpening] Table 4.2, which has all photographs, residual networks and far more steps: its figures
are of another experiment and do not stand beside these. Only which of two rows is better can be compared.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from threadpoolctl import threadpool_limits

from tacit.data.public.datasets import ImageSet, load_cifar10
from tacit.data.public.splits import few_labels
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ResultRow, mean_row
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import LossSettings

SEEDS = range(3)
PER_CLASS = 25
UNLABELLED_ROWS = 10_000
STEPS = 200
METRIC = "test error, %"
# (algorithm, distillation, link): MixMatch sharpens and FixMatch takes pseudo-labels, as published; then with ADS.
ROWS: dict[str, tuple[str, str, str]] = {
    "mixmatch, SH": ("mixmatch", "sh", "softmax"),
    "mixmatch, ADS": ("mixmatch", "ads", "sparsemax"),
    "fixmatch, PL": ("fixmatch", "pl", "softmax"),
    "fixmatch, ADS": ("fixmatch", "ads", "sparsemax"),
    "fixmatch, none": ("fixmatch", "none", "softmax"),
}
QUICK: dict[str, Any] = {"SEEDS": range(1), "STEPS": 10, "UNLABELLED_ROWS": 1000}


def rows() -> Iterator[ResultRow]:
    """Yield the test error in percent of each algorithm by how its predictions are distilled."""
    for name in ROWS:
        question = [__name__, name, PER_CLASS, UNLABELLED_ROWS, STEPS]
        errors = [kept_figures([*question, seed], partial(error, name, seed)) for seed in SEEDS]
        yield mean_row(name, f"CIFAR-10, {10 * PER_CLASS} labels", errors, metric=METRIC)


def error(name: str, seed: int) -> float:
    """Return the test error in percent after learning from the labels that ``seed`` draws, on one thread."""
    import torch  # noqa: PLC0415 - an extra, needed only here

    torch.set_num_threads(1)
    photographs, (algorithm, distillation, link) = _photographs(), ROWS[name]
    X = photographs.X_train[:UNLABELLED_ROWS]
    y = few_labels(photographs.y_train[:UNLABELLED_ROWS], per_class=PER_CLASS, random_state=seed)
    model = SharpenedClassifier(
        image_shape=photographs.image_shape,
        algorithm=algorithm,
        distillation=distillation,
        n_steps=STEPS,
        unlabelled_ratio=2,
        losses=LossSettings(link=link),
        random_state=seed,
    )
    with threadpool_limits(1):
        return 100.0 * (1.0 - float(model.fit(X, y).score(photographs.X_test, photographs.y_test)))


@cache
def _photographs() -> ImageSet:
    return load_cifar10()
