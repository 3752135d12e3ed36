"""Make a release, or fabricate a table: charged, drawn and written by the workflow that the command line calls too."""

from typing import Any

from tacit.interfaces.studio.guarantee_words import guarantee_facts
from tacit.interfaces.studio.tasks.promise import Promise
from tacit.interfaces.studio.worker import Order
from tacit.kinds.registry import kind_of
from tacit.releases.sidecar import open_release, release_path
from tacit.workflows.fabricate import fabricate
from tacit.workflows.release import release
from tacit.workflows.report import report


def run(order: Order) -> dict[str, Any]:
    """Make what was asked for, and write its report beside the job."""
    promise = Promise.of(order)
    output = order.folder.file(order.arguments["output"])
    settings = {
        **promise.settings,
        "ledger": promise.ledger,
        "facts": order.arguments.get("facts"),
        "output": output,
        "progress": order.progress,
    }
    fabricated = promise.need.workflow == "fabricate"
    if fabricated:
        fabricate(promise.table, promise.schema, **settings)
    else:
        release(promise.table, promise.schema, method=promise.need.method, **settings)
    order.progress("writing its report")
    report(output, output=order.report)
    opened = open_release(output)
    files = [output.name, release_path(output).name] if fabricated else [output.name]
    quality = "" if fabricated else kind_of(opened).quality_words(opened)
    facts = {**guarantee_facts(opened.card), "contradicted": contradicted(opened)}
    return {"file": output.name, "files": files, "quality": quality, **facts}


def contradicted(opened: Any) -> bool:
    """Return whether an audit on the card contradicts it."""
    return any(not audit.passed for audit in opened.card.audits)
