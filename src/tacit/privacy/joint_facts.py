"""Who made a release together, against which coalition it holds, and what each party's ledger was charged."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from tacit import checks
from tacit.errors import InputError
from tacit.files.plain_text import one_line
from tacit.privacy.spending import digits

JOINT = (
    "joint: each party holds its own rows and adds its share of the noise; what it sends is masked, and the aggregator "
    "learns noisy totals alone"
)


@dataclass(frozen=True)
class JointParty:
    """A party of a joint release: its name, public key, ledger, and the line and digest of its charge."""

    name: str
    key: str
    ledger: str
    line: int
    digest: str

    def __post_init__(self) -> None:
        for name in ("name", "key", "ledger", "digest"):
            one_line(name, getattr(self, name))
        checks.whole("line", self.line)

    def __str__(self) -> str:
        return f"{self.name}, key {self.key[:16]}: ledger {self.ledger}, line {self.line}, digest {self.digest}"


@dataclass(frozen=True)
class JointFacts:
    """What a card says of a joint release.

    Parameters
    ----------
    plan : str
        Digest of the plan that every party signed and charged.
    parties : tuple of JointParty
        Those who took part, each with the receipt of its charge.
    colluding : int
        How many of them the card's epsilon withstands together with the aggregator.
    minimum : int
        How many at least stand in every total.
    outside_epsilon : float
        What everyone learns who is neither a party nor the aggregator, if all took part.
    """

    plan: str
    parties: tuple[JointParty, ...]
    colluding: int
    minimum: int
    outside_epsilon: float

    def __post_init__(self) -> None:
        one_line("plan", self.plan)
        checks.whole("colluding", self.colluding)
        checks.whole("minimum", self.minimum)
        checks.positive("outside_epsilon", self.outside_epsilon)

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """Return the facts in ``content``; anything malformed is an InputError."""
        if not isinstance(content, Mapping) or not isinstance(content.get("parties"), list | tuple):
            raise InputError("the card's joint must be a table with a list of parties.")
        try:
            return cls(**{**content, "parties": tuple(JointParty(**each) for each in content["parties"])})
        except TypeError as problem:
            raise InputError(f"the card's joint is malformed: {problem}") from problem

    def receipt_of(self, ledger: str) -> dict[str, Any] | None:
        """Return the charge on the ledger with this identifier; of another ledger if none of the parties has it."""
        entries = [{"identifier": each.ledger, **asdict(each)} for each in self.parties]
        own = [entry for entry in entries if entry["identifier"] == ledger]
        return next(iter(own or entries), None)

    def __str__(self) -> str:
        return (
            f"{len(self.parties)} signed the plan {self.plan[:16]} and charged their ledgers first; at least "
            f"{self.minimum} stand in every total. The guarantee holds against the aggregator together with "
            f"{self.colluding} part{'ies' if self.colluding > 1 else 'y'}; for everyone else epsilon is "
            f"{digits(self.outside_epsilon, up=True)}"
        )
