"""Adopt releases together with one's own table."""

from typing import Any

from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.worker import Order
from tacit.workflows.adopt import adopt
from tacit.workflows.report import report


def run(order: Order) -> dict[str, Any]:
    """Learn from ``releases`` and ``table``, write the model, and its report beside the job."""
    given = order.arguments
    output, key = order.folder.file(given["output"]), given.get("key")
    adopted = adopt(
        [order.folder.existing(name) for name in given["releases"]],
        order.folder.existing(given["table"]),
        order.folder.existing(schema_name(given["table"])),
        rename=given.get("rename") or None,
        trusted_key=order.folder.existing(key) if key else None,
        output=output,
        progress=order.progress,
    )
    order.progress("writing its report")
    report(output, output=order.report)
    failing = [name for name, card in zip(given["releases"], adopted.model.cards, strict=True) if not card.holds]
    return {"file": output.name, "table": given["table"], "failing": failing}
