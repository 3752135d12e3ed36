"""What everyone may ask a ledger without opening its file."""

from pathlib import Path

from tacit.privacy.budget import Budget
from tacit.privacy.ledger_records import Charter


class LedgerFacts:
    """Where a ledger is, and what was fixed when it was made."""

    _path: Path
    _charter: Charter

    @property
    def path(self) -> Path:
        """Where the ledger is, in full."""
        return self._path

    @property
    def budget(self) -> Budget:
        """What may be spent in all."""
        return self._charter.budget

    @property
    def name(self) -> str:
        """What the owner calls the data set."""
        return self._charter.name

    @property
    def identifier(self) -> str:
        """A random name that no other ledger has."""
        return self._charter.identifier

    @property
    def created(self) -> str:
        """When the ledger was made (UTC)."""
        return self._charter.created

    @property
    def relation_assumed(self) -> bool:
        """Whether the ledger is of a format that did not state its relation."""
        return self._charter.relation_assumed
