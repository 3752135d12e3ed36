"""Audits of what a party of a federation draws and answers."""

from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, EPSILON, Case, replay_result
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.privacy.card import AuditResult
from tacit.situations.federated.party import make_party, private_parties

SCHEMA = Schema((Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1"))))
QUERIES = np.array([[0.0, 1, 0], [0.5, 0, 1], [1.0, 1, 0]])


def cases(seed: int | None) -> list[Case]:
    """Return the replay of a party's rows and distances, and a party that answers from its own rows."""
    return [
        Case("a party's noisy rows and distances, replay", lambda: _replay(seed, private=True)),
        Case("a party that answers from rows without noise", lambda: _replay(seed, private=False), control=True),
    ]


def _replay(seed: int | None, *, private: bool) -> AuditResult:
    """Replay a party with one category of one row changed: rows handed out, and distances answered."""
    X, y = np.column_stack([np.linspace(0, 1, 40), np.eye(2)[np.arange(40) % 2]]), np.arange(40) // 3 % 2
    changed = X.copy()
    changed[7, 1:] = changed[7, :0:-1]

    def run(table: tuple[FloatArray, Any]) -> dict[str, object]:
        release = NOISY_ROWS.release(*table, SCHEMA, epsilon=EPSILON, delta=DELTA, random_state=seed)
        party = private_parties([private_rows(release)])[0] if private else make_party(*table)
        return {**release.arrays, "distances": party.distances(QUERIES)}

    return replay_result(run, (X, y), (changed, y))
