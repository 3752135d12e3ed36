"""What epsilon buys, before anything is spent: releases simulated on rows that are not private."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from tacit.pages.displays import PrivacyAccuracyDisplay, unlabelled_accuracy
from tacit.privacy.budget import DEFAULT_DELTA
from tacit.workflows.release import release
from tacit.workflows.tables import Progress, Table, as_schema, encoded_rows, no_progress

EPSILONS = (0.1, 0.3, 1.0, 3.0)
LEAST_ROWS = 40


@dataclass(frozen=True)
class SimulatedEpsilon:
    """What releases of one epsilon reach on held-out stand-in rows, over several draws of the noise.

    ``accuracies`` holds NaN for a draw whose release says no more than chance, and would be refused.
    """

    epsilon: float
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the draws that are not refused; NaN if all are."""
        kept = [each for each in self.accuracies if not np.isnan(each)]
        return float(np.mean(kept)) if kept else float("nan")

    @property
    def refused(self) -> int:
        """How many draws would be refused."""
        return int(np.isnan(self.accuracies).sum())


@dataclass(frozen=True)
class WhatIf:
    """What each epsilon buys a receiver without labels, and what naming the commonest class reaches."""

    n_rows: int
    majority: float
    epsilons: tuple[SimulatedEpsilon, ...]

    def display(self) -> PrivacyAccuracyDisplay:
        """Return the means as a picture."""
        figures: FloatArray = np.array([(each.epsilon, each.mean) for each in self.epsilons])
        return PrivacyAccuracyDisplay(figures[:, 0], figures[:, 1], self.majority)


def what_if(
    stand_ins: Table,
    schema: Schema | FilePath,
    *,
    epsilons: Sequence[float] = EPSILONS,
    delta: float = DEFAULT_DELTA,
    method: str | None = None,
    draws: int = 5,
    picture: FilePath | None = None,
    force: bool = False,
    progress: Progress = no_progress,
) -> WhatIf:
    """Return what each epsilon would buy, simulated on ``stand_ins``; nothing is charged.

    **Give rows that are public or fabricated, never the private table:** the figures are exact, and choosing epsilon by
    them on private rows would give those away. Three quarters of the rows are released, the others judge.

    Parameters
    ----------
    stand_ins : path, DataFrame or Encoded
    schema : Schema or path
    epsilons : sequence of float
    delta : float
    method : str or None
        As in `release`.
    draws : int, default 5
        How often noise is drawn for each epsilon.
    picture : path or None
        A .png or .svg file to draw; needs the extra ``plots``.
    """
    rules = as_schema(schema)
    rules.require_classes()
    if picture is not None:
        require_output(Path(picture), force=force)
    rows = encoded_rows(stand_ins, rules, labels="required", progress=progress)
    labelled = rows.where(rows.has_outcome)
    if len(labelled.y) < LEAST_ROWS:
        raise InputError(f"stand_ins must hold at least {LEAST_ROWS} labelled rows; got {len(labelled.y)}.")
    checks.whole("draws", draws)
    owner, receiver = _parts(labelled)
    outcomes = []
    for epsilon in epsilons:
        progress(f"drawing noise for epsilon {epsilon:g}")
        # Seeded: these rows are not private, and the same question gets the same answer.
        made = [
            release(owner, rules, epsilon=epsilon, delta=delta, method=method, random_state=d) for d in range(draws)
        ]
        accuracies = [unlabelled_accuracy(each, receiver.X, receiver.y, rules) for each in made]
        outcomes.append(SimulatedEpsilon(float(epsilon), tuple(accuracies)))
    result = WhatIf(len(labelled.y), float(np.bincount(receiver.y).max() / len(receiver.y)), tuple(outcomes))
    if picture is not None:
        result.display().plot().figure_.savefig(picture, bbox_inches="tight")
    return result


def _parts(rows: Encoded) -> tuple[Encoded, Encoded]:
    """Return three quarters of the rows and the others, with the same shares of classes."""
    places = np.arange(len(rows.y))
    first, second = train_test_split(places, test_size=0.25, stratify=rows.y, random_state=0)
    return tuple(replace(rows.where(np.isin(places, part))) for part in (first, second))  # type: ignore[return-value]
