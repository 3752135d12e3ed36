"""The providers of a desk: names, numbers of queries, and tokens, of which only digests are stored."""

import base64
import hashlib
import hmac
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tacit import checks
from tacit.errors import InputError

TOKEN_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Provider:
    """A client of the desk: its name, the digest of its token, and the number of its queries."""

    name: str
    token_digest: str
    queries: int

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError("a provider's name must be 1 to 64 letters, digits, dots, dashes and underscores.")
        checks.whole("queries", self.queries)


def new_token() -> str:
    """Return 256 random bits from the operating system as text."""
    return base64.urlsafe_b64encode(os.urandom(TOKEN_BYTES)).rstrip(b"=").decode()


def token_digest(token: str) -> str:
    """Return the SHA-256 of a token, which is all that is stored of it.

    A token has 256 random bits, so there is nothing to guess: neither salt nor a slow digest would add anything.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def find_provider(token: str, providers: Iterable[Provider]) -> Provider | None:
    """Return the provider whose token this is, None if there is none, in a time that does not depend on the tokens."""
    digest, match = token_digest(token), None
    for provider in providers:
        # Every provider is compared, also after a match: the time shows neither how much agrees nor whose token it is.
        if hmac.compare_digest(digest, provider.token_digest):
            match = provider
    return match
