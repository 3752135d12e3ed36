"""Tokens, sessions and passwords, with a clock that the test moves."""

import pytest

from tacit.interfaces.studio.access import MOST_ATTEMPTS, Access, Password


class Clock:
    """A clock that stands still."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_token_opens_one_session_and_a_new_one_voids_it(clock: Clock) -> None:
    tokens: list[str] = []
    access = Access(tokens.append, clock=clock)
    assert access.enter("") is None
    access.announce_token()
    access.announce_token()
    assert access.enter(tokens[0]) is None
    key = access.enter(tokens[1])
    assert key is not None
    assert access.is_open(key)
    assert access.enter(tokens[1]) is None
    assert not access.is_open(tokens[1])
    assert access.enter("x" * 5000) is None


def test_a_session_locks_when_idle_and_passive_requests_do_not_keep_it_open(clock: Clock) -> None:
    tokens: list[str] = []
    access = Access(tokens.append, idle_seconds=10, clock=clock)
    access.announce_token()
    key = access.enter(tokens[0]) or ""
    for moment in (8.0, 16.0, 24.0):
        clock.now = moment
        assert access.is_open(key)
    clock.now = 30.0
    assert access.is_open(key, by_user=False)
    clock.now = 34.1
    assert not access.is_open(key)
    assert len(tokens) == 2
    assert access.enter(tokens[1]) is not None


def test_a_password_is_tried_a_few_times_a_minute(clock: Clock) -> None:
    tokens: list[str] = []
    access = Access(tokens.append, password=Password.of("the right one"), clock=clock)
    assert [access.log_in(f"wrong {place}") for place in range(MOST_ATTEMPTS)] == [None] * MOST_ATTEMPTS
    assert access.log_in("the right one") is None
    clock.now = 61.0
    key = access.log_in("the right one")
    assert key is not None
    access.lock(key)
    assert not access.is_open(key)
    assert tokens == []


def test_a_password_is_kept_as_a_salted_digest() -> None:
    one, other = Password.of("the same"), Password.of("the same")
    assert one.digest != other.digest
    assert one.matches("the same")
    assert not one.matches("the other")
    assert not one.matches("x" * 5000)
    assert "digest" not in repr(one)
