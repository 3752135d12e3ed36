"""Metrics: scores of predicted classes, for many candidates at once.

A metric takes predicted class codes [k, n], one row a candidate, and returns scores [k] or [k, m]. A metric of the best
few classes takes their codes [k, n, K].
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError

PredictedCodes = NDArray[np.integer[Any]]  # class codes [k, n], one row a candidate, or of the K best [k, n, K]
Metric = Callable[[PredictedCodes], FloatArray]


def accuracy(y: ArrayLike) -> Metric:
    """Return the metric 1 − mean of [predicted ≠ true] ([feedback] eq. 5.3)."""
    truth = _codes("y", y)

    def score(predicted: PredictedCodes) -> FloatArray:
        return np.asarray((predicted == truth).mean(axis=1))

    return score


def top_accuracy(y: ArrayLike) -> Metric:
    """Return the share of rows whose class is among the K best ([feedback] section 5.4.3), of codes [k, n, K]."""
    truth = _codes("y", y)

    def score(predicted: PredictedCodes) -> FloatArray:
        return np.asarray((predicted == truth[:, None]).any(axis=2).mean(axis=1))

    return score


def accuracy_and_gap(y: ArrayLike, group: ArrayLike) -> Metric:
    """Return the metric (accuracy, |P(predicted 1 | group 1) − P(predicted 1 | group 0)|).

    The second is the gap of demographic parity, [feedback] section 5.4.3. Classes and groups are 0 and 1.
    """
    truth, groups = _codes("y", y), _codes("group", group)
    if len(groups) != len(truth) or set(np.unique(groups)) != {0, 1}:
        raise InputError(f"group must hold both 0 and 1, for the {len(truth)} rows of y; got {len(groups)} rows.")

    def score(predicted: PredictedCodes) -> FloatArray:
        rates = [(predicted[:, groups == code] == 1).mean(axis=1) for code in (0, 1)]
        return np.column_stack([(predicted == truth).mean(axis=1), np.abs(rates[1] - rates[0])])

    return score


def rounded(metric: Metric, decimals: int) -> Metric:
    """Return the metric with scores rounded to ``decimals`` digits, which reveal less about single rows."""
    checks.whole("decimals", decimals, least=0)
    return lambda predicted: np.round(metric(predicted), decimals)


def _codes(name: str, values: ArrayLike) -> IntArray:
    codes = np.asarray(values)
    if codes.ndim != 1 or len(codes) == 0 or codes.dtype.kind not in "iub":
        raise InputError(f"{name} must be a vector of whole numbers, one a row; got {codes.dtype} {codes.shape}.")
    return codes.astype(np.int64)
