"""Checked rows and labels: what an estimator learns from, labels as codes, and rows to predict."""

import math
import warnings
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import UNLABELLED, BoolArray, Codes, FloatArray
from tacit.errors import InputError
from tacit.models.estimator_input import column_of, full_labels, missing_cells, validate_data
from tacit.models.scikit_learn import BaseEstimator

# What a card says if the public list of classes is not given.
CLASSES_READ = "the list of classes was read from the labels and is declared public"
TWO_SIGNS = (
    "y holds -1 and 1 alone: they are taken for two classes. If -1 marks rows without a label, the others are of one "
    "class only: give labels of a second class, or None instead of -1."
)


def checked_rows(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, *, partial: bool = False
) -> tuple[FloatArray, NDArray[Any]]:
    """Return rows and labels as scikit-learn's ``validate_data`` would, and let ``estimator`` know their columns.

    Arrays that need no conversion, most of them in practice, skip its search for other kinds of tables, which takes as
    long as a small fit. With ``partial``, rows may lack a label: None in the result; otherwise they are refused.
    """
    if not (_is_plain(X, 2) and _are_labels(y) and len(X) == len(y) and min(X.shape) > 0):
        labels = column_of(y) if partial else full_labels(estimator, y)
        unknown = missing_cells(labels)
        table, _ = validate_data(estimator, X, np.zeros(len(labels)) if unknown.any() else labels, dtype=np.float64)
        return table, labels
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


def partial_codes(y: ArrayLike, classes: Sequence[str] | None = None) -> tuple[NDArray[Any], Codes]:
    """Return the classes and the code of each row, -1 where it has no label, for learners that use such rows too.

    Without a label are rows of None, NaN, NA and blank text, and of -1 among whole numbers, as in scikit-learn; labels
    of -1 and 1 alone are two classes. Names of known ``classes`` give classes by name; their codes 0, 1, ... give
    codes. Without ``classes`` they are the labels found.
    """
    labels = column_of(y)
    labelled = ~missing_cells(labels)
    values = np.asarray(labels[labelled].tolist()) if labels.dtype.kind == "O" else labels[labelled]
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InputError("Input y contains infinity, which is no label.")
    if values.size:
        check_classification_targets(values)
    if classes is not None and values.dtype.kind in "US":
        return _name_codes(values, labelled, classes)
    if values.dtype.kind in "iuf":
        marked = _marked_unlabelled(values, any_class=classes is not None)
        labelled[labelled] = ~marked
        values = values[~marked]
    if classes is not None:
        if not np.isin(values, range(len(classes))).all():
            raise InputError(
                f"y must hold names of classes or class codes 0 to {len(classes) - 1}, and -1 or None for unlabelled "
                "rows; got others."
            )
        return np.arange(len(classes)), _spread(labelled, values.astype(np.intp))
    classes_present, codes = np.unique(values, return_inverse=True)
    return classes_present, _spread(labelled, codes)


def require_two_classes(codes: Codes, *, way_out: str = "") -> None:
    """Refuse codes of fewer than two classes."""
    n_found = len(np.unique(codes[codes != UNLABELLED]))
    if n_found < 2:
        count = "1 class" if n_found == 1 else f"{n_found} classes"
        raise InputError(f"y must hold labels of at least two classes; got {count}.{way_out}")


def _marked_unlabelled(values: NDArray[Any], *, any_class: bool) -> BoolArray:
    """Return which labels are -1 and mean that there is none."""
    marked: BoolArray = values == UNLABELLED
    if not any_class and marked.any() and (np.unique(values[~marked]) == 1).all() and not marked.all():
        warnings.warn(TWO_SIGNS, UserWarning, stacklevel=5)
        return np.zeros(len(values), dtype=np.bool_)
    return marked


def _name_codes(values: NDArray[Any], labelled: BoolArray, classes: Sequence[str]) -> tuple[NDArray[Any], Codes]:
    names = np.asarray(classes)
    order = np.argsort(names)
    if not np.isin(values, names).all():
        raise InputError(f"y must hold names of the {len(names)} classes of the schema; got others.")
    return names, _spread(labelled, order[np.searchsorted(names, values, sorter=order)])


def _spread(labelled: BoolArray, codes: NDArray[np.intp]) -> Codes:
    """Return codes [N]: those of the known rows, -1 elsewhere."""
    all_codes = np.full(len(labelled), UNLABELLED, dtype=np.intp)
    all_codes[labelled] = codes
    return all_codes
