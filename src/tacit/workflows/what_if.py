"""What epsilon buys, before anything is spent: releases simulated on rows that are not private."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from tacit import checks
from tacit.arrays import FloatArray
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.files.atomic import require_output
from tacit.files.regular import FilePath
from tacit.pages.displays import PrivacyAccuracyDisplay
from tacit.privacy.budget import DEFAULT_DELTA
from tacit.workflows.stand_in_figures import Simulation, StandInMeasure, measure_of
from tacit.workflows.tables import Progress, Table, as_schema, encoded_rows, no_progress

EPSILONS = (0.1, 0.3, 1.0, 3.0)
LEAST_ROWS = 40


@dataclass(frozen=True)
class SimulatedEpsilon:
    """What releases of one epsilon reach on held-out stand-in rows, over several draws of the noise.

    ``figures`` holds NaN for a draw whose release says no more than chance, and would be refused.
    """

    epsilon: float
    figures: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the draws that are not refused; NaN if all are."""
        kept = [each for each in self.figures if not np.isnan(each)]
        return float(np.mean(kept)) if kept else float("nan")

    @property
    def refused(self) -> int:
        """How many draws would be refused."""
        return int(np.isnan(self.figures).sum())


@dataclass(frozen=True)
class WhatIf:
    """What each epsilon buys a receiver, and what is reached without the release."""

    n_rows: int
    measure: StandInMeasure
    """What the figures are."""
    baseline: float
    epsilons: tuple[SimulatedEpsilon, ...]

    def display(self) -> PrivacyAccuracyDisplay:
        """Return the means as a picture."""
        figures: FloatArray = np.array([(each.epsilon, each.mean) for each in self.epsilons])
        measure = self.measure
        words = {"says": measure.says, "compared": measure.compared, "axis": measure.axis}
        return PrivacyAccuracyDisplay(figures[:, 0], figures[:, 1], self.baseline, **words)


def what_if(
    stand_ins: Table,
    schema: Schema | FilePath,
    *,
    epsilons: Sequence[float] = EPSILONS,
    delta: float = DEFAULT_DELTA,
    method: str | None = None,
    fabricated: bool = False,
    draws: int = 5,
    picture: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> WhatIf:
    """Return what each epsilon would buy, simulated on ``stand_ins``; nothing is charged.

    **Give rows that are public or fabricated, never the private table:** the figures are exact, and choosing epsilon by
    them on private rows would give those away. Three quarters of the rows are released, the others judge: by the share
    of rows that a receiver without labels has right, of a numeric target by R² without known values, of pairs by how
    often the nearest row has the same class, of fabricated rows by a model that learns from them alone.

    Parameters
    ----------
    stand_ins : path, DataFrame or Encoded
    schema : Schema or path
    epsilons : sequence of float
    delta : float
    method : str or None
        As in `release`.
    fabricated : bool, default False
        Simulate `fabricate` by its usual method instead of a release.
    draws : int, default 5
        How often noise is drawn for each epsilon.
    picture : path or None
        A .png or .svg file to draw; needs the extra ``plots``.
    """
    rules = as_schema(schema)
    measure = measure_of(rules, method, fabricated=fabricated)
    if picture is not None:
        require_output(Path(picture), force=force)
    rows = encoded_rows(stand_ins, rules, labels="required", progress=progress)
    known = rows.where(rows.has_outcome)
    if len(known.y) < LEAST_ROWS:
        raise InputError(f"stand_ins must hold at least {LEAST_ROWS} labelled rows; got {len(known.y)}.")
    checks.whole("draws", draws)
    simulation = Simulation(*_parts(known), rules, delta, method)
    outcomes = []
    for epsilon in epsilons:
        progress(f"drawing noise for epsilon {epsilon:g}")
        # Seeded: these rows are not private, and the same question gets the same answer.
        figures = [measure.draw(simulation, epsilon, seed) for seed in range(draws)]
        outcomes.append(SimulatedEpsilon(float(epsilon), tuple(figures)))
    result = WhatIf(len(known.y), measure, measure.baseline(simulation), tuple(outcomes))
    if picture is not None:
        result.display().plot().figure_.savefig(picture, bbox_inches="tight")
    return result


def _parts(rows: Encoded) -> tuple[Encoded, Encoded]:
    """Return three quarters of the rows and the others, with the same shares of classes."""
    places = np.arange(len(rows.y))
    shares = rows.y if rows.targets is None else None
    first, second = train_test_split(places, test_size=0.25, stratify=shares, random_state=0)
    return rows.where(np.isin(places, first)), rows.where(np.isin(places, second))
