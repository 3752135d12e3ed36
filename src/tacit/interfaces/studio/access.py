"""Who may use the studio: one-time tokens, sessions that lock when idle, and the password of a studio on a network."""

import hashlib
import hmac
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tacit.situations.feedback.desk.providers import new_token, token_digest

IDLE_SECONDS = 30 * 60.0
LONGEST_SECRET = 1000
# A password may be tried this often a minute, by everybody together.
MOST_ATTEMPTS = 10
_SCRYPT = {"n": 2**14, "r": 8, "p": 1}


@dataclass(frozen=True)
class Password:
    """A password as its salted scrypt digest."""

    salt: bytes
    digest: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> "Password":
        """Return the digest of ``text`` under a fresh salt."""
        salt = os.urandom(16)
        return cls(salt, hashlib.scrypt(text.encode(), salt=salt, **_SCRYPT))

    def matches(self, text: str) -> bool:
        """Return whether ``text`` is the password, compared in constant time."""
        if len(text) > LONGEST_SECRET:
            return False
        digest = hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=self.salt, **_SCRYPT)
        return hmac.compare_digest(digest, self.digest)


class Access:
    """The sessions of a studio.

    A token opens one session and is then worth nothing. A session locks after ``idle_seconds`` without a request of its
    user; a new token is then announced to the terminal, or the password is asked for.
    """

    def __init__(
        self,
        announce: Callable[[str], None],
        *,
        password: Password | None = None,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.password = password
        self._announce, self._idle_seconds, self._clock = announce, idle_seconds, clock
        self._token = ""
        self._sessions: dict[str, float] = {}
        self._attempts: list[float] = []

    def announce_token(self) -> None:
        """Tell the terminal a new token; the one before is void."""
        token = new_token()
        self._token = token_digest(token)
        self._announce(token)

    def enter(self, token: str) -> str | None:
        """Return the key of a new session if ``token`` is the one that was announced last, and void it."""
        right = len(token) <= LONGEST_SECRET and hmac.compare_digest(token_digest(token), self._token)
        if not right:
            return None
        self._token = ""
        return self._open()

    def log_in(self, text: str) -> str | None:
        """Return the key of a new session if ``text`` is the password and it was not tried too often."""
        now = self._clock()
        self._attempts = [each for each in self._attempts if now - each < 60]
        if self.password is None or len(self._attempts) >= MOST_ATTEMPTS:
            return None
        self._attempts.append(now)
        return self._open() if self.password.matches(text) else None

    def is_open(self, key: str, *, by_user: bool = True) -> bool:
        """Return whether ``key`` opens a session; a request ``by_user`` keeps it from locking."""
        digest, now = token_digest(key), self._clock()
        last_use = self._sessions.get(digest)
        if last_use is None:
            return False
        if now - last_use > self._idle_seconds:
            self._lock(digest)
            return False
        if by_user:
            self._sessions[digest] = now
        return True

    def lock(self, key: str) -> None:
        """End the session of ``key``."""
        if token_digest(key) in self._sessions:
            self._lock(token_digest(key))

    def _lock(self, digest: str) -> None:
        del self._sessions[digest]
        if self.password is None:
            self.announce_token()

    def _open(self) -> str:
        key = new_token()
        self._sessions[token_digest(key)] = self._clock()
        return key
