"""The private autoencoder on digits of 7 x 7 pixels: beside linear models, as printed, and where a layer pays."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tacit.arrays import UNLABELLED, Float32Array, FloatArray
from tacit.data.datasets import load_mnist
from tacit.experiments.registry import Row
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.linear.logistic import PrivateLogisticRegression

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
SEEDS = 6
N_ROWS = 10_000
FEW = 300
DELTA = 1e-5
# A public number below the length of nearly every picture: almost all rows get the same length.
ROW_NORM = 1.0
# The printed algorithm takes seconds for each fit: measured where it has the least noise.
PRINTED_EPSILON = 8.0

Codes = NDArray[np.int64]
Method = Callable[[float, int], Any]


@dataclass(frozen=True)
class Task:
    """Rows and labels for training, drawn anew for each seed, and for testing."""

    name: str
    X: FloatArray
    y: Codes
    X_test: FloatArray
    y_test: Codes
    n_rows: int
    n_labels: int

    def sample(self, seed: int) -> tuple[FloatArray, Codes]:
        """Return ``n_rows`` rows, of which the first ``n_labels`` have a label."""
        chosen = check_random_state(seed).permutation(len(self.X))[: self.n_rows]
        labels = self.y[chosen].copy()
        labels[self.n_labels :] = UNLABELLED
        return self.X[chosen], labels


def rows() -> Iterator[Row]:
    """Yield test accuracies: two digits with all labels and with few, then odd against even digits."""
    for task in tasks():
        yield from _measured(task, "logistic regression, not private", lambda _e, _s: LogisticRegression(max_iter=500))
        for epsilon in EPSILONS:
            for name, method in METHODS.items():
                yield from _measured(task, name, method, epsilon)
        if task.n_labels == task.n_rows == N_ROWS:
            yield from _measured(task, "autoencoder as printed: no guarantee", _printed, PRINTED_EPSILON)


def tasks() -> list[Task]:
    """Return the three tasks."""
    images = load_mnist()
    train, test = (small(part) for part in (images.X_train, images.X_test))
    pairs = [np.isin(y, (3, 5)) for y in (images.y_train, images.y_test)]
    digits = (
        train[pairs[0]],
        (images.y_train[pairs[0]] == 5).astype(np.int64),
        test[pairs[1]],
        (images.y_test[pairs[1]] == 5).astype(np.int64),
    )
    parity = (train, images.y_train % 2, test, images.y_test % 2)
    return [
        Task(f"3 or 5, {N_ROWS} rows", *digits, N_ROWS, N_ROWS),
        Task(f"3 or 5, {N_ROWS} rows, {FEW} labelled", *digits, N_ROWS, FEW),
        Task(f"odd or even, {2 * N_ROWS} rows", *parity, 2 * N_ROWS, 2 * N_ROWS),
    ]


def small(images: Float32Array) -> FloatArray:
    """Return 28 x 28 pictures as 7 x 7 means of their pixels."""
    cells = images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4), dtype=np.float64)
    return np.asarray(cells.reshape(len(images), -1))


def _autoencoder(epsilon: float, seed: int, **settings: Any) -> PrivateAutoencoderClassifier:
    given = {"delta": DELTA, "row_norm": ROW_NORM, "classes": (0, 1), "unlabelled": UNLABELLED, **settings}
    return PrivateAutoencoderClassifier(epsilon, bounds=(0, 1), random_state=seed, **given)


def _printed(epsilon: float, seed: int) -> PrivateAutoencoderClassifier:
    return _autoencoder(epsilon, seed, hidden=(20,), accounting="paper")


METHODS: dict[str, Method] = {
    "private autoencoder, 40 units": lambda e, s: _autoencoder(e, s, hidden=(40,)),
    "private autoencoder, 40 and 30 units": lambda e, s: _autoencoder(e, s, hidden=(40, 30)),
    "functional mechanism, no layer": lambda e, s: _autoencoder(e, s, hidden=()),
    "private autoencoder, 40 units, pure epsilon": lambda e, s: _autoencoder(e, s, hidden=(40,), delta=0),
    "no layer, pure epsilon": lambda e, s: _autoencoder(e, s, hidden=(), delta=0),
    "functional mechanism, no layer, pure epsilon": lambda e, s: _autoencoder(
        e, s, hidden=(), delta=0, output="functional"
    ),
    "private logistic regression, pure epsilon": lambda e, s: PrivateLogisticRegression(
        e, bounds=(0, 0.5), regularization=1e-3, classes=(0, 1), random_state=s
    ),
}


def _measured(task: Task, name: str, method: Method, epsilon: float | None = None) -> Iterator[Row]:
    scores = []
    for seed in range(SEEDS):
        X, y = task.sample(seed)
        model = method(epsilon or 0.0, seed)
        if not isinstance(model, PrivateAutoencoderClassifier):
            X, y = X[: task.n_labels], y[: task.n_labels]
        scores.append(model.fit(X, y).score(task.X_test, task.y_test))
    setting = task.name if epsilon is None else f"{task.name}, epsilon {epsilon:g}"
    yield Row(name, setting, "accuracy", float(np.mean(scores)), float(np.std(scores)), SEEDS)
