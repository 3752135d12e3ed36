"""The audits of a party of a federation."""

from collections.abc import Callable

from tacit.audit.kinds.noisy_rows import _replay, cases


def test_a_party_that_answers_from_its_own_rows_is_caught(unexpected: Callable[..., list[str]]) -> None:
    assert unexpected(cases, "control", seed=0) == []
    assert not _replay(0, private=False).passed


def test_noisy_rows_and_their_distances_give_nothing_else_away(unexpected: Callable[..., list[str]]) -> None:
    for seed in (0, None):
        assert unexpected(cases, "replay", seed=seed) == []
    result = _replay(0, private=True)
    # The category of one row changed as far as it can: the replay used the whole sensitivity.
    assert 0.9 < result.lower_bound / result.claimed <= 1.0
