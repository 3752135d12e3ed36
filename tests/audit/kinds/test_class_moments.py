"""The games on whole transfer releases look where neighbours differ most."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.class_moments import ENTRIES, _entry_game, _record_game, cases
from tacit.models.class_moments.features import count_weight


def test_the_record_statistic_moves_by_the_whole_squared_sensitivity() -> None:
    game = _record_game(100.0, seed=1)
    moved = game.second(40).mean() - game.first(40).mean()
    # A corner of the cube has features of length 1; its count weighs a half.
    assert moved == pytest.approx(1 + count_weight(1.0) ** 2, abs=0.25)


@pytest.mark.parametrize("changed", [1, ENTRIES])
def test_the_entry_statistic_is_the_changed_entries_themselves(changed: int) -> None:
    game = _entry_game(changed, 100.0, seed=1)
    assert np.median(game.first(9)) == pytest.approx(0, abs=0.3)
    assert np.median(game.second(9)) == pytest.approx(changed, abs=0.3)


def test_a_seed_repeats_a_game_and_draws_differ_within_it() -> None:
    first, again = (_entry_game(1, 1.0, seed=5).first(6) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert len(set(first.tolist())) > 1


def test_there_are_games_and_controls_at_both_levels() -> None:
    names = {case.name: case.control for case in cases(0)}
    assert sum("game" in name for name in names) == 2
    assert sum(names.values()) == 2


def test_broken_releases_are_caught_and_sound_ones_pass(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control", seed=2, least=2) == []
    assert unexpected(cases, "replay", seed=2, least=2) == []
