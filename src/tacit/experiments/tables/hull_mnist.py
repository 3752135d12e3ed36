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
from tacit.experiments.results import ResultRow, metric_rows
from tacit.models.affine_hull.classifier import AffineHullClassifier
from tacit.models.affine_hull.storage import classifier_to_model
from tacit.models.membership.classifier import MembershipClassifier

# (rows, runs); one core, so that the seconds can be compared
SMALL, LARGE = (10_000, 2), (60_000, 1)
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
QUICK: dict[str, Any] = {"SMALL": (1000, 1), "LARGE": (2000, 1)}


def rows() -> Iterator[ResultRow]:
    """Yield accuracy on the 10000 test digits, seconds, and what the model keeps; no figure is published for this."""
    images = load_mnist()
    for methods, (n_rows, runs) in ((HULLS | PEERS, SMALL), (HULLS, LARGE)):
        for method, make in methods.items():
            figures = [_measure(make(), images, n_rows, seed) for seed in range(runs)]
            named = [{(method, metric): value for metric, value in run.items()} for run in figures]
            yield from metric_rows(f"{n_rows} rows", named)


def _measure(model: Any, images: ImageSet, n_rows: int, seed: int) -> dict[str, float]:
    chosen = check_random_state(seed).permutation(len(images.y_train))[:n_rows]
    X, y = images.X_train[chosen], images.y_train[chosen]
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    accuracy = float(np.mean(model.predict(images.X_test) == images.y_test))
    figures = {"accuracy": accuracy, "fit, s": fitted - start, "predict 10000, s": time.perf_counter() - fitted}
    if isinstance(model, AffineHullClassifier):
        figures["model, MB"] = sum(array.nbytes for array in classifier_to_model(model).arrays.values()) / 1e6
    return figures
