"""What every task that speaks of a release has in its request: the table, the promise and the ledger."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.schemas.schema import Schema
from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.needs import NEEDS, Need
from tacit.interfaces.studio.worker import Order
from tacit.privacy.budget import Budget
from tacit.privacy.ledger import Ledger
from tacit.workflows.tables import Contribution, as_schema, contribution


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

    def planned(self) -> tuple[Schema, Budget, Contribution]:
        """Return the schema with its rules for bad records, the budget, and which rows of a person are read."""
        rules = as_schema(self.schema, self.settings["bad_records"])
        kept = contribution(
            rules,
            unit=self.settings["unit"],
            rows=self.settings["rows_per_person"],
            ledger=None if self.ledger is None else Ledger(self.ledger),
            random_state=self.settings["random_state"],
        )
        return rules, Budget(self.settings["epsilon"], self.settings["delta"], unit=kept.unit), kept
