"""What distillation does while a network learns: certainty, classes ruled out, and the power r; on small digits.

In the manner of [sharpening] Figures 4.4, 4.5, 4.6 and 4.8, which print plots of MNIST and CIFAR-10 alone.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.arrays import FloatArray, IntArray
from tacit.data.public.datasets import load_digits
from tacit.data.public.splits import few_labels
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.models.semi_supervised.classifier import SharpenedClassifier
from tacit.models.semi_supervised.recipe import LossSettings, TrainingSettings
from tacit.numerics.calibration import apply_temperature
from tacit.numerics.sparsemax import sparsemax
from tacit.records import record

SEEDS = range(2)
PER_CLASS = 2
STEPS = (50, 200)
DISTILLATIONS = ("none", "me", "sh", "pl", "ns", "ads")
POWERS = (1.0, 1.5, 2.0, 3.0)
SURE, NEGLIGIBLE = 0.95, 0.05
CERTAINTY, ERROR = "mean largest probability", "test error, %"
QUICK: dict[str, Any] = {"SEEDS": range(1), "STEPS": (20,), "DISTILLATIONS": ("none", "ads"), "POWERS": (2.0,)}


@record
class DigitLogits:
    """Logits of unlabelled rows that were learned from, their true classes, and the error on others in percent."""

    logits: FloatArray
    truth: IntArray
    error: float


def rows() -> Iterator[ResultRow]:
    """Yield certainty by step and distillation, then what adaptive sharpening rules out, then errors by its power."""
    for steps in STEPS:
        runs = [_certainties(steps, seed) for seed in SEEDS]
        yield from metric_rows(f"digits, {PER_CLASS * 10} labels, step {steps}", runs)
    yield from metric_rows(f"digits, {PER_CLASS * 10} labels, unlabelled rows", [safety(seed) for seed in SEEDS])
    yield from metric_rows(f"digits, {PER_CLASS * 10} labels, power", [_by_power(seed) for seed in SEEDS])


def _certainties(steps: int, seed: int) -> Figures:
    """Return Figure 4.4 at one step: how sure softmax is of unlabelled rows, and the error on others."""
    figures: Figures = {}
    for name in DISTILLATIONS:
        model = learned(name, steps, seed)
        figures[f"vat, {name}", CERTAINTY] = float(apply_temperature(model.logits, 1.0).max(axis=1).mean())
        figures[f"vat, {name}", ERROR] = model.error
    return figures


def _by_power(seed: int) -> Figures:
    """Return Figure 4.8: the error by the power of adaptive sharpening."""
    return {(f"vat, ads, r = {power:g}", ERROR): learned("ads", STEPS[-1], seed, power).error for power in POWERS}


def safety(seed: int) -> Figures:
    """Return Figures 4.5 and 4.6: how many classes sparsemax keeps, how often the true one, and how sure it is."""
    model = learned("ads", STEPS[-1], seed)
    return {("vat, ads", metric): value for metric, value in kept_classes(model.logits, model.truth).items()}


def kept_classes(logits: FloatArray, truth: IntArray) -> dict[str, float]:
    """Return how many classes have a positive sparsemax, how often the true one has, and shares of sure values."""
    chances = sparsemax(logits)
    largest = chances.max(axis=1)
    return {
        "classes kept, mean": float((chances > 0).sum(axis=1).mean()),
        "share of rows whose class is kept": float((chances[np.arange(len(truth)), truth] > 0).mean()),
        "accuracy": float((chances.argmax(axis=1) == truth).mean()),
        f"share of rows with a value of at least {SURE:g}": float((largest >= SURE).mean()),
        "share of values that are 0": float((chances == 0).mean()),
        f"share of values in (0, {NEGLIGIBLE:g})": float(((chances > 0) & (chances < NEGLIGIBLE)).mean()),
    }


@cache
def learned(distillation: str, steps: int, seed: int, power: float = 2.0) -> DigitLogits:
    """Return what VAT with a distillation makes of small digits after ``steps`` steps, on one thread."""
    import torch  # noqa: PLC0415 - an extra, needed only here

    torch.set_num_threads(1)
    digits = load_digits()
    y = few_labels(digits.y_train, per_class=PER_CLASS, random_state=seed)
    model = SharpenedClassifier(
        algorithm="vat",
        distillation=distillation,
        n_steps=steps,
        unlabelled_ratio=1,
        losses=LossSettings(power=power),
        training=TrainingSettings(early_stopping=False),
        random_state=seed,
    )
    with threadpool_limits(1):
        model.fit(digits.X_train, y)
        error = 100.0 * (1.0 - float(model.score(digits.X_test, digits.y_test)))
        return DigitLogits(model.logits(digits.X_train[y < 0]), digits.y_train[y < 0].astype(np.int64), error)
