"""Adopt releases together with one's own table."""

from typing import Any

from tacit.interfaces.studio.folder import schema_name
from tacit.interfaces.studio.worker import Order
from tacit.workflows.adopt import adopt
from tacit.workflows.report import report


def run(order: Order) -> dict[str, Any]:
    """Learn from ``releases`` and ``table``, write the model, and its report beside the job."""
    arguments = order.arguments
    output, key = order.folder.file(arguments["output"]), arguments.get("key")
    adopted = adopt(
        [order.folder.existing(name) for name in arguments["releases"]],
        order.folder.existing(arguments["table"]),
        order.folder.existing(schema_name(arguments["table"])),
        rename=arguments.get("rename") or None,
        trusted_key=order.folder.existing(key) if key else None,
        output=output,
        progress=order.progress,
    )
    order.progress("writing its report")
    report(output, output=order.report)
    failing = [name for name, card in zip(arguments["releases"], adopted.model.cards, strict=True) if not card.holds]
    return {"file": output.name, "table": arguments["table"], "failing": failing}
