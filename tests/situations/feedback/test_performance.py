"""Performance-guided search: the printed step, in mirrored pairs."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.estimates import default_step, normalised
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import Search

START = np.array([0.5, -1.0, 2.0, 0.0, 1.0])


def performance(**settings: Any) -> Search:
    return PerformanceSearch(START, **{"sigma": 0.3, "queries": 50, "random_state": 1, **settings})


def bowl(rows: FloatArray) -> FloatArray:
    return np.asarray(-((rows - 0.3) ** 2).sum(axis=1))


@pytest.mark.parametrize("batch", [0, 1, 3, 2.0])
def test_pairs_need_an_even_batch(batch: Any) -> None:
    with pytest.raises(InputError, match="batch"):
        performance(batch=batch)


def test_a_batch_of_pps_takes_the_printed_step() -> None:
    search = performance(batch=8)
    rows = search.ask()
    directions = (rows - START) / 0.3
    assert_allclose(directions, -directions[::-1], atol=1e-12)
    expected = START + default_step(0.3, 8) / (0.3 * 8) * directions.T @ normalised(bowl(rows))
    assert_allclose(search.tell(bowl(rows)).mean, expected, rtol=1e-12)


def test_a_given_step_is_used() -> None:
    default, twice = performance(batch=4), performance(batch=4, step=2 * default_step(0.3, 4))
    moves = [search.tell(bowl(search.ask())).mean - START for search in (default, twice)]
    assert_allclose(moves[1], 2 * moves[0], rtol=1e-12)


def test_the_last_batch_is_cut_to_pairs_and_steps_by_its_own_size() -> None:
    search = performance(queries=27, batch=20)
    search = search.tell(bowl(search.ask()))
    rows = search.ask()
    assert len(rows) == 6
    directions = (rows - search.mean) / 0.3
    expected = search.mean + default_step(0.3, 6) / (0.3 * 6) * directions.T @ normalised(bowl(rows))
    assert_allclose(search.tell(bowl(rows)).mean, expected, rtol=1e-12)
