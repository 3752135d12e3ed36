"""What a spend came to, as ``--json`` prints it: the same figures that the command's words name."""

from pathlib import Path
from typing import Any

from tacit.privacy.card import Card
from tacit.privacy.ledger import Ledger


def spend_facts(card: Card, output: Path, account: Ledger | None) -> dict[str, Any]:
    """Return what was written, what it promises, and what the ledger has left."""
    return {
        "output": output,
        "bytes": output.stat().st_size,
        "title": card.title,
        "epsilon": card.epsilon,
        "delta": card.delta,
        "unit": card.unit,
        "relation": card.relation,
        "guarantee_holds": card.holds,
        "audits_passed": all(audit.passed for audit in card.audits),
        "ledger": None if account is None else balance(account, account.statement()),
    }


def balance(account: Ledger, statement: Any) -> dict[str, Any]:
    """Return budget, spent and left of a ledger by ``statement``, as it is or as it would be."""
    return {
        "path": account.path,
        "budget": account.budget.epsilon,
        "spent": statement.spent,
        "left": statement.left,
        "refused": None,
    }
