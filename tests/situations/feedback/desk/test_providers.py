"""The providers of a desk and their tokens."""

from pathlib import Path

import pytest

from tacit.errors import InputError
from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, find_provider, new_token, token_digest


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "x.desk"
    with DeskLog(path).writing() as transaction:
        transaction.add(Provider("ann", token_digest("a"), 30))
        transaction.add(Provider("ben", token_digest("b"), 5))
    return path


def test_tokens_are_kept_as_digests_and_revoked_ones_open_nothing(log: Path) -> None:
    token = new_token()
    with DeskLog(log).writing() as transaction:
        transaction.add(Provider("eve", token_digest(token), 3))
    assert token.encode() not in log.read_bytes()
    assert log.stat().st_mode & 0o077 == 0
    with DeskLog(log).writing() as transaction:
        found = find_provider(token, transaction.providers())
        assert found is not None
        assert found.name == "eve"
        assert find_provider(token[:-1], transaction.providers()) is None
        transaction.revoke("eve")
        assert find_provider(token, transaction.providers()) is None
        with pytest.raises(InputError, match="no provider"):
            transaction.revoke("nobody")
    assert len({new_token() for _ in range(100)}) == 100
