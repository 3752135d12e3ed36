"""Linear models as flat vectors, and the predictions and scores of many of them from one product of matrices."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.metrics import Metric, PredictedCodes

# Outputs held at once: half a megabyte of float64, which stays in the processor's cache until the largest is found.
MOST_OUTPUTS = 2**16
# Candidates multiplied at once, and rows: fewer would leave the product of matrices too thin to be fast.
MOST_CANDIDATES, FEWEST_ROWS = 64, 128


def linear_vector(model: Any) -> FloatArray:
    """Return the weights, then the intercepts, of a fitted scikit-learn linear model as one vector [C p + C]."""
    check_is_fitted(model, "coef_")
    weights = np.atleast_2d(model.coef_)
    intercepts = np.broadcast_to(model.intercept_, len(weights))
    return checks.finite_array("model", np.concatenate([weights.ravel(), intercepts]))


def with_vector(model: Any, vector: ArrayLike) -> Any:
    """Return a copy of a fitted scikit-learn linear model with the parameters of ``vector``."""
    values, old = checks.finite_array("vector", vector), np.atleast_2d(model.coef_)
    if values.shape != (old.size + len(old),):
        raise InputError(f"vector must have the model's {old.size + len(old)} parameters; got shape {values.shape}.")
    tuned = copy.deepcopy(model)
    tuned.coef_ = values[: old.size].reshape(np.shape(model.coef_))
    tuned.intercept_ = values[old.size :].reshape(np.shape(model.intercept_) or -1)
    return tuned


def linear_codes(features: NDArray[Any], candidates: NDArray[Any], *, bias: bool = True) -> PredictedCodes:
    """Return the classes [k, n] that k linear layers predict for n rows of features [n, d].

    A candidate is a weight matrix [C, d] row by row, then C biases. All outputs come from one product
    [n, d] × [d, k C]; the largest wins, and a single output (C = 1) means class 1 above 0.
    """
    n_rows, width = features.shape
    n_outputs = candidates.shape[1] // (width + bias)
    if candidates.shape[1] != n_outputs * (width + bias) or n_outputs == 0:
        raise InputError(
            f"candidates must have C weights for each of {width} features{' and C biases' if bias else ''}; "
            f"got {candidates.shape[1]} parameters."
        )
    codes = np.empty((len(candidates), n_rows), dtype=np.int64)
    for first in range(0, len(candidates), MOST_CANDIDATES):
        part = candidates[first : first + MOST_CANDIDATES]
        at_once = max(FEWEST_ROWS, MOST_OUTPUTS // (len(part) * n_outputs))
        for row in range(0, n_rows, at_once):
            outputs = _outputs(features[row : row + at_once], part, n_outputs)
            codes[first : first + MOST_CANDIDATES, row : row + at_once] = _codes(outputs)
    return codes


def _outputs(features: NDArray[Any], candidates: NDArray[Any], n_outputs: int) -> NDArray[Any]:
    width = n_outputs * features.shape[1]
    weights = candidates[:, :width].reshape(-1, features.shape[1]).astype(features.dtype)  # [k C, d]
    outputs: NDArray[Any] = (weights @ features.T).reshape(len(candidates), n_outputs, len(features))  # [k, C, n]
    if candidates.shape[1] > width:
        outputs += candidates[:, width:, None].astype(features.dtype)
    return outputs


def _codes(outputs: NDArray[Any]) -> PredictedCodes:
    return (outputs[:, 0] > 0).astype(np.int64) if outputs.shape[1] == 1 else outputs.argmax(axis=1)


class LinearScorer:
    """Scores of linear candidates on given rows: a function of candidates [k, p] for ``tune``.

    Parameters
    ----------
    X : array [n, d]
        Features of the rows to score on.
    metric : Metric
        Score of predicted classes, such as ``accuracy(y)`` with class codes ``y``.

    Examples
    --------
    >>> from tacit.situations.feedback.metrics import accuracy
    >>> score = LinearScorer([[0.0], [1.0]], accuracy([0, 1]))
    >>> score(np.array([[2.0, -1.0], [-2.0, 1.0]]))
    array([1., 0.])
    """

    def __init__(self, X: ArrayLike, metric: Metric) -> None:
        self.features = checks.finite_array("X", X)
        if self.features.ndim != 2 or not len(self.features):
            raise InputError(f"X must have rows and columns; got shape {self.features.shape}.")
        self.metric = metric

    def __call__(self, candidates: FloatArray) -> FloatArray:
        """Return the scores of candidates, each the weights and intercepts of a linear model."""
        return self.metric(linear_codes(self.features, checks.finite_array("candidates", candidates)))
