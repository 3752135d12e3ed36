"""Audits of releases of class moments, per record and per entry."""

from collections.abc import Callable

import numpy as np

from tacit.arrays import Codes, FloatArray
from tacit.audit.case import DELTA, EPSILON, FIT_EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler, fit_samplers
from tacit.audit.neighbours import MIXED_SCHEMA, MixedTable, mixed_table, neighbouring_table
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.class_moments.plan import ROW_NORM
from tacit.models.class_moments.features import count_weight, features_of
from tacit.privacy.budget import Unit
from tacit.privacy.card_content import AuditResult
from tacit.releases.file import Release

# Whole releases cost milliseconds each; the controls are broken enough to show with fewer.
DRAWS = 500
CONTROL_DRAWS = 300

# Columns of the tables of the games.
ENTRIES = 12
SCHEMA = Schema((*(Numeric(f"x{place}", (0, 1)) for place in range(ENTRIES)), Label("class", ("0", "1"))))

EncodedTable = tuple[FloatArray, Codes]
# The number that tells two neighbouring releases apart best.
Statistic = Callable[[Release], float]


def cases(seed: int | None) -> list[Case]:
    """Return replays and games of whole releases per record and per entry, and broken ones."""
    return [
        Case("transfer release per record, replay", lambda: _transfer_replay(Unit.RECORD, seed)),
        Case("transfer release per entry, replay", lambda: _transfer_replay(Unit.ENTRY, seed)),
        Case("transfer release per record, game", lambda: _record_game(FIT_EPSILON, seed).play(DRAWS)),
        Case("transfer release per entry, game", lambda: _entry_game(1, FIT_EPSILON, seed).play(DRAWS)),
        Case(
            "control: transfer release charged a tenth of its epsilon",
            lambda: _record_game(EPSILON, seed, true_epsilon=10 * EPSILON).play(CONTROL_DRAWS),
            control=True,
        ),
        Case(
            "control: transfer release per entry taken for one per record",
            lambda: _entry_game(ENTRIES, EPSILON, seed).play(CONTROL_DRAWS),
            control=True,
        ),
    ]


def _transfer_replay(unit: Unit, seed: int | None) -> AuditResult:
    """Replay a release with one row more, or with one category changed."""

    def run(table: MixedTable) -> dict[str, object]:
        release = CLASS_MOMENTS.release(
            *table, MIXED_SCHEMA, unit=unit, epsilon=EPSILON, delta=DELTA, random_state=seed
        )
        return dict(release.arrays)

    return replay_result(run, mixed_table(), neighbouring_table(unit))


def _record_game(epsilon: float, seed: int | None, *, true_epsilon: float | None = None) -> Game:
    """Return the game of releases with and without one row in a corner of the cube, whose features are longest.

    The statistic is the released class sum and count along what the row adds to them, on which their likelihood
    ratio depends alone. ``true_epsilon`` is what is really spent, if not the epsilon claimed.
    """
    X, y = np.linspace(0.2, 0.8, 4 * ENTRIES).reshape(4, ENTRIES), np.arange(4) % 2
    row = np.ones((1, ENTRIES))
    added, weight = features_of(SCHEMA)(row)[0].astype(np.float64), count_weight(ROW_NORM)

    def statistic(release: Release) -> float:
        return float(release.arrays["sums"][1] @ added + weight**2 * release.arrays["counts"][1])

    sampler = _samplers(Unit.RECORD, true_epsilon or epsilon, seed, statistic)
    return Game("record", epsilon, DELTA, sampler((X, y)), sampler((np.vstack([X, row]), np.append(y, 1))))


def _entry_game(changed: int, epsilon: float, seed: int | None) -> Game:
    """Return the game of releases whose tables differ in the first ``changed`` entries of one row.

    The row is alone in its class, so that its class mean is the row itself with noise, cut off where the likelihood
    ratio of Laplace noise no longer changes.
    """
    X, y = np.zeros((2, ENTRIES)), np.arange(2)
    neighbour = X.copy()
    neighbour[1, :changed] = 1.0

    def statistic(release: Release) -> float:
        return float(release.arrays["means"][1, :changed].sum())

    sampler = _samplers(Unit.ENTRY, epsilon, seed, statistic)
    return Game("entry", epsilon, DELTA, sampler((X, y)), sampler((neighbour, y)))


def _samplers(unit: Unit, epsilon: float, seed: int | None, statistic: Statistic) -> Callable[[EncodedTable], Sampler]:
    """Return what makes a sampler of the statistic of whole releases of a table."""

    def of_release(table: EncodedTable, draw: int) -> float:
        return statistic(
            CLASS_MOMENTS.release(*table, SCHEMA, unit=unit, epsilon=epsilon, delta=DELTA, random_state=draw)
        )

    return fit_samplers(of_release, seed)
