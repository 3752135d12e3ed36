"""What adopting did, by held-out labels: figures of each way to learn, differences, and what each release adds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.adoption.average.average import Average
from tacit.adoption.evidence.figures import (
    CalibrationBin,
    Figure,
    HeldOut,
    accuracy,
    area,
    calibration,
    log_loss,
    log_loss_difference,
    optional_figure,
)
from tacit.adoption.evidence.held_out import HeldOutMethods
from tacit.adoption.evidence.label_free import Agreement
from tacit.adoption.sources.source import Source
from tacit.arrays import Codes
from tacit.files.notebook_html import html_facts, html_rows

# Fewer labels, or fewer of the second commonest class, say nothing that could be shown.
LEAST_LABELS, LEAST_CLASS_LABELS = 10, 2
BETTER, WORSE, CANNOT_TELL = "better", "worse", "cannot tell"


@dataclass(frozen=True)
class MethodFigures:
    """How well one way to learn predicts held-out labels."""

    name: str
    """"majority", "alone", "releases" or "adopted"."""
    accuracy: Figure
    area: Figure | None
    """Under the ROC curve; None with too few pairs of rows."""
    log_loss: Figure
    calibration: tuple[CalibrationBin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            "accuracy": self.accuracy.to_dict(),
            "area": None if self.area is None else self.area.to_dict(),
            "log_loss": self.log_loss.to_dict(),
            "calibration": [each.to_dict() for each in self.calibration],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "MethodFigures":
        """Return the figures that ``to_dict`` wrote."""
        bins = tuple(CalibrationBin.from_dict(each) for each in content["calibration"])
        right, loss = Figure.from_dict(content["accuracy"]), Figure.from_dict(content["log_loss"])
        return cls(str(content["name"]), right, optional_figure(content["area"]), loss, bins)


@dataclass(frozen=True)
class ReleaseFigures:
    """What is known of one release."""

    name: str
    trust: float
    """Prior probability that its scores hold, by its card and their spread over the rows."""
    used: float
    reversed: float
    """The weight after the labels with which its scores are used, and of that the weight against the labels."""
    gain: Figure | None
    """Held-out log-loss without it minus with it: above 0 it helps. None where labels cannot say."""
    agreement: Agreement | None
    """Of two halves of it on the receiver's rows, without labels; None if it cannot be divided."""
    unknown_classes: tuple[str, ...]
    """Classes of the receiver that it does not know."""
    n_unusable: int
    """Rows of which it gives no finite scores."""
    note: str = ""
    """What the release and the table have in common."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            "trust": self.trust,
            "used": self.used,
            "reversed": self.reversed,
            "gain": None if self.gain is None else self.gain.to_dict(),
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
            "unknown_classes": list(self.unknown_classes),
            "unusable_rows": self.n_unusable,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "ReleaseFigures":
        """Return the figures that ``to_dict`` wrote."""
        halves = content["agreement"]
        return cls(
            name=str(content["name"]),
            trust=float(content["trust"]),
            used=float(content["used"]),
            reversed=float(content["reversed"]),
            gain=optional_figure(content["gain"]),
            agreement=None if halves is None else Agreement.from_dict(halves),
            unknown_classes=tuple(content["unknown_classes"]),
            n_unusable=int(content["unusable_rows"]),
            note=str(content["note"]),
        )


class ReleasesEvidence:
    """What evidence says of its releases, alike for classes and for a numeric target."""

    difference: Figure | None
    releases: tuple[Any, ...]

    @property
    def weights(self) -> tuple[float, ...]:
        """The probability of each release that it is used; 0 where it is ignored."""
        return tuple(release.used for release in self.releases)

    @property
    def notes(self) -> tuple[str, ...]:
        """What each release and the table have in common."""
        return tuple(release.note for release in self.releases)

    @property
    def verdict(self) -> str:
        """Whether adopting is "better" or "worse" than learning alone, or labels and values "cannot tell".

        They cannot where the interval of the losses' difference, adopted minus alone, holds 0.
        """
        if self.difference is None or self.difference.low <= 0 <= self.difference.high:
            return CANNOT_TELL
        return BETTER if self.difference.value < 0 else WORSE

    def _facts(self) -> list[tuple[str, str]]:
        """Return how many rows there were with and without what is to be predicted."""
        raise NotImplementedError

    def _figures(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headers and rows of the held-out figures of each way to learn."""
        raise NotImplementedError

    def _tables(self) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        yield self._figures()
        releases: list[tuple[str, ...]] = [
            (each.name, f"{each.trust:.2f}", f"{each.used:.2f}", shown(each.gain)) for each in self.releases
        ]
        yield ("release", "trust", "used", "gain"), releases

    def __str__(self) -> str:
        """Return the figures as a terminal shows them: out of fold, with 95 % intervals."""
        facts = "; ".join(f"{name.lower()}: {text}" for name, text in (*self._facts(), ("Verdict", self.verdict)))
        return "\n".join([facts, *(line for headers, rows in self._tables() for line in _aligned(headers, rows))])

    def _repr_html_(self) -> str:
        """Return the figures as a notebook shows them: out of fold, with 95 % intervals."""
        facts = html_facts("What adopting did", [*self._facts(), ("Verdict", self.verdict)])
        return facts + "".join(html_rows(headers, rows) for headers, rows in self._tables())


