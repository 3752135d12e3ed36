"""The audits of private adoption."""

from collections.abc import Callable

import numpy as np

from tacit.audit.private_adoption import _game, cases, neighbours


def test_a_correction_uses_no_more_than_its_sensitivity(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "private correction, replay", seed=0) == []


def test_scores_made_with_the_receivers_rows_are_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control: scores centred", seed=0) == []


def test_whole_fits_keep_their_promise() -> None:
    assert _game(seed=1).play(40).passed


def test_the_neighbours_differ_in_one_row_and_its_label() -> None:
    (X, y), (other, labels) = neighbours()
    assert (other != X).any(axis=1).sum() == 1
    assert (y != labels).sum() == 1
    assert np.isin(y, (0, 1)).all()
