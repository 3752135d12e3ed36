"""The registry of reproducible tables: each name runs one experiment and yields its rows."""

import importlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from tacit.errors import InputError


@dataclass(frozen=True)
class Row:
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


@dataclass(frozen=True)
class Experiment:
    """A named table: what it shows, and the module whose ``rows()`` yields it."""

    name: str
    summary: str
    module: str

    def rows(self) -> Iterator[Row]:
        """Run the experiment and yield its rows as they are ready."""
        made: Iterator[Row] = importlib.import_module(self.module).rows()
        return made


EXPERIMENTS = (
    Experiment(
        "units",
        "what an entry-level promise means for a whole record, by the number of features",
        "tacit.evaluation.tables.units",
    ),
    Experiment(
        "class-means",
        "nearest class mean on MNIST from noisy sums, at record-level epsilons",
        "tacit.evaluation.tables.class_means",
    ),
    Experiment(
        "membership-mnist",
        "MNIST to MNIST with 100 labels, releases at entry and record level; [membership] Table 1",
        "tacit.evaluation.tables.membership_mnist",
    ),
    Experiment(
        "membership-usps",
        "MNIST to USPS with 100 labels, image shapes declared and not; [membership] Table 2",
        "tacit.evaluation.tables.membership_usps",
    ),
    Experiment(
        "hearts",
        "Cleveland releases at record level, Hungary adopts with 20 labels",
        "tacit.evaluation.tables.hearts",
    ),
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name; an unknown one is refused with the list of all."""
    for each in EXPERIMENTS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in EXPERIMENTS)
    raise InputError(f"NAME must be one of {known}; got {name!r}.")
