"""The nodes of one run: which took part, and which were excluded and why."""

from dataclasses import dataclass, replace
from typing import Any

from tacit.interfaces.flower import messages


@dataclass(frozen=True)
class Participant:
    """One node in one run; ``exclusion`` says why it does not count, and is empty for a node that does."""

    node: int
    name: str = ""
    epsilon_spent: float | None = None
    exclusion: str = ""


class Participants:
    """The nodes of a run; a node that fails once is excluded from then on.

    Parameters
    ----------
    nodes : list of int
        Nodes that were connected when the run began.
    """

    def __init__(self, nodes: list[int]) -> None:
        self._participants = {node: Participant(node) for node in nodes}

    @property
    def active(self) -> list[int]:
        """The nodes that have not failed."""
        return [node for node, participant in self._participants.items() if not participant.exclusion]

    def exclude(self, node: int, why: str) -> None:
        """Record that ``node`` does not count, and why."""
        self._participants[node] = replace(self._participants[node], exclusion=" ".join(why.split())[:500])

    def record(self, node: int, facts: dict[str, Any]) -> None:
        """Record what ``node`` reports: its name, and the epsilon charged to its ledger."""
        participant = self._participants[node]
        spent = facts.get("spent", participant.epsilon_spent)
        number = float(spent) if isinstance(spent, int | float) else None
        name = str(facts.get("name", participant.name))[:100]
        self._participants[node] = replace(participant, name=name, epsilon_spent=number)

    def to_list(self) -> list[dict[str, Any]]:
        """Return JSON-ready data, one entry a node."""
        return [
            {
                "node": str(participant.node),  # a 64-bit number, which JSON readers would round
                "name": participant.name,
                "status": "left out" if participant.exclusion else messages.ANSWERED,
                "why": participant.exclusion,
                "epsilon_spent": participant.epsilon_spent,
            }
            for participant in self._participants.values()
        ]
