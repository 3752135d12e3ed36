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
        arguments = order.arguments
        need = NEEDS[arguments["need"]]
        settings = {
            "epsilon": arguments["epsilon"],
            "delta": arguments["delta"],
            "unit": need.unit or arguments.get("unit") or None,
            "rows_per_person": arguments.get("rows_per_person"),
            "bad_records": arguments.get("bad_records") or None,
            "random_state": arguments.get("seed"),
        }
        table = order.folder.existing(arguments["table"])
        schema = order.folder.existing(schema_name(arguments["table"]))
        ledger = order.folder.existing(arguments["ledger"]) if arguments.get("ledger") else None
        return cls(table, schema, need, settings, ledger)

    def terms(self) -> OwnerTerms:
        """Return the terms on which the release is planned and made; nothing is charged."""
        return owner_terms(self.schema, ledger=self.ledger, person=None, facts=None, **self.settings)
