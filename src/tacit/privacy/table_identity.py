"""Which table a ledger is for: a keyed fingerprint of its schema and of the name that its owner gave it."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.files.hash_chain import canonical, one_line

KEY_LENGTH = 32


@dataclass(frozen=True)
class TableIdentity:
    """What tells a private table from others: its public schema and its owner's name for it; never its rows.

    The rows may change from day to day and the file may move; releases of either still spend from one account.

    Parameters
    ----------
    schema : mapping
        The table's schema as JSON-ready data.
    name : str
        What the owner calls the table, one line: ``"patients of ward 7"``.
    """

    schema: Mapping[str, Any]
    name: str

    def fingerprint(self, key: bytes) -> str:
        """Return HMAC-SHA-256 of schema and name: without ``key`` nobody can try names against it."""
        text = canonical({"schema": dict(self.schema), "name": one_line("table name", self.name)})
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
