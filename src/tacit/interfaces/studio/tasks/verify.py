"""Compare a release with a ledger: whether its charge stands there, and the chain is whole."""

from typing import Any

from tacit.interfaces.studio.worker import Order
from tacit.privacy.ledger import Ledger
from tacit.releases.receipts import verify_against


def run(order: Order) -> dict[str, Any]:
    """Return how many lines the ledger has, after checking that the charge of ``file`` is one of them."""
    path, account = (order.folder.existing(order.arguments[name]) for name in ("file", "account"))
    ledger = Ledger(account)
    order.progress("checking every line of the ledger")
    lines = verify_against(ledger, [path])
    return {"file": path.name, "ledger": account.name, "lines": len(lines), "budget": str(ledger.budget)}
