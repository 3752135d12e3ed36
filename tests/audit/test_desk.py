"""The audits of the owner's desk."""

from collections.abc import Callable

import pytest

from tacit.audit.desk import N_ROWS, QUERIES, _game, _replay, cases


def test_a_desk_that_charges_for_one_answer_of_eight_is_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control", seed=1) == []


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_a_run_of_noisy_answers_passes(delta: float) -> None:
    result = _game(delta, QUERIES, seed=1).play(4_000)
    assert result.passed


def test_neighbouring_scores_differ_by_one_record() -> None:
    game = _game(0.0, QUERIES, seed=1)
    moved = game.second(20_000).mean() - game.first(20_000).mean()
    assert moved == pytest.approx(1 / N_ROWS, abs=0.02)


def test_answers_of_a_real_desk_use_no_more_than_their_sensitivity() -> None:
    for seed in (1, None):
        result = _replay(seed)
        assert result.passed
        assert result.lower_bound == pytest.approx(result.claimed)  # the changed record uses all of it
    assert result.draws == QUERIES
