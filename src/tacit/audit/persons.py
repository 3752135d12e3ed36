"""Audits of releases per person: every kind that protects records, with all rows of one person changed at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Codes, FloatArray
from tacit.audit.case import DELTA, EPSILON, Case, replay_result
from tacit.audit.game import Game, fit_samplers
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table
from tacit.data.contribution import kept_rows
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.class_moments.plan import ROW_NORM
from tacit.kinds.registry import all_kinds
from tacit.models.class_moments.features import count_weight, features_of
from tacit.privacy.budget import Unit
from tacit.privacy.card import AuditResult
from tacit.releases.kind import ReleaseKind

# The bound K, and how many rows the person of the game has in the table.
MOST, ROWS = 10, 80
DRAWS, CONTROL_DRAWS = 500, 300
KEY = bytes(range(32))


@dataclass(frozen=True, eq=False)
class _Visits:
    """Encoded rows, their class codes, and whose rows they are."""

    X: FloatArray
    codes: Codes
    persons: NDArray[np.str_]


def cases(seed: int | None) -> list[Case]:
    """Return a replay of each kind, the game of a person with many rows, and two broken ways to protect persons."""
    return [
        *(_replay_case(kind, seed) for kind in all_kinds() if Unit.RECORD in kind.units),
        Case(f"release per person with {MOST} rows, game", lambda: _game(seed, rows=MOST, bound=MOST).play(DRAWS)),
        Case(
            f"control: noise for one row, {MOST} rows of a person read",
            lambda: _game(seed, rows=1, bound=MOST).play(CONTROL_DRAWS),
            control=True,
        ),
        Case(
            f"control: noise for {MOST} rows, {ROWS} rows of a person read",
            lambda: _game(seed, rows=MOST, bound=ROWS).play(CONTROL_DRAWS),
            control=True,
        ),
    ]


def _replay_case(kind: ReleaseKind, seed: int | None) -> Case:
    return Case(f"{kind.method} per person with {MOST} rows, replay", lambda: person_replay(kind, seed))


def person_replay(kind: ReleaseKind, seed: int | None) -> AuditResult:
    """Replay a release per person with all rows of one person there or not, or exchanged where their number is public.

    A query may move K times as far as its mechanism declares for one row, and no further.
    """
    # What follows the noise is drawn alike in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed

    def run(table: MixedTable) -> dict[str, object]:
        promise: dict[str, Any] = {"unit": Unit.PERSON, "epsilon": EPSILON, "delta": DELTA, "rows_per_person": MOST}
        return dict(kind.release(*table, MIXED_SCHEMA, random_state=draw, **promise).arrays)

    neighbour = exchanged_rows() if kind.row_count_public else added_rows()
    return replay_result(run, mixed_table(), neighbour, rows=MOST)


def added_rows() -> MixedTable:
    """Return the table with K rows more, all of them in the same corner of the cube."""
    X, y = mixed_table()
    return np.vstack([X, np.tile([[1.0, 1.0, 0.0]], (MOST, 1))]), np.append(y, [1] * MOST)


def exchanged_rows() -> MixedTable:
    """Return the table with K rows exchanged for a corner of the cube, with the other label."""
    X, y = mixed_table()
    places = np.arange(0, 4 * MOST, 4)
    X[places], y[places] = [1.0, 0.0, 1.0], 1 - y[places]
    return X, y


def _game(seed: int | None, *, rows: int, bound: int) -> Game:
    """Return the game of releases with and without a person who has 80 rows in a corner of the cube.

    Noise is made for ``rows`` rows, and ``bound`` of them are read. The statistic is the released class sum and count
    along what such a row adds to them, on which their likelihood ratio depends alone.
    """
    plan = CLASS_MOMENTS.plan(MIXED_SCHEMA, unit=Unit.PERSON, epsilon=EPSILON, delta=DELTA, rows_per_person=rows)
    corner = np.array([[1.0, 1.0, 0.0]])
    added, weight = features_of(MIXED_SCHEMA)(corner)[0].astype(np.float64), count_weight(ROW_NORM)

    def statistic(table: _Visits, draw: int) -> float:
        kept = kept_rows(table.persons, rows_per_person=bound, key=KEY)
        arrays = CLASS_MOMENTS.make(plan, table.X[kept], table.codes[kept], random_state=draw).arrays
        return float(arrays["sums"][1] @ added + weight**2 * arrays["counts"][1])

    X, y = mixed_table()
    others = _Visits(X, y, np.arange(len(X)).astype(np.str_))
    joined = _Visits(
        np.vstack([X, np.repeat(corner, ROWS, axis=0)]),
        np.append(y, [1] * ROWS),
        np.append(others.persons, ["one more"] * ROWS),
    )
    sampler = fit_samplers(statistic, seed)
    return Game("person", EPSILON, DELTA, sampler(others), sampler(joined))
