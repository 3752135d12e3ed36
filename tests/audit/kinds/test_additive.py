"""The audits of additive releases catch each broken stage."""

from collections.abc import Callable

import numpy as np
import pytest

from tacit.audit.kinds.additive import SCHEMA, cases, neighbour, table


def test_the_neighbour_has_one_row_more() -> None:
    for n_classes in (2, 3):
        (X, y), (more, labels) = table(n_classes), neighbour(n_classes)
        np.testing.assert_array_equal(more[:-1], X)
        np.testing.assert_array_equal(labels[:-1], y)
        assert X.shape[1] == len(SCHEMA.encoded_names)


def test_there_is_a_broken_twin_of_each_stage() -> None:
    controls = [case.name for case in cases(0) if case.control]
    assert len(controls) == 7
    for stage in (
        "counts halved",
        "gradients halved",
        "not shortened",
        "bins",
        "check",
        "pairs halved",
        "pairs chosen",
    ):
        assert any(stage in name for name in controls), stage


@pytest.mark.parametrize("seed", [1, 2])
def test_broken_twins_are_caught_and_sound_releases_pass(unexpected: Callable[..., list[str]], seed: int) -> None:
    assert unexpected(cases, "control", seed=seed, least=5) == []
    assert unexpected(cases, "game", seed=seed, least=2) == []
    assert unexpected(cases, "replay", seed=seed, least=2) == []


def test_replays_use_the_whole_declared_sensitivity() -> None:
    replayed = [case.run() for case in cases(0) if "replay" in case.name]
    assert all(0.99 < result.lower_bound <= 1 for result in replayed)
