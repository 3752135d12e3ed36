"""Who may ask a desk: names with tokens, of which only digests are kept."""

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
    """One who may ask: a name, the digest of the token, and how many answers in all."""

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
    """Return what is kept of a token.

    A token has 256 random bits, so there is nothing to guess: neither salt nor a slow digest would add anything.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def who(token: str, providers: Iterable[Provider]) -> Provider | None:
    """Return the provider whose token this is, in a time that tells nothing about the tokens."""
    given, found = token_digest(token), None
    for provider in providers:
        # Every provider is compared, also after a match: neither how much agrees nor whose it is shows in the time.
        if hmac.compare_digest(given, provider.token_digest):
            found = provider
    return found
