"""Who comes in: bearer tokens, compared in constant time with what the log knows."""

import hmac
import time

from tacit.situations.feedback.desk.log import Log
from tacit.situations.feedback.desk.providers import Provider, token_digest, who

# Seconds for which the list of providers is kept: a new one waits no longer, a revoked one asks no longer.
KEPT = 1.0
LONGEST_TOKEN = 200


class Door:
    """Knows providers by their tokens, and the owner by the key that this start of the desk printed."""

    def __init__(self, log: Log, owner_key: str) -> None:
        self._log, self._owner = log, token_digest(owner_key)
        self._providers: list[Provider] = []
        self._read = -KEPT

    def provider(self, header: str | None) -> Provider | None:
        """Return whose token the ``Authorization`` header bears, None if nobody's."""
        token = _bearer(header)
        if time.monotonic() - self._read > KEPT:
            with self._log.reading() as view:
                self._providers = view.providers()
            self._read = time.monotonic()
        return None if token is None else who(token, self._providers)

    def is_owner(self, header: str | None) -> bool:
        """Whether the header bears the owner's key."""
        token = _bearer(header)
        return token is not None and hmac.compare_digest(token_digest(token), self._owner)


def _bearer(header: str | None) -> str | None:
    scheme, _, token = (header or "").partition(" ")
    return token if scheme.lower() == "bearer" and 0 < len(token) <= LONGEST_TOKEN else None
