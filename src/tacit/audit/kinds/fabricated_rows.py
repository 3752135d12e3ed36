"""Audits of fabricated rows, and the printed accounting as a control that must be caught."""

from typing import Any

import numpy as np

from tacit.arrays import Codes, FloatArray
from tacit.audit.case import DELTA, EPSILON, FIT_EPSILON, Case, replay_result
from tacit.audit.game import Game, fit_samplers
from tacit.audit.neighbours import MIXED_SCHEMA, mixed_table, neighbouring_table
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.fabricated_rows.make import fabricate
from tacit.privacy.budget import Unit
from tacit.privacy.card_content import AuditResult

# Of tables with one column.
SCHEMA = Schema((Numeric("number", (0, 1)), Label("class", ("0", "1"))))
# Few rows, in blocks small enough for the printed algorithm to cluster them.
CLUSTERED, BLOCK = 40, 20
# A whole fabrication for each draw.
GAME_DRAWS = 800


def cases(seed: int | None) -> list[Case]:
    """Return replays of every method, a game of fabricated rows, and the printed accounting as a control."""
    return [
        Case("fabricated rows per record, replay", lambda: _replay(Unit.RECORD, "moments", seed)),
        Case("fabricated rows per entry, replay", lambda: _replay(Unit.ENTRY, "moments", seed)),
        Case("fabricated rows through hulls, replay", lambda: _replay(Unit.ENTRY, "hull", seed)),
        Case("fabricated rows per entry, game", lambda: _game(seed).play(GAME_DRAWS)),
        Case("control: fabrication as printed, raw rows clustered", lambda: _printed_replay(seed), control=True),
    ]


def _replay(unit: Unit, method: str, seed: int | None) -> AuditResult:
    """Replay a fabrication with one row more, or with one category changed."""
    return replay_result(
        lambda table: _fabricate(table, MIXED_SCHEMA, unit, method=method, seed=seed),
        mixed_table(),
        neighbouring_table(unit),
    )


def _printed_replay(seed: int | None) -> AuditResult:
    """Replay the printed algorithm with one entry moved from one cluster of the raw rows to the other."""
    X = np.r_[np.linspace(0.1, 0.3, CLUSTERED // 2), np.linspace(0.7, 0.9, CLUSTERED // 2), 0.4, 0.6][:, None]
    y = np.r_[np.zeros(len(X) - 2), 1, 1].astype(np.intp)
    neighbour = X.copy()
    neighbour[0] = 0.8
    printed: dict[str, Any] = {"method": "hull", "accounting": "paper", "block_size": BLOCK}
    return replay_result(
        lambda table: _fabricate(table, SCHEMA, Unit.ENTRY, seed=seed, **printed), (X, y), (neighbour, y)
    )


def _fabricate(
    table: tuple[FloatArray, Codes], schema: Schema, unit: Unit, *, seed: int | None, **settings: Any
) -> dict[str, object]:
    # What follows the noise is drawn alike in both runs, so that only a leak can make them differ.
    draw = 0 if seed is None else seed
    fabricated = fabricate(*table, schema, unit=unit, epsilon=EPSILON, delta=DELTA, random_state=draw, **settings)
    return {"X": fabricated.X, "y": fabricated.y}


def _game(seed: int | None) -> Game:
    """Return the game of one entry at either bound, alone in its class; the statistic is the mean fabricated row."""
    y = np.array([0, 1, 1, 1])

    def statistic(value: float, draw: int) -> float:
        X = np.array([[value], [0.4], [0.5], [0.6]])
        fabricated = fabricate(
            X, y, SCHEMA, unit=Unit.ENTRY, epsilon=FIT_EPSILON, delta=DELTA, rows=200, random_state=draw
        )
        return float(fabricated.X[fabricated.y == 0].mean())

    sampler = fit_samplers(statistic, seed)
    return Game("fabricated rows", FIT_EPSILON, DELTA, sampler(0.0), sampler(1.0))
