"""Audits of fabricated rows, and the printed accounting as a control that must be caught."""

from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, EPSILON, FIT_EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.privacy.budget import Unit
from tacit.privacy.card import AuditResult
from tacit.privacy.stream import NoiseStream

MIXED = Schema((Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1"))))
LONE = Schema((Numeric("number", (0, 1)), Label("class", ("0", "1"))))
# Few rows, in blocks small enough for the printed algorithm to cluster them.
CLUSTERED, BLOCK = 40, 20
# A whole fabrication for each draw.
GAME_DRAWS = 800


def cases(seed: int | None) -> list[Case]:
    """Return replays of every manner, a game of fabricated rows, and the printed accounting as a control."""
    return [
        Case("fabricated rows per record, replay", lambda: _replay(Unit.RECORD, "moments", seed)),
        Case("fabricated rows per entry, replay", lambda: _replay(Unit.ENTRY, "moments", seed)),
        Case("fabricated rows through hulls, replay", lambda: _replay(Unit.ENTRY, "hull", seed)),
        Case("fabricated rows per entry, game", lambda: _game(seed).play(GAME_DRAWS)),
        Case("control: fabrication as printed, raw rows clustered", lambda: _printed_replay(seed), control=True),
    ]


def _replay(unit: Unit, method: str, seed: int | None) -> AuditResult:
    """Replay a fabrication with one row more, or with one category changed."""
    X, y = np.column_stack([np.linspace(0, 1, 40), np.eye(2)[np.arange(40) % 2]]), np.arange(40) // 3 % 2
    changed = X.copy()
    changed[7, 1:] = changed[7, :0:-1]
    neighbour = (np.vstack([X, [[1, 1, 0]]]), np.append(y, 1)) if unit is Unit.RECORD else (changed, y)
    return replay_result(lambda table: _made(table, MIXED, unit, method=method, seed=seed), (X, y), neighbour)


def _printed_replay(seed: int | None) -> AuditResult:
    """Replay the printed algorithm with one entry moved from one cluster of the raw rows to the other."""
    X = np.r_[np.linspace(0.1, 0.3, CLUSTERED // 2), np.linspace(0.7, 0.9, CLUSTERED // 2), 0.4, 0.6][:, None]
    y = np.r_[np.zeros(len(X) - 2), 1, 1].astype(np.intp)
    moved = X.copy()
    moved[0] = 0.8

    def run(table: tuple[FloatArray, Any]) -> dict[str, object]:
        return _made(table, LONE, Unit.ENTRY, method="hull", seed=seed, accounting="paper", block_size=BLOCK)

    return replay_result(run, (X, y), (moved, y))


def _made(table: Any, schema: Schema, unit: Unit, *, seed: int | None, **manner: Any) -> dict[str, object]:
    # What follows the noise is drawn alike in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed
    X, y = table
    made = fabricate(X, y, schema, unit=unit, epsilon=EPSILON, delta=DELTA, random_state=draw, **manner)
    return {"X": made.X, "y": made.y}


def _game(seed: int | None) -> Game:
    """Return the game of one entry at either bound, alone in its class, seen through the mean of fabricated rows."""
    seeds = NoiseStream(seed)
    y = np.array([0, 1, 1, 1])

    def fit(value: float) -> float:
        X = np.array([[value], [0.4], [0.5], [0.6]])
        draw = int(seeds.words(1, np.uint32)[0])  # another seed for each fit, repeatable as a whole
        made = fabricate(X, y, LONE, unit=Unit.ENTRY, epsilon=FIT_EPSILON, delta=DELTA, rows=200, random_state=draw)
        return float(made.X[made.y == 0].mean())

    def sampler(value: float) -> Sampler:
        return lambda count: np.array([fit(value) for _ in range(count)])

    return Game("fabricated rows", FIT_EPSILON, DELTA, sampler(0.0), sampler(1.0))
