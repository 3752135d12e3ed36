"""The audits of fabricated rows."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.fabricated_rows import BLOCK, CLUSTERED, _game, _printed_replay, cases


def test_clustering_raw_rows_is_caught(unexpected: Callable[..., list[str]]) -> None:
    for seed in (0, 1, None):
        assert unexpected(cases, "control", seed=seed) == []
    assert CLUSTERED >= 2 * BLOCK  # fewer rows would not be clustered at all


def test_every_method_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "replay", seed=0, least=3) == []


def test_the_game_shows_the_entry_that_differs() -> None:
    game = _game(seed=1)
    first, second = game.first(40), game.second(40)
    assert second.mean() > first.mean() + 0.1
    assert game.play(60).passed
    np.testing.assert_array_equal(_game(seed=1).first(3), first[:3])


def test_the_printed_algorithm_is_caught_by_what_it_hands_out() -> None:
    result = _printed_replay(0)
    # Its query moves no further than declared: it is the order of the rows that leaks.
    assert result.lower_bound == pytest.approx(0.7, abs=0.31)
    assert not result.passed
