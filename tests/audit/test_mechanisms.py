"""The audits of the mechanisms themselves, with fewer draws than the command takes."""

from collections.abc import Callable

import pytest

from tacit.audit.mechanisms import _own_maximum_replay, _spread_game, _unsplit_game, cases


def test_every_broken_mechanism_is_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control", seed=1, least=4) == []


@pytest.mark.parametrize("name", ["laplace", "gaussian", "duchi", "randomized response", "norm gamma"])
def test_a_sound_mechanism_passes_and_comes_near_its_claim(name: str) -> None:
    (case,) = [case for case in cases(1) if case.name == name]
    result = case.run()
    assert result.passed
    assert result.lower_bound > 0.5


def test_every_mechanism_of_the_privacy_layer_is_played() -> None:
    names = " ".join(case.name for case in cases(0) if not case.control)
    for name in ("laplace", "gaussian", "entry noise", "staircase", "norm gamma", "duchi", "randomized", "exponential"):
        assert name in names


def test_a_change_in_one_of_four_coordinates_costs_the_whole_epsilon_and_no_more() -> None:
    result = _spread_game(0).play(10_000)
    assert result.passed
    assert result.lower_bound > 0.6


def test_an_epsilon_spent_on_each_row_adds_up() -> None:
    assert not _unsplit_game(0).play(4_000).passed
    # With one row there is nothing to split.
    assert _unsplit_game(0, rows=1).play(4_000).passed


def test_noise_scaled_by_the_largest_row_is_caught_without_statistics() -> None:
    result = _own_maximum_replay(0)
    assert not result.passed
    assert result.draws == 1
