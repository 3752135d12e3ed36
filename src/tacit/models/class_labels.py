"""Checked rows and labels: what an estimator learns from, labels as codes, and rows to predict."""

import math
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.models.scikit_learn import BaseEstimator

# What a card says if the public list of classes is not given.
CLASSES_READ = "the list of classes was read from the labels and is declared public"


def checked_rows(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
    """Return rows and labels as scikit-learn's ``validate_data`` would, and let ``estimator`` know their columns.

    Arrays that need no conversion, most of them in practice, skip its search for other kinds of tables, which takes as
    long as a small fit.
    """
    if not (_is_plain(X, 2) and _are_labels(y) and len(X) == len(y) and min(X.shape) > 0):
        table, labels = validate_data(estimator, X, y, dtype=np.float64)
        return table, np.asarray(labels)
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_  # of a fit before
    estimator.n_features_in_ = X.shape[1]
    return X, y


def fitted_rows(estimator: BaseEstimator, X: ArrayLike) -> FloatArray:
    """Return rows ``X`` [N, p] with the columns that ``estimator`` was fitted on; an unfitted one is refused."""
    check_is_fitted(estimator)
    rows: FloatArray = validate_data(estimator, X, reset=False, dtype=np.float64)
    return rows


def _is_plain(values: Any, ndim: int) -> TypeGuard[FloatArray]:
    """Whether ``values`` is an array of finite doubles in one piece; one beyond 1e154 does not count as plain."""
    if type(values) is not np.ndarray or values.dtype != np.float64 or values.ndim != ndim:
        return False
    return values.flags.c_contiguous and math.isfinite(np.vdot(values, values))


def _are_labels(values: Any) -> TypeGuard[NDArray[Any]]:
    """Whether ``values`` is a vector of numbers or names that needs no conversion."""
    if type(values) is np.ndarray and values.dtype.kind in "biuU":
        return values.ndim == 1
    return _is_plain(values, 1)


def encode_labels(y: NDArray[Any], classes: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes and the code of each label; public ``classes`` must cover all labels."""
    # Whole numbers and names are classes; anything else must look like some.
    if y.dtype.kind not in "biuU" and not (y.dtype.kind == "f" and (np.trunc(y) == y).all()):
        check_classification_targets(y)
    labels = np.unique(y if classes is None else np.asarray(classes))
    if len(labels) < 2:
        raise InputError(f"y must hold at least two classes; got {len(labels)} class. Give `classes` or more rows.")
    if classes is not None and not np.isin(y, labels).all():
        raise InputError("y must hold labels of `classes` only; got others.")
    return labels, np.searchsorted(labels, y)
