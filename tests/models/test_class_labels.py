from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from tacit.errors import InputError
from tacit.models.class_labels import checked_rows, encode_labels, fitted_rows, partial_codes

X = np.arange(6.0).reshape(3, 2)
Y = np.array([0.0, 1.0, 0.0])


def test_plain_arrays_are_passed_on_and_anything_else_is_converted() -> None:
    estimator = BaseEstimator()
    table, labels = checked_rows(estimator, X, Y)
    assert table is X
    assert labels is Y
    assert estimator.n_features_in_ == 2
    for given in (X.tolist(), X.astype(np.float32), np.asfortranarray(X), 1e200 * X):
        table, labels = checked_rows(estimator, given, ["a", "b", "a"])
        assert table.dtype == np.float64
        assert np.array_equal(table, np.asarray(given))
        assert labels.tolist() == ["a", "b", "a"]


def test_names_of_columns_are_kept_and_forgotten_with_the_table() -> None:
    estimator = BaseEstimator()
    checked_rows(estimator, pd.DataFrame(X, columns=["age", "pulse"]), Y)
    assert list(estimator.feature_names_in_) == ["age", "pulse"]
    checked_rows(estimator, X, Y)
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize(
    ("rows", "labels", "problem"),
    [
        (np.where(X == 3, np.nan, X), Y, "NaN"),
        (np.where(X == 3, np.inf, X), Y, "infinity"),
        (X, np.array([0.0, np.nan, 1.0]), "NaN"),
        (X, Y[:2], "inconsistent"),
        (X[0], Y, "2D"),
        (X[:0], Y[:0], "0 sample"),
        (X[:, :0], Y, "0 feature"),
    ],
)
def test_what_scikit_learn_refuses_is_refused(rows: Any, labels: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        checked_rows(BaseEstimator(), rows, labels)


@pytest.mark.parametrize("y", [[2, 7, 2], [2.0, 7.0, 2.0], ["a", "b", "a"], [False, True, False]])
def test_labels_of_any_kind_become_codes(y: list[Any]) -> None:
    classes, codes = encode_labels(np.array(y), None)
    assert classes.tolist() == sorted(set(y))
    assert codes.tolist() == [0, 1, 0]


def test_public_classes_may_be_more_than_those_seen() -> None:
    classes, codes = encode_labels(np.array([7, 2]), [9, 7, 2])
    assert classes.tolist() == [2, 7, 9]
    assert codes.tolist() == [1, 0]


@pytest.mark.parametrize(("y", "classes"), [([1, 1], None), ([1, 2], [1, 3]), ([1, 2], ["a", "b"]), ([1], [1])])
def test_one_class_and_unknown_labels_are_refused(y: list[int], classes: Any) -> None:
    with pytest.raises(InputError, match="classes"):
        encode_labels(np.array(y), classes)


def test_fractions_are_no_classes() -> None:
    with pytest.raises(ValueError, match="continuous"):
        encode_labels(np.array([0.5, 1.25, 3.0]), None)


def test_rows_to_predict_have_the_columns_of_the_fit() -> None:
    estimator = DummyClassifier()
    with pytest.raises(NotFittedError):
        fitted_rows(estimator, X)
    checked_rows(estimator, X, Y)
    estimator.classes_ = Y  # only learned attributes make it fitted
    assert fitted_rows(estimator, X.astype(np.float32)).dtype == np.float64
    with pytest.raises(ValueError, match="2 features"):
        fitted_rows(estimator, X[:, :1])


@pytest.mark.parametrize(
    ("y", "names", "classes", "codes"),
    [
        (["ill", None, "well"], None, ["ill", "well"], [0, -1, 1]),
        (["ill", " ", "well"], ("well", "ill"), ["well", "ill"], [1, -1, 0]),
        ([2, -1, 0], ("a", "b", "c"), [0, 1, 2], [2, -1, 0]),
        ([3.0, np.nan, 7.0], None, [3.0, 7.0], [0, -1, 1]),
        ([5, None, 9], None, [5, 9], [0, -1, 1]),
        ([None, None], ("a", "b"), [0, 1], [-1, -1]),
    ],
)
def test_partial_labels_become_codes(y: Any, names: Any, classes: list[Any], codes: list[int]) -> None:
    found, coded = partial_codes(y, names)
    assert (found.tolist(), coded.tolist()) == (classes, codes)


def test_signs_are_two_classes_only_where_no_classes_are_known() -> None:
    with pytest.warns(UserWarning, match="two classes"):
        assert partial_codes([-1, 1, -1])[1].tolist() == [0, 1, 0]
    assert partial_codes([-1, 1, -1], ("a", "b"))[1].tolist() == [-1, 1, -1]


@pytest.mark.parametrize("y", [[np.inf, 1.0, 2.0], ["a", "b"], [0, 5]])
def test_labels_that_are_none_are_refused(y: Any) -> None:
    with pytest.raises(InputError, match=r"y must hold names|contains infinity"):
        partial_codes(y, ("x", "z"))
