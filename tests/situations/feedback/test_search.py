"""The laws that every search keeps, and what each does on its own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.goals import ConstrainedScores, WeightedScores
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search, tune

START = np.array([0.5, -1.0, 2.0, 0.0, 1.0])


def random_search(**settings: Any) -> Search:
    return RandomSearch(START, **{"sigma": 0.3, "queries": 50, "random_state": 1, **settings})


def performance(**settings: Any) -> Search:
    return PerformanceSearch(START, **{"sigma": 0.3, "queries": 50, "random_state": 1, **settings})


def layerwise(**settings: Any) -> Search:
    given = {"sigma": 0.3, "queries": 50, "sizes": (2, 3), "unit": 4, "random_state": 1, **settings}
    return LayerwiseSearch(START, **given)


Make = Callable[..., Search]
EVERY = pytest.mark.parametrize("make", [random_search, performance, layerwise])


def bowl(rows: FloatArray) -> FloatArray:
    return np.asarray(-((rows - 0.3) ** 2).sum(axis=1))


@EVERY
@pytest.mark.parametrize("queries", [1, 2, 3, 7, 19, 20, 21, 50, 61])
def test_the_budget_is_never_overspent_and_hardly_left_over(make: Make, queries: int) -> None:
    asked = 0

    def count(rows: FloatArray) -> FloatArray:
        nonlocal asked
        asked += len(rows)
        return bowl(rows)

    found = tune(make(queries=queries), count)
    assert asked == found.used <= queries
    # A mirrored pair needs two queries, and beside a comparison three.
    assert found.left <= 2


@EVERY
def test_asking_again_gives_the_same_rows_and_costs_nothing(make: Make) -> None:
    search = make()
    assert search.ask().tolist() == search.ask().tolist() == make().ask().tolist()
    assert search.used == 0


@EVERY
def test_telling_leaves_the_old_search_as_it_was(make: Make) -> None:
    search = make()
    before = (search.mean.tolist(), search.used, search.ask().tolist())
    after = search.tell(bowl(search.ask()))
    assert (search.mean.tolist(), search.used, search.ask().tolist()) == before
    assert after.used == len(search.ask())
    assert after.ask().tolist() != search.ask().tolist()


@EVERY
def test_nobody_can_write_into_a_search(make: Make) -> None:
    search = make()
    for array in (search.mean, search.ask()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    start = START.copy()
    kept = PerformanceSearch(start, queries=4, sigma=1.0)
    start[0] = 99.0
    assert kept.mean[0] == START[0]


@EVERY
def test_constant_feedback_moves_nothing(make: Make) -> None:
    found = tune(make(), lambda rows: np.full(len(rows), 0.1))
    assert found.mean.tolist() == found.parameters.tolist() == START.tolist()


@EVERY
def test_a_seed_repeats_the_run_and_another_does_not(make: Make) -> None:
    runs = [tune(make(random_state=seed), bowl).parameters.tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@EVERY
def test_without_a_seed_one_is_drawn_and_kept(make: Make) -> None:
    search = make(random_state=None)
    assert search.ask().tolist() == search.ask().tolist()
    assert make(random_state=None).seed != search.seed


@EVERY
def test_the_best_query_is_the_best_of_all_rows_asked(make: Make) -> None:
    seen: list[tuple[float, list[float]]] = []

    def remember(rows: FloatArray) -> FloatArray:
        seen.extend(zip(bowl(rows).tolist(), rows.tolist(), strict=True))
        return bowl(rows)

    found = tune(make(), remember)
    assert found.best_scores is not None
    assert found.best_query is not None
    assert (found.best_scores[0], found.best_query.tolist()) == max(seen)


@EVERY
def test_a_search_climbs(make: Make) -> None:
    found = tune(make(queries=2000), bowl)
    assert bowl(found.parameters[None])[0] > bowl(START[None])[0] / 2


@EVERY
@pytest.mark.parametrize("scores", [[np.nan], [np.inf], [0.5], np.zeros((3, 2)), "ab", 1.0, [[0.5]]])
def test_scores_that_are_none_are_refused_before_anything_is_counted(make: Make, scores: Any) -> None:
    with pytest.raises(InputError, match="scores"):
        make().tell(scores)


@EVERY
def test_after_the_budget_there_is_nothing_to_tell(make: Make) -> None:
    found = tune(make(queries=6), bowl)
    assert len(found.ask()) == 0
    with pytest.raises(InputError, match="used up"):
        found.tell([0.5])


@EVERY
@pytest.mark.parametrize(
    "wrong",
    [
        {"queries": 0},
        {"queries": 2.5},
        {"sigma": 0},
        {"sigma": np.nan},
        {"random_state": -1},
        {"used": 51},
        {"turn": -1},
    ],
)
def test_settings_that_are_none_are_refused(make: Make, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        make(**wrong)


@pytest.mark.parametrize("start", [[], [[1.0]], [np.nan], 3.0, ["a"]])
def test_a_start_that_is_no_vector_is_refused(start: Any) -> None:
    with pytest.raises(InputError, match="mean"):
        PerformanceSearch(start, queries=4, sigma=1.0)


def test_several_scores_are_told_as_columns() -> None:
    def two(rows: FloatArray) -> FloatArray:
        return np.column_stack([1 / (1 - bowl(rows)), np.abs(rows[:, 0]) / (1 + np.abs(rows[:, 0]))])

    for goal in (WeightedScores((1.0, -1.0)), ConstrainedScores(0.1)):
        found = tune(performance(queries=1000, sigma=0.1, goal=goal), two)
        assert two(found.mean[None])[0, 1] < two(START[None])[0, 1]
        with pytest.raises(InputError, match="rows of 2"):
            performance(goal=goal).tell(np.zeros(20))


def test_the_watcher_sees_each_step() -> None:
    used: list[int] = []
    tune(performance(queries=50, batch=20), bowl, after=lambda search: used.append(search.used))
    assert used == [20, 40, 50]
