"""What adopting did on the receiver's own labelled rows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from operator import eq
from typing import Any


@dataclass(frozen=True)
class Evidence:
    """What adopting did on the receiver's own labelled rows, by models that did not learn them."""

    n_labelled: int
    n_unlabelled: int
    classes: tuple[str, ...]
    weights: tuple[float, ...]
    """Of each release; 0 where it was ignored."""
    notes: tuple[str, ...]
    """What each release and the table have in common."""
    view: str
    """In which view that came with a release the rows are learned; empty if none."""
    truth: tuple[int, ...]
    target_only: tuple[int, ...]
    view_only: tuple[int, ...]
    adopted: tuple[int, ...]
    """Class codes of the labelled rows: true, and as predicted without any release, with no more of the releases than
    their view, and with the releases. Empty where too few labels could tell."""
    agreements: tuple[tuple[float, float] | None, ...] = ()
    """Without labels, of each release: the share of rows of which parts with independent noise name the same class, and
    what it would be by chance; None if it cannot be divided."""
    shares: tuple[float, ...] = ()
    """Without labels, how common the classes were taken to be."""

    def __str__(self) -> str:
        """Return how many labelled rows were told rightly by models that did not learn them."""
        ways = {"alone": self.target_only, "in the view": self.view_only, "adopted": self.adopted}
        rights = [
            f"{name} {sum(map(eq, self.truth, codes))} of {len(codes)} right" for name, codes in ways.items() if codes
        ]
        return "; ".join([f"labelled rows: {self.n_labelled}", f"unlabelled rows: {self.n_unlabelled}", *rights])

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Evidence":
        """Return the evidence that ``to_dict`` wrote."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
        }
        return cls(**values)
