"""The rows of a table: a method's mean and spread over runs, beside the published figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

# Figures of one run by method and metric.
Figures = dict[tuple[str, str], float]

# What a table of transfer tells apart: the receiver without the release; with no more of it than the public view that
# its schema brings; the release without the receiver's labels; and both together.
TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED = "target only", "in the public view", "release alone", "adopted"


@dataclass(frozen=True)
class Conditions:
    """What a table was measured under, in words, as it is printed below the table."""

    draws: str
    """Which seeds, and what they draw."""
    rows: str
    """How many rows were learned from and tested on."""
    delta: str
    """The delta of the promises, or why there is none."""
    chosen: str
    """On which rows or draws settings were chosen; test rows that decided something are named."""

    def to_text(self) -> str:
        """Return one sentence for each condition."""
        return f"Draws: {self.draws}. Rows: {self.rows}. Delta: {self.delta}. Settings: {self.chosen}."


@dataclass(frozen=True)
class ResultRow:
    """One line of a table: a method in a setting, its mean and spread over runs, and the published figure if any."""

    method: str
    setting: str
    metric: str
    mean: float
    std: float = 0.0
    runs: int = 1
    paper: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        return asdict(self)


def mean_row(
    method: str, setting: str, values: Sequence[float], *, metric: str = "accuracy", paper: float | None = None
) -> ResultRow:
    """Return the row of the values that one method reached in one run each."""
    return ResultRow(method, setting, metric, float(np.mean(values)), float(np.std(values)), len(values), paper)


def mean_rows(
    setting: str,
    runs: Sequence[Mapping[str, float]],
    *,
    metric: str = "accuracy",
    paper: Mapping[str, float | None] | None = None,
) -> Iterator[ResultRow]:
    """Yield a row for each method of ``runs``, in the order of the first; ``paper`` holds published figures."""
    published = paper or {}
    for method in runs[0]:
        values = [run[method] for run in runs]
        yield mean_row(method, setting, values, metric=metric, paper=published.get(method))


def metric_rows(setting: str, runs: Sequence[Figures]) -> Iterator[ResultRow]:
    """Yield a row for each method and metric of ``runs``, in the order of the first."""
    for method, metric in runs[0]:
        yield mean_row(method, setting, [run[method, metric] for run in runs], metric=metric)
