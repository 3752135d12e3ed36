"""Audit a release or a card: the distinguishing game on each of its mechanisms."""

from typing import Any

from tacit.audit.card_audit import CardAudit, audit_card
from tacit.interfaces.studio.card_files import read_card_file
from tacit.interfaces.studio.worker import Order
from tacit.workflows.audit import audit


def run(order: Order) -> dict[str, Any]:
    """Return what the games found."""
    path = order.folder.existing(order.arguments["file"])
    if path.suffix == ".json":
        return {"file": path.name, **figures(audit_card(read_card_file(path), progress=order.progress))}
    return {"file": path.name, **figures(audit(path, progress=order.progress))}


def figures(outcome: CardAudit) -> dict[str, Any]:
    """Return an audit in plain values."""
    results = [
        {
            "what": each.what,
            "claimed": f"{each.claimed:.3g}",
            "bound": f"{each.lower_bound:.3f}",
            "draws": each.draws,
            "passed": bool(each.passed),
        }
        for each in outcome.results
    ]
    claims = {
        "claimed": f"{outcome.claimed:.6g}",
        "recomputed": f"{outcome.recomputed:.6g}",
        "adds_up": outcome.adds_up,
    }
    return {**claims, "understated": list(outcome.understated), "passed": outcome.passed, "results": results}
