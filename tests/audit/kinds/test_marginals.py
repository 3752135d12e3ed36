"""The audits of releases of tables."""

from collections.abc import Callable

import numpy as np

from tacit.audit.kinds.marginals import (
    DEEP_SCHEMA,
    FEW_SCHEMA,
    LINK_SCHEMA,
    _deep_tables,
    _few_rows,
    _game,
    _linked_tables,
    _measured,
    cases,
)
from tacit.audit.replay import QueryRecorder
from tacit.privacy.account import observed_by


def test_halved_noise_exact_zeros_and_a_forgotten_charge_are_caught(unexpected: Callable[..., list[str]]) -> None:
    for seed in (0, None):
        assert unexpected(cases, "control", seed=seed, least=4) == []


def test_releases_use_no_more_than_their_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "replay", seed=0, least=4) == []


def test_the_game_of_a_sound_release_is_not_lost(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "game", seed=1) == []


def test_the_game_sees_the_row() -> None:
    game = _game(seed=1)
    first, second = game.first(2000), game.second(2000)
    assert second.mean() - first.mean() > 4 * first.std() / np.sqrt(2000)


def test_the_deep_tables_ask_for_more_than_one_depth() -> None:
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        _measured(_deep_tables()[0], DEEP_SCHEMA, 0)
    assert len(recorder.queries) == 5  # three depths, label by cell, label by pair


def test_the_few_rows_ask_for_columns_in_place_of_pairs() -> None:
    assert _measured(_few_rows()[0], FEW_SCHEMA, 0).pairs == ()


def test_the_linked_tables_ask_for_a_link() -> None:
    assert _measured(_linked_tables()[0], LINK_SCHEMA, 0).links
    assert _measured(_linked_tables()[0], LINK_SCHEMA, None).links
