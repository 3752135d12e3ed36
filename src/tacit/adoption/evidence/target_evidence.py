"""What adopting did to predictions of a numeric target, by known values held out in turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.adoption.evidence.figures import Figure, optional_figure
from tacit.adoption.evidence.receiver_evidence import ReleasesEvidence, shown
from tacit.adoption.evidence.target_figures import TargetFigures


@dataclass(frozen=True)
class TargetReleaseFigures:
    """What is known of one release of a numeric target; see `ReleaseFigures`."""

    name: str
    trust: float
    used: float
    gain: Figure | None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        gain = None if self.gain is None else self.gain.to_dict()
        return {"name": self.name, "trust": self.trust, "used": self.used, "gain": gain, "note": self.note}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "TargetReleaseFigures":
        """Return the figures that ``to_dict`` wrote."""
        numbers = float(content["trust"]), float(content["used"])
        return cls(str(content["name"]), *numbers, optional_figure(content["gain"]), str(content["note"]))


@dataclass(frozen=True)
class TargetEvidence(ReleasesEvidence):
    """What adopting did to predictions of a numeric target, as far as known values can tell."""

    n_known: int
    n_unknown: int
    methods: tuple[TargetFigures, ...]
    """Empty where values are too few to show anything."""
    difference: Figure | None
    """Held-out squared error adopted minus alone, in parts of the values' variance: below 0 adopting helps."""
    releases: tuple[TargetReleaseFigures, ...]

    def _facts(self) -> list[tuple[str, str]]:
        return [("Known values", str(self.n_known)), ("Unknown values", str(self.n_unknown))]

    def _figures(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        rows = [(way.name, *map(shown, (way.r_squared, way.absolute_error, way.coverage))) for way in self.methods]
        return ("learned from", "R squared", "absolute error", "coverage"), rows

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "known": self.n_known,
            "unknown": self.n_unknown,
            "methods": [each.to_dict() for each in self.methods],
            "difference": None if self.difference is None else self.difference.to_dict(),
            "verdict": self.verdict,
            "releases": [each.to_dict() for each in self.releases],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "TargetEvidence":
        """Return the evidence that ``to_dict`` wrote."""
        return cls(
            n_known=int(content["known"]),
            n_unknown=int(content["unknown"]),
            methods=tuple(TargetFigures.from_dict(each) for each in content["methods"]),
            difference=optional_figure(content["difference"]),
            releases=tuple(TargetReleaseFigures.from_dict(each) for each in content["releases"]),
        )
