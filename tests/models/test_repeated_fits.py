import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tacit import Budget, Ledger, PrivateNearestMean

X = np.random.default_rng(0).random((40, 2))
Y = np.arange(40) % 2


def model(**more: Any) -> PrivateNearestMean:
    return PrivateNearestMean(2.0, bounds=(0, 1), **more)


def warnings_of(search: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, Y)
    return [str(each.message) for each in caught if "no ledger" in str(each.message)]


def test_one_warning_says_how_often_and_how_much() -> None:
    (message,) = warnings_of(GridSearchCV(model(), {"epsilon": [0.5, 1.0]}, cv=4))
    assert "fitted 9 times" in message
    # Four folds with each of 0.5 and 1, and at most 1 for the last fit.
    assert "epsilon 7 in all" in message


def test_every_search_warns_anew_and_pipelines_are_seen_through() -> None:
    pipeline = make_pipeline(FunctionTransformer(), model())
    grid = {"privatenearestmean__row_norm": [0.5, 1.0]}
    for _ in range(2):
        (message,) = warnings_of(GridSearchCV(pipeline, grid, cv=2, refit=False))
        assert "fitted 4 times" in message
        assert "epsilon 8 in all" in message


def test_a_random_search_counts_its_draws() -> None:
    (message,) = warnings_of(RandomizedSearchCV(model(), {"row_norm": [0.5, 1.0, 2.0]}, n_iter=3, cv=2))
    assert "fitted 7 times" in message


def test_worker_processes_are_counted_by_the_last_fit() -> None:
    (message,) = warnings_of(GridSearchCV(model(), {"row_norm": [0.5, 1.0]}, cv=2, n_jobs=2))
    assert "fitted 5 times" in message


def test_a_ledger_and_a_fit_by_itself_warn_of_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "table.ledger", Budget(50, 1e-3, unit="record"))
    assert not warnings_of(GridSearchCV(model(ledger=ledger), {"row_norm": [0.5, 1.0]}, cv=2))
    assert not warnings_of(model())


@pytest.mark.parametrize("estimator", [model()])
def test_the_warning_is_an_error_where_the_reader_wants_it_so(estimator: Any) -> None:
    search = GridSearchCV(estimator, {"epsilon": [0.5]}, cv=2, error_score="raise")
    with pytest.raises(UserWarning, match="no ledger"):
        search.fit(X, Y)
