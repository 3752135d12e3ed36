"""The audits of noisy class means."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.class_means import ROW_NORM, _game, _neighbours, cases
from tacit.models.class_moments.features import count_weight

Unexpected = Callable[..., list[str]]


def test_the_statistic_moves_by_the_whole_squared_sensitivity() -> None:
    game = _game(100.0, seed=1)
    moved = game.second(60).mean() - game.first(60).mean()
    # A row in the corner adds 2 to the sum of its class and the weight of one count.
    assert moved == pytest.approx(2 + count_weight(ROW_NORM), abs=0.3)


def test_too_little_noise_is_caught_and_the_right_noise_passes(unexpected: Unexpected) -> None:
    assert unexpected(cases, "control", seed=3) == []
    assert unexpected(cases, "replay", seed=3) == []
    assert _game(4.0, seed=3).play(100).passed


def test_a_seed_repeats_a_game_and_draws_differ_within_it() -> None:
    first, again = (_game(1.0, seed=5).first(4) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert len(set(first.tolist())) == 4


def test_the_neighbours_differ_in_one_row() -> None:
    (X, y), (more, labels) = _neighbours()
    np.testing.assert_array_equal(more[:-1], X)
    np.testing.assert_array_equal(labels[:-1], y)
    assert len(more) == len(X) + 1
    assert np.linalg.norm(more[-1]) == pytest.approx(ROW_NORM)
