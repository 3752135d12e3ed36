"""Layerwise search: layers in turn, then by importance."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.situations.feedback.estimates import layer_probabilities
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.search import Search

START = np.array([0.5, -1.0, 2.0, 0.0, 1.0])


def layerwise(**settings: Any) -> Search:
    given = {"sigma": 0.3, "queries": 50, "sizes": (2, 3), "unit": 4, "random_state": 1, **settings}
    return LayerwiseSearch(START, **given)


def bowl(rows: FloatArray) -> FloatArray:
    return np.asarray(-((rows - 0.3) ** 2).sum(axis=1))


def test_layers_take_turns_and_others_stay() -> None:
    search = layerwise(queries=500)
    for layer, columns in ((0, slice(0, 2)), (1, slice(2, 5))):
        rows = search.ask()
        assert isinstance(search, LayerwiseSearch)
        assert search.layer == layer
        assert len(rows) == 5
        assert rows[0].tolist() == search.mean.tolist()
        moved = np.flatnonzero(np.ptp(rows, axis=0))
        assert moved.tolist() == list(range(5))[columns]
        search = search.tell(bowl(rows))


def test_a_layer_gains_importance_by_what_its_update_gained() -> None:
    search = layerwise(queries=500, reliance=10.0)
    means = []
    for _ in range(3):
        means.append(search.mean)
        search = search.tell(bowl(search.ask()))
    gains = np.maximum(0, np.diff(bowl(np.array(means))))
    assert isinstance(search, LayerwiseSearch)
    assert search.importance is not None
    assert_allclose(search.importance, 10 * gains)
    assert gains.max() > 0


def test_as_printed_a_layer_gains_importance_by_its_candidates() -> None:
    """[feedback] eq. 5.12: the mean score of the candidates that perturb a layer, less that of the mean before."""
    search = layerwise(queries=500, reliance=10.0, judged="candidates")

    def valley(rows: FloatArray) -> FloatArray:
        """Return a score that is least at the start: any perturbation of either layer is a gain."""
        return -bowl(rows - START + 0.3)

    gains = []
    for _ in range(2):
        rows = search.ask()
        gains.append(float(np.mean(valley(rows[1:])) - valley(rows[:1])[0]))
        search = search.tell(valley(rows))
    assert isinstance(search, LayerwiseSearch)
    assert search.importance is not None
    assert gains[0] > 0
    assert_allclose(search.importance, 10 * np.maximum(gains, 0))


def test_as_printed_a_linear_score_tells_nothing_about_a_layer() -> None:
    """Mirrored candidates cancel: the update gains, and eq. 5.12 sees nothing of it."""

    def linear(rows: FloatArray) -> FloatArray:
        return np.asarray(rows[:, 0] - 2 * rows[:, 3])

    printed, ours = (layerwise(queries=500, judged=judged) for judged in ("candidates", "update"))
    for _ in range(3):
        printed, ours = (search.tell(linear(search.ask())) for search in (printed, ours))
    assert isinstance(printed, LayerwiseSearch)
    assert isinstance(ours, LayerwiseSearch)
    assert printed.importance is not None
    assert ours.importance is not None
    assert_allclose(printed.importance, 0, atol=1e-9)
    assert ours.importance.min() > 1


def test_a_base_chance_is_kept_for_every_layer() -> None:
    certain = np.array([0.0, 50.0])
    drawn = np.zeros(2)
    for seed in range(300):
        search: Any = layerwise(
            queries=10_000, place=3, importance=certain, base_chance=0.5, random_state=seed, batch=40
        )
        drawn[search.layer] += 1
    assert_allclose(drawn / 300, [0.25, 0.75], atol=0.08)
    assert_allclose(layer_probabilities(certain, 0.5), [0.25, 0.75])
    assert_allclose(layer_probabilities(certain, 1.0), [0.5, 0.5])


def test_settings_of_the_printed_form_are_checked() -> None:
    with pytest.raises(InputError, match="judged"):
        layerwise(judged="hope")
    with pytest.raises(InputError, match="base_chance"):
        layerwise(base_chance=1.5)


def test_after_the_comparisons_layers_are_drawn_by_importance() -> None:
    drawn = np.zeros(2)
    for seed in range(300):
        search: Any = layerwise(queries=10_000, place=3, importance=np.array([0.0, 1.0]), random_state=seed, batch=40)
        assert len(search.ask()) == 4  # no comparison within the second stage
        drawn[search.layer] += 1
    assert_allclose(drawn / 300, layer_probabilities(np.array([0.0, 1.0])), atol=0.1)


def test_a_layer_that_counts_gets_more_queries() -> None:
    spent = np.zeros(2)
    search: Any = layerwise(queries=600, sigma=0.1)
    while not search.done:
        spent[search.layer] += len(search.ask())
        search = search.tell(-np.abs(search.ask()[:, 0]))  # the second layer is of no effect
    assert spent[0] > 1.2 * spent[1]


def test_an_iteration_fits_its_batch() -> None:
    search: Any = layerwise(queries=10_000, batch=23)
    spent = 0
    places: list[int] = []
    while not places or search.place:
        places.append(search.place)
        spent += len(search.ask())
        search = search.tell(bowl(search.ask()))
    assert places == [0, 1, 2, 3, 4]
    assert spent == 5 * 4 + 3 <= 23


@pytest.mark.parametrize(
    "wrong",
    [{"sizes": (2, 2)}, {"sizes": (5, 0)}, {"unit": 3}, {"batch": 14}, {"reliance": 0}, {"step": -1}, {"place": 99}],
)
def test_layers_that_do_not_fit_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        layerwise(**wrong)