@dataclass(frozen=True)
class AdoptionEvidence(ReleasesEvidence):
    """What adopting did, as far as the receiver's labels can tell."""

    n_unlabelled: int
    classes: tuple[str, ...]
    labels: tuple[int, ...]
    """Number of labels of each class."""
    methods: tuple[MethodFigures, ...]
    """Empty where labels are too few to show anything."""
    difference: Figure | None
    """Held-out log-loss adopted minus alone: below 0 adopting helps."""
    releases: tuple[ReleaseFigures, ...]
    truth: tuple[int, ...] = ()
    alone: tuple[int, ...] = ()
    adopted: tuple[int, ...] = ()
    """Class codes of the labelled rows: true, and as predicted held out without and with the releases; empty where
    labels are too few."""

    @property
    def n_labelled(self) -> int:
        """The number of labels."""
        return sum(self.labels)

    @property
    def classes_without_labels(self) -> tuple[str, ...]:
        """Classes that only a release can tell."""
        return tuple(name for name, count in zip(self.classes, self.labels, strict=True) if not count)

    def _facts(self) -> list[tuple[str, str]]:
        return [("Labelled rows", str(self.n_labelled)), ("Unlabelled rows", str(self.n_unlabelled))]

    def _figures(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        rows = [(way.name, *map(shown, (way.accuracy, way.area, way.log_loss))) for way in self.methods]
        return ("learned from", "accuracy", "AUC", "log-loss"), rows

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "labelled": self.n_labelled,
            "unlabelled": self.n_unlabelled,
            "classes": list(self.classes),
            "labels": dict(zip(self.classes, self.labels, strict=True)),
            "classes_without_labels": list(self.classes_without_labels),
            "methods": [each.to_dict() for each in self.methods],
            "difference": None if self.difference is None else self.difference.to_dict(),
            "verdict": self.verdict,
            "releases": [each.to_dict() for each in self.releases],
            "truth": list(self.truth),
            "alone": list(self.alone),
            "adopted": list(self.adopted),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "AdoptionEvidence":
        """Return the evidence that ``to_dict`` wrote."""
        return cls(
            n_unlabelled=int(content["unlabelled"]),
            classes=tuple(content["classes"]),
            labels=tuple(int(content["labels"][name]) for name in content["classes"]),
            methods=tuple(MethodFigures.from_dict(each) for each in content["methods"]),
            difference=optional_figure(content["difference"]),
            releases=tuple(ReleaseFigures.from_dict(each) for each in content["releases"]),
            truth=tuple(content["truth"]),
            alone=tuple(content["alone"]),
            adopted=tuple(content["adopted"]),
        )


def labels_can_tell(codes: Codes) -> bool:
    """Whether labels are enough for held-out figures."""
    counts = np.sort(np.unique(codes, return_counts=True)[1])
    return len(codes) >= LEAST_LABELS and len(counts) > 1 and int(counts[-2]) >= LEAST_CLASS_LABELS


def method_figures(name: str, held_out: HeldOut, codes: Codes) -> MethodFigures:
    """Return the figures of one method."""
    return MethodFigures(
        name, accuracy(held_out, codes), area(held_out, codes), log_loss(held_out, codes), calibration(held_out, codes)
    )


def all_figures(methods: HeldOutMethods, releases: HeldOut | None, codes: Codes) -> tuple[MethodFigures, ...]:
    """Return the figures of the majority, of labels alone, of releases alone and of both."""
    named = [("majority", methods.majority), ("alone", methods.alone)]
    named += [] if releases is None else [("releases", releases)]
    named += [("adopted", methods.adopted)]
    return tuple(method_figures(name, held_out, codes) for name, held_out in named)


def release_gains(methods: HeldOutMethods | None, n_sources: int, codes: Codes) -> list[Figure | None]:
    """Return how much each release lowers the held-out log-loss of the rest."""
    if methods is None:
        return [None] * n_sources
    without = methods.without or (methods.alone,) * n_sources
    return [log_loss_difference(each, methods.adopted, codes) for each in without]


def release_figures(
    sources: Sequence[Source],
    average: Average[Any],
    *,
    trusts: Sequence[float],
    gains: Sequence[Figure | None],
    agreements: Sequence[Agreement | None],
    unknown: Sequence[tuple[str, ...]],
    unusable: Sequence[int],
) -> tuple[ReleaseFigures, ...]:
    """Return what is known of each release."""
    return tuple(
        ReleaseFigures(
            name=source.name,
            trust=trusts[place],
            used=float(average.used[place]),
            reversed=float(average.reversed[place]),
            gain=gains[place],
            agreement=agreements[place],
            unknown_classes=unknown[place],
            n_unusable=unusable[place],
            note=source.note,
        )
        for place, source in enumerate(sources)
    )


def shown(figure: Figure | None) -> str:
    """Return a figure with its interval in words."""
    return "labels cannot tell" if figure is None else f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def _aligned(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [headers, *rows] if rows else []
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
