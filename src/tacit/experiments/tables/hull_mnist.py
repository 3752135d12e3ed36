"""MNIST by the affine hulls of its classes, nothing private, next to peers that learn the same rows."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from tacit.data.public.datasets import ImageSet, load_mnist
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ResultRow, metric_rows
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.storage import classifier_to_model
from tacit.models.membership.classifier import MembershipClassifier

SEEDS = range(2)
# Rows that every seed draws, and rows that the first seed draws alone.
SMALL, LARGE = 10_000, 60_000
HULLS: dict[str, Callable[[], Any]] = {
    "affine hull": AffineHullClassifier,
    "affine hull, overlap 1, all directions": partial(AffineHullClassifier, part_size=1000, overlap=1, rank=None),
}
PEERS: dict[str, Callable[[], Any]] = {
    "affine hull, overlap 1, all directions, 5 layers": partial(
        AffineHullClassifier, part_size=1000, overlap=1, rank=None, n_layers=5
    ),
    "membership-mappings": MembershipClassifier,
    "support vectors, C = 10": partial(SVC, C=10),
    "nearest neighbour": partial(KNeighborsClassifier, 1),
}
QUICK: dict[str, Any] = {"SEEDS": range(1), "SMALL": 1000, "LARGE": 2000}


def rows() -> Iterator[ResultRow]:
    """Yield accuracy on the 10000 test digits, CPU seconds and the model's size; no figure is published for this."""
    images = load_mnist()
    for methods, n_rows, seeds in ((HULLS | PEERS, SMALL, SEEDS), (HULLS, LARGE, SEEDS[:1])):
        for method, make in methods.items():
            question = [__name__, method, n_rows]
            figures = [kept_figures([*question, seed], partial(_measure, make, images, n_rows, seed)) for seed in seeds]
            named = [{(method, metric): value for metric, value in run.items()} for run in figures]
            yield from metric_rows(f"{n_rows} rows", named)


def _measure(make: Callable[[], Any], images: ImageSet, n_rows: int, seed: int) -> dict[str, float]:
    chosen = check_random_state(seed).permutation(len(images.y_train))[:n_rows]
    X, y, model = images.X_train[chosen], images.y_train[chosen], make()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    # Processor seconds: other work on the machine does not change them.
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    accuracy = float(np.mean(model.predict(images.X_test) == images.y_test))
    figures = {"accuracy": accuracy, "fit, CPU-s": fitted - start, "predict 10000, CPU-s": time.process_time() - fitted}
    if isinstance(model, AffineHullClassifier):
        figures["model, MB"] = sum(array.nbytes for array in classifier_to_model(model).arrays.values()) / 1e6
    return figures
