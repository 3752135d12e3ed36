"""Scores of candidates on the owner's rows: predictions of many candidates at once, and the metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.parameters import split_vector
from tacit.situations.feedback.linear import linear_codes
from tacit.situations.feedback.metrics import Metric, PredictedCodes, accuracy

# Hidden outputs held at once: 32 MB of float64.
MOST_HIDDEN = 2**22


@dataclass(frozen=True)
class Measure:
    """A metric: its maker for given true classes, its sensitivity to one record (None: unknown), and the reason."""

    make: Callable[[IntArray], Metric]
    sensitivity: Callable[[int], float] | None
    because: str


def balanced_accuracy(y: IntArray) -> Metric:
    """Return the metric that averages, over the classes, the share of their rows that are predicted right."""
    class_masks = [y == code for code in np.unique(y)]

    def score(predicted: PredictedCodes) -> FloatArray:
        rates = [(predicted[:, mask] == y[mask]).mean(axis=1) for mask in class_masks]
        return np.asarray(np.mean(rates, axis=0))

    return score


MEASURES = {
    "accuracy": Measure(
        accuracy,
        lambda n_rows: 1 / n_rows,
        "replacing one of {n} labelled records changes at most one prediction from wrong to right or back, "
        "which moves the share of right ones by at most 1/{n}",
    ),
    # A class with a single row moves it by 1/C, and how many rows a class has is private.
    "balanced_accuracy": Measure(balanced_accuracy, None, ""),
}


def sensitivity(metric: str, n_rows: int) -> float:
    """Return how far one record can move the metric; raise InputError for a metric without a known sensitivity."""
    bound = MEASURES[checks.one_of("metric", metric, list(MEASURES))].sensitivity
    if bound is None:
        bounded = ", ".join(name for name, measure in MEASURES.items() if measure.sensitivity is not None)
        raise InputError(
            f"metric {metric!r} has no known sensitivity, so no amount of noise keeps an epsilon. "
            f"Choose one that has ({bounded}), or open the desk without --epsilon, which promises nothing."
        )
    return bound(n_rows)


class Scorer:
    """Scores of candidates on the owner's rows.

    Parameters
    ----------
    X : array [n, d]
        Encoded rows.
    y : array [n]
        Their class codes.
    architecture : Architecture
    metric : str
        A name in ``MEASURES``.

    Examples
    --------
    >>> scorer = Scorer(np.array([[0.0], [1.0]]), np.array([0, 1]), Architecture("linear", 1, 1), metric="accuracy")
    >>> scorer(np.array([[2.0, -1.0], [-2.0, 1.0]]))
    array([1., 0.])
    """

    def __init__(self, X: NDArray[Any], y: NDArray[Any], architecture: Architecture, *, metric: str) -> None:
        measure = MEASURES[checks.one_of("metric", metric, list(MEASURES))]
        self.features = np.ascontiguousarray(checks.finite_array("X", X))
        if self.features.ndim != 2 or self.features.shape[1] != architecture.n_inputs or not len(self.features):
            raise InputError(f"X must have rows of {architecture.n_inputs} columns; got shape {self.features.shape}.")
        if len(y) != len(self.features) or np.min(y) < 0:
            raise InputError("y must hold one class code a row: a desk scores on labelled rows.")
        self.architecture = architecture
        self._metric = measure.make(np.asarray(y, dtype=np.int64))

    def __call__(self, candidates: FloatArray) -> FloatArray:
        """Return the scores [k] of candidates [k, p]."""
        return self._metric(self.predicted(candidates))

    def predicted(self, candidates: FloatArray) -> PredictedCodes:
        """Return the classes [k, n] that the candidates predict."""
        if not self.architecture.hidden:
            return linear_codes(self.features, candidates)
        at_once = max(1, MOST_HIDDEN // (len(self.features) * self.architecture.hidden))
        parts = [self._mlp_codes(candidates[i : i + at_once]) for i in range(0, len(candidates), at_once)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.features)), dtype=np.int64)

    def _mlp_codes(self, candidates: FloatArray) -> PredictedCodes:
        """Return argmax_c (V a(W x + w) + v), all candidates in one product with the rows."""
        part = split_vector(candidates, self.architecture)
        first = part["hidden_weight"].reshape(-1, self.architecture.n_inputs)  # [k h, d]
        raw = (first @ self.features.T).reshape(len(candidates), self.architecture.hidden, -1)  # [k, h, n]
        raw += part["hidden_bias"][:, :, None]
        active = np.maximum(raw, 0, out=raw) if self.architecture.activation == "relu" else np.tanh(raw, out=raw)
        outputs = part["weight"] @ active + part["bias"][:, :, None]  # [k, C, n]
        return (outputs[:, 0] > 0).astype(np.int64) if outputs.shape[1] == 1 else outputs.argmax(axis=1)
