"""Audits of the class means that the private nearest-mean classifier releases."""

import math

import numpy as np

from tacit.audit.case import DELTA, EPSILON, FIT_DRAWS, FIT_EPSILON, Case, LabelledTable, replay_fits
from tacit.audit.game import Game, fit_samplers
from tacit.models.class_moments.features import count_weight
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.privacy.card_content import AuditResult

# Of two features in [0, 1].
ROW_NORM = math.sqrt(2)
# So little noise shows with few fits.
CONTROL_DRAWS = 200


def cases(seed: int | None) -> list[Case]:
    """Return the game and the replay of whole fits, and fits that draw too little noise."""
    return [
        Case("nearest mean, game", lambda: _game(FIT_EPSILON, seed).play(FIT_DRAWS)),
        Case("nearest mean, replay", lambda: _replay(seed)),
        Case(
            "control: nearest mean charged a twentieth of its epsilon",
            lambda: _game(EPSILON, seed, true_epsilon=20 * EPSILON).play(CONTROL_DRAWS),
            control=True,
        ),
    ]


def _neighbours() -> tuple[LabelledTable, LabelledTable]:
    """Return a small table without and with one row in a corner of the cube."""
    X, y = np.linspace(0.3, 0.7, 80).reshape(40, 2), np.arange(40.0) % 2
    return (X, y), (np.vstack([X, [[1.0, 1.0]]]), np.append(y, 1))


def _model(epsilon: float, seed: int | None) -> PrivateNearestMean:
    return PrivateNearestMean(epsilon, bounds=(0, 1), delta=DELTA, classes=[0, 1], random_state=seed)


def _game(epsilon: float, seed: int | None, *, true_epsilon: float | None = None) -> Game:
    """Return the game of noisy class sums with and without the row; ``true_epsilon`` is what is really spent."""

    def statistic(table: LabelledTable, draw: int) -> float:
        model = _model(true_epsilon or epsilon, draw).fit(*table)
        return float(model.counts_[1] * (count_weight(ROW_NORM) + model.means_[1].sum()))

    sampler = fit_samplers(statistic, seed)
    first, second = (sampler(table) for table in _neighbours())
    return Game("nearest mean", epsilon, DELTA, first, second)


def _replay(seed: int | None) -> AuditResult:
    return replay_fits(lambda: _model(EPSILON, seed), *_neighbours())
