"""Linear models as vectors and their scores, against scikit-learn one model at a time."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier

from tacit.errors import InputError
from tacit.situations.feedback import linear
from tacit.situations.feedback.linear import LinearScorer, linear_codes, linear_vector, with_vector
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import tune

X, Y = load_iris(return_X_y=True)
MODELS = [
    LogisticRegression(max_iter=500),
    LogisticRegression(max_iter=500, fit_intercept=False),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_many_candidates_score_as_each_model_does(model: Any, classes: int) -> None:
    kept = np.isin(Y, range(classes))
    rows, codes = X[kept], Y[kept]
    fitted = model.fit(rows, codes)
    vector = linear_vector(fitted)
    candidates = vector + np.random.default_rng(0).standard_normal((9, len(vector)))
    scores = LinearScorer(rows, accuracy(codes))(candidates)
    expected = [with_vector(fitted, candidate).score(rows, codes) for candidate in candidates]
    assert_array_equal(scores, expected)
    assert LinearScorer(rows, accuracy(codes))(vector[None])[0] == fitted.score(rows, codes)


def test_a_copy_gets_the_vector_and_the_model_keeps_its_own() -> None:
    fitted = LogisticRegression(max_iter=500).fit(X, Y)
    vector = linear_vector(fitted)
    assert_array_equal(linear_vector(with_vector(fitted, vector + 1)), vector + 1)
    assert_array_equal(linear_vector(fitted), vector)
    with pytest.raises(InputError, match="15 parameters"):
        with_vector(fitted, vector[:-1])


def test_blocks_of_candidates_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = np.random.default_rng(0).standard_normal((11, 15))
    whole = linear_codes(X, candidates)
    monkeypatch.setattr(linear, "MOST_OUTPUTS", 40 * 3 * 4)
    monkeypatch.setattr(linear, "MOST_CANDIDATES", 4)
    monkeypatch.setattr(linear, "FEWEST_ROWS", 7)
    assert_array_equal(linear_codes(X, candidates), whole)
    assert linear_codes(X, candidates[:0]).shape == (0, 150)


def test_parameters_that_make_no_layer_are_refused() -> None:
    with pytest.raises(InputError, match="got 14 parameters"):
        linear_codes(X, np.zeros((2, 14)))
    with pytest.raises(InputError, match="X must have rows"):
        LinearScorer([], accuracy([0]))


def test_a_model_is_tuned_to_rows_it_never_saw() -> None:
    data, codes = load_breast_cancer(return_X_y=True)
    data = (data - data.mean(axis=0)) / data.std(axis=0)
    fitted = LogisticRegression(C=0.01).fit(data[:40], codes[:40])
    fitted.intercept_ = fitted.intercept_ - 1.0  # a shift that scores can repair
    score = LinearScorer(data[40:], accuracy(codes[40:]))
    start = linear_vector(fitted)
    found = tune(PerformanceSearch(start, queries=200, sigma=0.1, batch=10, random_state=0), score)
    assert score(found.mean[None])[0] > score(start[None])[0] + 0.05
