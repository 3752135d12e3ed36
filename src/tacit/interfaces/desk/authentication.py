"""Bearer tokens of providers and of the owner, compared in constant time with their stored digests."""

import hmac
import time

from tacit.situations.feedback.desk.log import DeskLog
from tacit.situations.feedback.desk.providers import Provider, find_provider, token_digest

# Seconds after which the list of providers is read again: the longest delay of an addition or a revocation.
PROVIDERS_AGE = 1.0
LONGEST_TOKEN = 200


class Authenticator:
    """Identifies providers by their tokens, and the owner by the key that this start of the desk printed."""

    def __init__(self, log: DeskLog, owner_key: str) -> None:
        self._log, self._owner_digest = log, token_digest(owner_key)
        self._providers: list[Provider] = []
        self._read_at = -PROVIDERS_AGE

    def provider(self, header: str | None) -> Provider | None:
        """Return the provider whose token is in the ``Authorization`` header, None if it is no provider's."""
        token = _bearer_token(header)
        if time.monotonic() - self._read_at > PROVIDERS_AGE:
            with self._log.reading() as transaction:
                self._providers = transaction.providers()
            self._read_at = time.monotonic()
        return None if token is None else find_provider(token, self._providers)

    def is_owner(self, header: str | None) -> bool:
        """Return whether the header holds the owner's key."""
        token = _bearer_token(header)
        return token is not None and hmac.compare_digest(token_digest(token), self._owner_digest)


def _bearer_token(header: str | None) -> str | None:
    scheme, _, token = (header or "").partition(" ")
    return token if scheme.lower() == "bearer" and 0 < len(token) <= LONGEST_TOKEN else None
