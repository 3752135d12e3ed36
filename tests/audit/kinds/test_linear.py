"""The audits of objective perturbation and of the classifiers built on it."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.game import Game
from tacit.audit.kinds.linear import (
    LEAN,
    PRIOR,
    ROWS,
    _addition_game,
    _fit_game,
    _mechanism_game,
    _neighbours,
    cases,
    classes_game,
)

GAMES = [_mechanism_game, _addition_game, classes_game]


@pytest.mark.parametrize("make_game", GAMES, ids=lambda game: game.__name__)
def test_halved_noise_is_caught_and_the_right_noise_passes(make_game: Callable[[int, float], Game]) -> None:
    assert not make_game(2, 0.5).play(4_000).passed
    assert make_game(2, 1.0).play(2_000).passed


def test_rows_scaled_by_the_tables_own_maximum_are_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control: rows scaled", seed=0) == []


def test_every_way_to_learn_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "replay", seed=0, least=5) == []


def test_the_rows_of_the_game_lie_opposite_each_other_on_the_wrong_side() -> None:
    np.testing.assert_allclose(np.linalg.norm(ROWS, axis=1), 1.0)
    assert (ROWS @ PRIOR[0] < -10).all()  # far on the wrong side: slopes of the loss are 1
    assert ROWS[0] @ ROWS[1] == pytest.approx(2 * LEAN**2 - 1)


def test_whole_fits_show_the_row_that_was_replaced() -> None:
    game = _fit_game(seed=1)
    first, second = game.first(40), game.second(40)
    assert first.mean() > second.mean()
    assert game.play(60).passed
    np.testing.assert_array_equal(_fit_game(seed=1).first(3), first[:3])


def test_the_neighbours_differ_in_one_row_and_its_label() -> None:
    (X, y), (other, labels) = _neighbours()
    assert (other != X).any(axis=1).sum() == 1
    assert (y != labels).sum() == 1
