"""The audits of pair metrics, and of the printed algorithms."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.pair_metric import (
    BATCH,
    REPLAYED,
    _distant_pair,
    _flipped_label,
    _gradient_game,
    _labelled_pairs,
    _printed_game,
    _sums_game,
    cases,
)
from tacit.models.pair_metric.metric import PairMetric


@pytest.mark.parametrize("seed", [0, 1])
def test_both_printed_algorithms_are_caught(seed: int, unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control: printed", seed=seed, least=3) == []


def test_every_solver_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "replay", seed=0, least=len(REPLAYED) + 1) == []


def test_the_sound_games_pass_and_show_the_relationship() -> None:
    for game in (_sums_game(0), _gradient_game(0)):
        result = game.play(6_000)
        assert result.passed
        assert result.lower_bound > 0.1


def test_settings_of_the_replays_are_those_of_the_metric() -> None:
    pairs, signs = _labelled_pairs()
    assert pairs.shape == (40, 2, 3)
    assert set(signs.tolist()) == {-1.0, 1.0}
    for settings in REPLAYED.values():
        PairMetric(1.0, bounds=(0, 1), **settings)


def test_neighbouring_batches_differ_in_one_pair() -> None:
    (differences, similar), (same, flipped) = _flipped_label()
    np.testing.assert_array_equal(differences, same)
    assert (similar != flipped).sum() == 1
    (near, _), (far, _) = _distant_pair()
    assert (near != far).any(axis=1).sum() == 1
    assert len(near) == BATCH


def test_the_noise_of_the_reduced_algorithm_grows_with_the_data() -> None:
    game = _printed_game(0, reduced=True)
    assert np.median(game.second(200)) > 1.5 * np.median(game.first(200))
