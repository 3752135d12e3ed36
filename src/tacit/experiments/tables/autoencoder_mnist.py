"""The private autoencoder on digits of 7 x 7 pixels: beside linear models, as printed, and where a layer pays."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tacit.arrays import UNLABELLED, FloatArray, IntArray
from tacit.data.public.datasets import load_mnist
from tacit.experiments.results import ResultRow, mean_row
from tacit.experiments.small_digits import DELTA, ROW_NORM, averaged_pixels
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.records import record

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
SEEDS = 6
N_ROWS = 10_000
FEW = 300
# No setting was chosen on these two.
PAIR = (3, 8)
# The printed algorithm, where noise drowns it, at the largest epsilon of the others, and with hardly any noise.
PRINTED_EPSILONS = (1.0, 8.0, 50.0)

# Takes epsilon and a seed, and returns a classifier to fit.
MakeModel = Callable[[float, int], Any]
QUICK: dict[str, Any] = {"SEEDS": 1, "EPSILONS": (1.0,), "PRINTED_EPSILONS": (8.0,), "N_ROWS": 2000}


@record
class DigitTask:
    """Rows and labels for training, drawn anew for each seed, and for testing."""

    name: str
    X: FloatArray
    y: IntArray
    X_test: FloatArray
    y_test: IntArray
    n_rows: int
    n_labels: int

    def sample(self, seed: int) -> tuple[FloatArray, IntArray]:
        """Return ``n_rows`` rows, of which the first ``n_labels`` have a label."""
        chosen = check_random_state(seed).permutation(len(self.X))[: self.n_rows]
        labels = self.y[chosen].copy()
        labels[self.n_labels :] = UNLABELLED
        return self.X[chosen], labels


def rows() -> Iterator[ResultRow]:
    """Yield test accuracies: two digits with all labels and with few, then odd against even digits."""
    for task in tasks():
        yield _measure(task, "logistic regression, not private", lambda _e, _s: LogisticRegression(max_iter=500))
        for epsilon in EPSILONS:
            for name, make_model in METHODS.items():
                yield _measure(task, name, make_model, epsilon)
        if task.n_labels == task.n_rows == N_ROWS:
            for epsilon in PRINTED_EPSILONS:
                yield _measure(task, "autoencoder as printed: no guarantee", _printed, epsilon)


def tasks() -> list[DigitTask]:
    """Return the three tasks."""
    images = load_mnist()
    train, test = (averaged_pixels(part) for part in (images.X_train, images.X_test))
    of_pair = [np.isin(y, PAIR) for y in (images.y_train, images.y_test)]
    pair = (
        train[of_pair[0]],
        (images.y_train[of_pair[0]] == PAIR[1]).astype(np.int64),
        test[of_pair[1]],
        (images.y_test[of_pair[1]] == PAIR[1]).astype(np.int64),
    )
    name = f"{PAIR[0]} or {PAIR[1]}, {N_ROWS} rows"
    parity = (train, images.y_train % 2, test, images.y_test % 2)
    return [
        DigitTask(name, *pair, N_ROWS, N_ROWS),
        DigitTask(f"{name}, {FEW} labelled", *pair, N_ROWS, FEW),
        DigitTask(f"odd or even, {2 * N_ROWS} rows", *parity, 2 * N_ROWS, 2 * N_ROWS),
    ]


def _autoencoder(epsilon: float, seed: int, **overrides: Any) -> PrivateAutoencoderClassifier:
    settings = {"delta": DELTA, "row_norm": ROW_NORM, "classes": (0, 1), "unlabelled": UNLABELLED, **overrides}
    return PrivateAutoencoderClassifier(epsilon, bounds=(0, 1), random_state=seed, **settings)


def _printed(epsilon: float, seed: int) -> PrivateAutoencoderClassifier:
    return _autoencoder(epsilon, seed, hidden=(20,), accounting="paper")


METHODS: dict[str, MakeModel] = {
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


def _measure(task: DigitTask, name: str, make_model: MakeModel, epsilon: float | None = None) -> ResultRow:
    accuracies = []
    for seed in range(SEEDS):
        X, y = task.sample(seed)
        model = make_model(epsilon or 0.0, seed)
        # Only the autoencoder reads unlabelled rows.
        if not isinstance(model, PrivateAutoencoderClassifier):
            X, y = X[: task.n_labels], y[: task.n_labels]
        accuracies.append(float(model.fit(X, y).score(task.X_test, task.y_test)))
    setting = task.name if epsilon is None else f"{task.name}, epsilon {epsilon:g}"
    return mean_row(name, setting, accuracies)
