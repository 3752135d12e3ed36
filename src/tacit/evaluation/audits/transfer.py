"""Audits of the releases of the main job."""

from typing import Any

import numpy as np

from tacit.checks import FloatArray
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.evaluation.audits.case import DELTA, EPSILON, Case, replay_result
from tacit.privacy.budget import Unit
from tacit.privacy.card import AuditResult
from tacit.scenarios.transfer.owner import make_release


def cases(seed: int | None) -> list[Case]:
    """Return the replays of a release per record and per entry."""
    return [
        Case("transfer release per record, replay", lambda: _transfer_replay(Unit.RECORD, seed)),
        Case("transfer release per entry, replay", lambda: _transfer_replay(Unit.ENTRY, seed)),
    ]


def _transfer_replay(unit: Unit, seed: int | None) -> AuditResult:
    """Replay a release with one row more, or with one category changed."""
    columns = (Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1")))
    X, y = np.column_stack([np.linspace(0, 1, 40), np.eye(2)[np.arange(40) % 2]]), np.arange(40) // 3 % 2
    changed = X.copy()
    changed[7, 1:] = changed[7, :0:-1]
    neighbour = (np.vstack([X, [[1, 1, 0]]]), np.append(y, 1)) if unit is Unit.RECORD else (changed, y)

    def run(table: tuple[FloatArray, Any]) -> dict[str, object]:
        release = make_release(*table, Schema(columns), unit=unit, epsilon=EPSILON, delta=DELTA, random_state=seed)
        return dict(release.arrays)

    return replay_result(run, (X, y), neighbour)
