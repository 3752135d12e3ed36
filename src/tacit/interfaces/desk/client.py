"""A provider's side of the wire: asks politely, again if need be, always under the same name."""

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sklearn.utils import check_random_state

from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture

# Statuses after which the same query may be asked again.
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0
LARGEST_ANSWER = 1 << 20


@dataclass
class DeskClient:
    """One connection to a desk, kept while it lasts.

    Parameters
    ----------
    url : str
        Where the desk is: ``https://host:port`` or ``http://host:port``.
    token : str
        What its owner gave to this provider.
    timeout : float
        Seconds to wait for one answer.
    patience : float
        Seconds to go on trying when the desk is busy or away.
    said : callable
        Told about each wait: the reason and the seconds.
    """

    url: str
    token: str
    timeout: float = 30.0
    patience: float = 300.0
    said: Callable[[str, float], None] = lambda _why, _seconds: None
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise InputError(f"desk must be an address such as https://desk.example:8765; got {self.url!r}.")
        if not self.token or not (self.token.isascii() and self.token.isprintable()):
            raise InputError("token must be the text that `tacit desk provider add` printed for this provider.")

    def offer(self) -> tuple[Architecture, dict[str, Any]]:
        """Return the architecture that the desk scores, and everything that it says about itself."""
        answer = self._ask("GET", "/v1/desk", b"")
        try:
            return Architecture.from_dict(answer["terms"]["architecture"]), answer
        except (KeyError, TypeError) as problem:
            raise InputError(f"{self.url} does not answer like a desk.") from problem

    def score(self, name: str, body: bytes) -> float:
        """Return the score of the query ``name``; asking again is free."""
        score = self._ask("POST", f"/v1/queries/{name}", body).get("score")
        if not isinstance(score, int | float):
            raise InputError(f"{self.url} does not answer like a desk.")
        return float(score)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        begun, wait = time.monotonic(), FIRST_WAIT
        while True:
            status, retry_after, content = self._answer(method, path, body)
            if status == 200:
                return content
            words = _plain(content.get("error"))
            if status and status not in AGAIN:
                self.close()
                raise InputError(f"the desk at {self.url} refuses ({status}): {words}")
            if time.monotonic() - begun > self.patience:
                self.close()
                raise InputError(f"the desk at {self.url} gave no answer for {self.patience:g} seconds: {words}")
            # Some hundred providers that lost the same desk should not all come back in the same moment.
            pause = max(retry_after, wait * check_random_state(None).uniform(0.5, 1.0))
            self.said(words, pause)
            time.sleep(pause)
            wait = min(2 * wait, LONGEST_WAIT)

    def _answer(self, method: str, path: str, body: bytes) -> tuple[int, float, dict[str, Any]]:
        """Return status, seconds to wait and content; status 0 if nothing came back."""
        kept = self._connection is not None
        try:
            return self._once(method, path, body)
        except (OSError, http.client.HTTPException) as problem:
            self.close()
            # A connection that was idle for long may have been closed from the other side: that is no trouble.
            return (
                self._answer(method, path, body)
                if kept
                else (0, 0.0, {"error": f"{type(problem).__name__}: {problem}"})
            )

    def _once(self, method: str, path: str, body: bytes) -> tuple[int, float, dict[str, Any]]:
        parts = urlsplit(self.url)
        if self._connection is None:
            made = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = made(parts.hostname or "", parts.port, timeout=self.timeout)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/octet-stream"}
        self._connection.request(method, parts.path.rstrip("/") + path, body or None, headers)
        answer = self._connection.getresponse()
        promised, raw = answer.length, answer.read(LARGEST_ANSWER)
        if promised is not None and len(raw) < promised:
            # The desk died in the middle of its answer: what came is not what it says.
            raise http.client.IncompleteRead(raw, promised - len(raw))
        return answer.status, _seconds(answer.headers.get("Retry-After")), _object(raw)


def is_exposed(url: str) -> bool:
    """Whether a token sent to ``url`` can be read on its way."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}


def _seconds(header: str | None) -> float:
    return min(float(header), LONGEST_WAIT) if header is not None and header.isdecimal() else 0.0


def _object(raw: bytes) -> dict[str, Any]:
    try:
        content = json.loads(raw)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _plain(words: Any) -> str:
    """Return what a desk said as one printable line: a terminal must not take it for a command."""
    text = words if isinstance(words, str) else "no reason given"
    return "".join(each if each.isprintable() else " " for each in text)[:300]
