"""Audits of what a party of a federation draws and answers."""

import numpy as np

from tacit.audit.case import DELTA, EPSILON, Case, replay_result
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table, neighbouring_table
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.kinds.noisy_rows.rows import private_rows
from tacit.privacy.budget import Unit
from tacit.privacy.card_content import AuditResult
from tacit.situations.federated.party import make_party, private_parties

QUERIES = np.array([[0.0, 1, 0], [0.5, 0, 1], [1.0, 1, 0]])


def cases(seed: int | None) -> list[Case]:
    """Return the replay of a party's rows and distances, and a party that answers from its own rows."""
    return [
        Case("a party's noisy rows and distances, replay", lambda: _replay(seed, private=True)),
        Case("a party that answers from rows without noise", lambda: _replay(seed, private=False), control=True),
    ]


def _replay(seed: int | None, *, private: bool) -> AuditResult:
    """Replay a party with one category of one row changed: rows handed out, and distances answered."""

    def run(table: MixedTable) -> dict[str, object]:
        release = NOISY_ROWS.release(*table, MIXED_SCHEMA, epsilon=EPSILON, delta=DELTA, random_state=seed)
        party = private_parties([private_rows(release)])[0] if private else make_party(*table)
        return {**release.arrays, "distances": party.distances(QUERIES)}

    return replay_result(run, mixed_table(), neighbouring_table(Unit.ENTRY))
