"""What a release is worth on stand-in rows that were held out: one figure for each thing that can be handed out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from tacit.adoption.tables.target_transfer import TargetTransfer
from tacit.arrays import Codes, FloatArray, Rows
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.pair_metric.teach import metric_between
from tacit.kinds.registry import kind_for
from tacit.pages.displays import unlabelled_accuracy
from tacit.privacy.budget import Unit
from tacit.releases.file import Release
from tacit.workflows.fabricate import fabricate
from tacit.workflows.release import release


@dataclass(frozen=True)
class Simulation:
    """Stand-in rows in two parts, and what would be handed out of the first."""

    owner: Encoded
    receiver: Encoded
    schema: Schema
    delta: float
    method: str | None

    def release(self, epsilon: float, seed: int) -> Release:
        """Return what the owner would hand out; seeded, as these rows are not private."""
        units = kind_for(self.method, self.schema).units
        unit = None if Unit.RECORD in units else units[0]  # None: as the schema says
        promise: dict[str, Any] = {"epsilon": epsilon, "delta": self.delta, "unit": unit, "method": self.method}
        return release(self.owner, self.schema, random_state=seed, audit=False, **promise)


@dataclass(frozen=True)
class StandInMeasure:
    """What a figure is, what it is compared with, and how one draw of the noise is measured."""

    name: str
    """"accuracy", "explained", "trained" or "neighbours"."""
    says: str
    """What the figure says, and of whom."""
    compared: str
    """What reaches the baseline."""
    axis: str
    """What a picture writes beside the figures."""
    baseline: Callable[["Simulation"], float]
    draw: Callable[["Simulation", float, int], float]


def measure_of(schema: Schema, method: str | None, *, fabricated: bool = False) -> StandInMeasure:
    """Return how a release by ``method`` of a table with ``schema``, or its ``fabricated`` rows, is measured."""
    if fabricated:
        schema.require_classes()
        return TRAINED
    if "metric" in kind_for(method, schema).teaches:
        schema.require_classes()
        return NEIGHBOURS
    if schema.target is not None:
        return EXPLAINED
    schema.require_classes()
    return ACCURACY


def commonest(simulation: Simulation) -> float:
    """Return the share of the commonest class among the held-out rows."""
    codes = simulation.receiver.y
    return float(np.bincount(codes).max() / len(codes))


def _accuracy(simulation: Simulation, epsilon: float, seed: int) -> float:
    release = simulation.release(epsilon, seed)
    return unlabelled_accuracy(release, simulation.receiver.X, simulation.receiver.y, simulation.schema)


def _explained(simulation: Simulation, epsilon: float, seed: int) -> float:
    """Return R² of a receiver who knows no value; NaN where the release says no more than chance."""
    truth = simulation.receiver.outcomes
    try:
        model = TargetTransfer([simulation.release(epsilon, seed)], schema=simulation.schema, evidence=False)
        means = model.fit(simulation.receiver.X, np.full(len(truth), np.nan)).predict(simulation.receiver.X)
    except InputError:
        return float("nan")
    return explained(truth, means)


def explained(truth: FloatArray, means: FloatArray) -> float:
    """Return R² of ``means``: below 0 where the mean of ``truth`` alone is closer; 0 of a target that is constant."""
    spread = float(((truth - truth.mean()) ** 2).sum())
    return 1 - float(((truth - means) ** 2).sum()) / spread if spread else 0.0


def _trained(simulation: Simulation, epsilon: float, seed: int) -> float:
    """Return the share of held-out rows that a logistic regression learned from fabricated rows alone has right."""
    rows = fabricate(
        simulation.owner, simulation.schema, epsilon=epsilon, delta=simulation.delta, random_state=seed, audit=False
    )
    if len(np.unique(rows.y)) < 2:
        return float("nan")
    model = LogisticRegression(max_iter=500).fit(rows.X, rows.y)
    return float((model.predict(simulation.receiver.X) == simulation.receiver.y).mean())


def _neighbours(simulation: Simulation, epsilon: float, seed: int) -> float:
    metric, _ = metric_between(simulation.release(epsilon, seed), simulation.schema)
    return alike_neighbours(simulation.receiver.X @ metric.T, simulation.receiver.y)


def alike_neighbours(X: Rows, codes: Codes) -> float:
    """Return for how many of the rows ``X`` the nearest other row has the same class."""
    _, places = NearestNeighbors(n_neighbors=1).fit(X).kneighbors()
    return float((codes[places[:, 0]] == codes).mean())


ACCURACY = StandInMeasure(
    "accuracy",
    "right without any label of the receiver",
    "the commonest class alone",
    "accuracy",
    commonest,
    _accuracy,
)
EXPLAINED = StandInMeasure(
    "explained",
    "of the target's variance explained without any value of the receiver",
    "the mean alone",
    "R²",
    lambda simulation: 0.0,  # noqa: ARG005 - the mean explains nothing of any table
    _explained,
)
TRAINED = StandInMeasure(
    "trained",
    "right by a model that learned from fabricated rows alone",
    "the commonest class alone",
    "accuracy",
    commonest,
    _trained,
)
NEIGHBOURS = StandInMeasure(
    "neighbours",
    "of the rows nearest to one of their class in the released distance",
    "the plain distance of the columns",
    "share of rows",
    lambda simulation: alike_neighbours(simulation.receiver.X, simulation.receiver.y),
    _neighbours,
)
