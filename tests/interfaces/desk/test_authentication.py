"""Tokens in the ``Authorization`` header: whose they are, and how soon a change of providers counts."""

from pathlib import Path

import pytest

from tacit.interfaces.desk import authentication
from tacit.interfaces.desk.authentication import Authenticator
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, token_digest


@pytest.fixture
def log(tmp_path: Path) -> DeskLog:
    log = DeskLog(tmp_path / "x.desk")
    with log.writing() as transaction:
        transaction.add(Provider("ann", token_digest("token-of-ann"), 10))
        transaction.add(Provider("ben", token_digest("token-of-ben"), 10))
    return log


def test_a_token_names_its_provider_and_nothing_else_does(log: DeskLog) -> None:
    authenticator = Authenticator(log, "key")
    provider = authenticator.provider("Bearer token-of-ben")
    assert provider is not None
    assert provider.name == "ben"
    assert authenticator.provider("bearer token-of-ann") is not None  # schemes are compared without their case
    for header in (None, "", "Bearer", "Bearer ", "token-of-ann", "Basic token-of-ann", "Bearer token-of-an"):
        assert authenticator.provider(header) is None
    assert authenticator.provider("Bearer key") is None


def test_the_owners_key_is_no_token_and_a_token_is_no_key(log: DeskLog) -> None:
    authenticator = Authenticator(log, "key")
    assert authenticator.is_owner("Bearer key")
    for header in (None, "", "key", "Bearer token-of-ann", "Bearer " + "x" * 201):
        assert not authenticator.is_owner(header)


def test_a_revoked_token_is_refused_once_the_list_is_read_again(log: DeskLog, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("tacit.interfaces.desk.authentication.time.monotonic", lambda: clock[0])
    authenticator = Authenticator(log, "key")
    assert authenticator.provider("Bearer token-of-ann") is not None
    with log.writing() as transaction:
        transaction.revoke("ann")
    assert authenticator.provider("Bearer token-of-ann") is not None
    clock[0] += authentication.PROVIDERS_AGE + 0.01
    assert authenticator.provider("Bearer token-of-ann") is None
    assert authenticator.provider("Bearer token-of-ben") is not None
