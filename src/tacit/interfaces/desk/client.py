"""A provider's HTTP client: a failed query is sent again, with growing pauses, under the same name."""

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
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0
LARGEST_ANSWER = 1 << 20


@dataclass
class DeskClient:
    """One connection to a desk, reused for all queries.

    Parameters
    ----------
    url : str
        Address of the desk: ``https://host:port`` or ``http://host:port``.
    token : str
        The token that the owner issued to this provider.
    timeout : float
        Seconds to wait for one answer.
    patience : float
        Seconds to go on trying when the desk is busy or does not answer.
    on_wait : callable
        Called before each pause with its reason and its length in seconds.
    """

    url: str
    token: str
    timeout: float = 30.0
    patience: float = 300.0
    on_wait: Callable[[str, float], None] = lambda _why, _seconds: None
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise InputError(f"desk must be an address such as https://desk.example:8765; got {self.url!r}.")
        if not self.token or not (self.token.isascii() and self.token.isprintable()):
            raise InputError("token must be the text that `tacit desk provider add` printed for this provider.")

    def fetch_terms(self) -> tuple[Architecture, dict[str, Any]]:
        """Return the architecture that the desk scores, and its whole answer: terms, provider, queries left."""
        answer = self._ask("GET", "/v1/desk", b"")
        try:
            return Architecture.from_dict(answer["terms"]["architecture"]), answer
        except (KeyError, TypeError) as problem:
            raise InputError(f"{self.url} does not answer like a desk.") from problem

    def score(self, name: str, body: bytes) -> float:
        """Return the score of the query ``name``; asking for it again is free of charge."""
        score = self._ask("POST", f"/v1/queries/{name}", body).get("score")
        if not isinstance(score, int | float):
            raise InputError(f"{self.url} does not answer like a desk.")
        return float(score)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        start, wait = time.monotonic(), FIRST_WAIT
        while True:
            status, retry_after, content = self._answer(method, path, body)
            if status == 200:
                return content
            message = _printable(content.get("error"))
            if status and status not in RETRIED:
                self.close()
                raise InputError(f"the desk at {self.url} refuses ({status}): {message}")
            if time.monotonic() - start > self.patience:
                self.close()
                raise InputError(f"the desk at {self.url} gave no answer for {self.patience:g} seconds: {message}")
            # Some hundred providers that lost the same desk should not all come back in the same moment.
            pause = max(retry_after, wait * check_random_state(None).uniform(0.5, 1.0))
            self.on_wait(message, pause)
            time.sleep(pause)
            wait = min(2 * wait, LONGEST_WAIT)

    def _answer(self, method: str, path: str, body: bytes) -> tuple[int, float, dict[str, Any]]:
        """Return status, seconds to wait and content; status 0 if nothing came back."""
        reused = self._connection is not None
        try:
            return self._exchange(method, path, body)
        except (OSError, http.client.HTTPException) as problem:
            self.close()
            # The server closes connections that were idle for long: the request is sent once more on a new one.
            return (
                self._answer(method, path, body)
                if reused
                else (0, 0.0, {"error": f"{type(problem).__name__}: {problem}"})
            )

    def _exchange(self, method: str, path: str, body: bytes) -> tuple[int, float, dict[str, Any]]:
        """Send one request and read its response; a broken connection raises."""
        parts = urlsplit(self.url)
        if self._connection is None:
            connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = connect(parts.hostname or "", parts.port, timeout=self.timeout)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/octet-stream"}
        self._connection.request(method, parts.path.rstrip("/") + path, body or None, headers)
        response = self._connection.getresponse()
        length, raw = response.length, response.read(LARGEST_ANSWER)
        if length is not None and len(raw) < length:
            # The desk died in the middle of its answer: a part of it could read as a whole one.
            raise http.client.IncompleteRead(raw, length - len(raw))
        return response.status, _seconds(response.headers.get("Retry-After")), _object(raw)


def is_exposed(url: str) -> bool:
    """Return whether a token sent to ``url`` can be read on its way."""
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


def _printable(message: Any) -> str:
    """Return a desk's message as one printable line: a terminal must not take it for a command."""
    text = message if isinstance(message, str) else "no reason given"
    return "".join(letter if letter.isprintable() else " " for letter in text)[:300]
