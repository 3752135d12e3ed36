"""A stored search goes on bit for bit, and what is no search is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.errors import InputError, ReleaseError
from tacit.releases.file import Model, write_model
from tacit.situations.feedback.goals import ConstrainedScores
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search, tune
from tacit.situations.feedback.storage import read_search, search_from_arrays, search_to_arrays, write_search

START = np.linspace(-1, 1, 7) / 3
SEARCHES = {
    "random": RandomSearch(START, queries=55, sigma=0.1, random_state=3),
    "performance": PerformanceSearch(START, queries=55, sigma=0.1, batch=6, random_state=3),
    "constrained": PerformanceSearch(
        START, queries=55, sigma=0.1, batch=6, goal=ConstrainedScores(0.1), step=1 / 3, random_state=3
    ),
    "layerwise": LayerwiseSearch(START, queries=55, sigma=0.1, sizes=(3, 4), unit=2, random_state=3),
}
EVERY = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def scores(search: Search, rows: FloatArray) -> FloatArray:
    bumpy = np.sin(7 * rows).mean(axis=1) / 3 + 0.1
    return bumpy if search.goal.n_scores == 1 else np.column_stack([bumpy, np.abs(rows[:, 0]) / 4])


def state(search: Search) -> tuple[dict[str, Any], dict[str, Any]]:
    settings, arrays = search_to_arrays(search)
    return settings, {name: array.tolist() for name, array in arrays.items()}


@EVERY
def test_a_search_stored_after_every_batch_ends_as_one_that_was_not(search: Search, tmp_path: Path) -> None:
    whole = tune(search, lambda rows: scores(search, rows))
    stored = search
    while not stored.done:
        write_search(stored, tmp_path / "search.tacit")
        stored = read_search(tmp_path / "search.tacit")
        stored = stored.tell(scores(stored, stored.ask()))
    assert state(stored) == state(whole)


@EVERY
def test_settings_pass_through_json_and_arrays_apart(search: Search) -> None:
    halfway = search.tell(scores(search, search.ask()))
    settings, arrays = search_to_arrays(halfway)
    back = search_from_arrays(json.loads(json.dumps(settings)), arrays)
    assert type(back) is type(search)
    assert state(back) == state(halfway)
    assert back.ask().tolist() == halfway.ask().tolist()


def test_a_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_search(SEARCHES["random"], tmp_path / "search.tacit")
    assert (tmp_path / "search.tacit").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version"),
        ({"method": "magic"}, "method"),
        ({"colour": 1}, "colour"),
        ({"sizes": [3, 4]}, "sizes"),
        ({"goal": {"kind": "luck"}}, "goal"),
        ({"used": 56}, "used"),
        ({"queries": "many"}, "queries"),
    ],
)
def test_what_is_no_search_is_refused(change: dict[str, Any], message: str) -> None:
    settings, arrays = search_to_arrays(SEARCHES["performance"])
    with pytest.raises(InputError, match=message):
        search_from_arrays({**settings, **change}, arrays)


def test_a_setting_that_is_missing_is_refused() -> None:
    settings, arrays = search_to_arrays(SEARCHES["performance"])
    del settings["queries"]
    with pytest.raises(InputError, match="lacks a setting"):
        search_from_arrays(settings, arrays)


@pytest.mark.parametrize(
    "wrong", [{"best_query": np.zeros(3)}, {"best_scores": np.zeros(2)}, {"mean": np.zeros((7, 1))}]
)
def test_arrays_of_another_shape_are_refused(wrong: dict[str, Any]) -> None:
    search = SEARCHES["performance"]
    settings, arrays = search_to_arrays(search.tell(scores(search, search.ask())))
    with pytest.raises(InputError, match=next(iter(wrong))):
        search_from_arrays(settings, {**arrays, **wrong})


def test_another_model_is_no_search(tmp_path: Path) -> None:
    write_model(Model(kind="class_means", arrays={}, settings={}), tmp_path / "other.tacit")
    with pytest.raises(ReleaseError, match="must hold a search"):
        read_search(tmp_path / "other.tacit")
