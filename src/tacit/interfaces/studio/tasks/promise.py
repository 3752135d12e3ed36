"""What every task that speaks of a release has in its request: the table, the promise and the ledger."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.needs import NEEDS, Need
from tacit.interfaces.studio.worker import Order
from tacit.workflows.release import OwnerTerms, owner_terms


@dataclass(frozen=True)
class Promise:
    """A release that was asked for, with its arguments in the words of the workflows."""

    table: Path
    schema: Path
    need: Need
    settings: dict[str, Any]
    ledger: Path | None

    @classmethod
    def of(cls, order: Order) -> "Promise":
        """Return the promise that the request of ``order`` describes."""
        given = order.arguments
        need = NEEDS[given["need"]]
        settings = {
            "epsilon": given["epsilon"],
            "delta": given["delta"],
            "unit": need.unit or given.get("unit") or None,
            "rows_per_person": given.get("rows_per_person"),
            "bad_records": given.get("bad_records") or None,
            "random_state": given.get("seed"),
        }
        table = order.folder.existing(given["table"])
        schema = order.folder.existing(schema_name(given["table"]))
        ledger = order.folder.existing(given["ledger"]) if given.get("ledger") else None
        return cls(table, schema, need, settings, ledger)

    def terms(self) -> OwnerTerms:
        """Return the terms on which the release is planned and made; nothing is charged."""
        return owner_terms(self.schema, ledger=self.ledger, person=None, facts=None, **self.settings)
