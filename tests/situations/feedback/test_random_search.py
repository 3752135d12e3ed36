"""Random search: the best of independent perturbations."""

from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search, tune

START = np.array([0.5, -1.0, 2.0, 0.0, 1.0])


def random_search(**settings: Any) -> Search:
    return RandomSearch(START, **{"sigma": 0.3, "queries": 50, "random_state": 1, **settings})


def bowl(rows: FloatArray) -> FloatArray:
    return np.asarray(-((rows - 0.3) ** 2).sum(axis=1))


def test_random_search_begins_with_the_start_and_never_falls_below_it() -> None:
    search = random_search()
    assert search.ask()[0].tolist() == START.tolist()
    worse = tune(search, lambda rows: -np.abs(rows - START).sum(axis=1))
    assert worse.parameters.tolist() == START.tolist()


def test_the_batch_of_random_search_changes_nothing() -> None:
    assert (
        tune(random_search(batch=1), bowl).parameters.tolist()
        == tune(random_search(batch=50), bowl).parameters.tolist()
    )
