"""Who took part in a run, and who was left out and why."""

from dataclasses import dataclass, replace
from typing import Any

from tacit.interfaces.flower import task


@dataclass(frozen=True)
class Attendance:
    """One node in one run: ``left_out`` says why it does not count, and is empty for one that does."""

    node: int
    name: str = ""
    epsilon_spent: float | None = None
    left_out: str = ""


class Roll:
    """The nodes of a run; whoever fails once is left out from then on.

    Parameters
    ----------
    nodes : list of int
        Those that were there when the run began.
    """

    def __init__(self, nodes: list[int]) -> None:
        self._seen = {node: Attendance(node) for node in nodes}

    @property
    def present(self) -> list[int]:
        """The nodes that have not failed."""
        return [node for node, each in self._seen.items() if not each.left_out]

    def leave_out(self, node: int, why: str) -> None:
        """Write down that ``node`` does not count, and why."""
        self._seen[node] = replace(self._seen[node], left_out=" ".join(why.split())[:500])

    def note(self, node: int, facts: dict[str, Any]) -> None:
        """Write down what ``node`` said of itself: its name, and what its ledger has been charged."""
        known = self._seen[node]
        spent = facts.get("spent", known.epsilon_spent)
        number = float(spent) if isinstance(spent, int | float) else None
        self._seen[node] = replace(known, name=str(facts.get("name", known.name))[:100], epsilon_spent=number)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the roll as JSON-ready data."""
        return [
            {
                "node": str(each.node),  # a 64-bit number, which JSON readers would round
                "name": each.name,
                "status": "left out" if each.left_out else task.ANSWERED,
                "why": each.left_out,
                "epsilon_spent": each.epsilon_spent,
            }
            for each in self._seen.values()
        ]
