"""Audits of the private nearest mean."""

import math

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, EPSILON, FIT_DRAWS, FIT_EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler
from tacit.models.class_moments.nearest_mean import PrivateNearestMean, count_weight
from tacit.privacy.card import AuditResult
from tacit.privacy.stream import NoiseStream

# Of two features in [0, 1].
ROW_NORM = math.sqrt(2)


def cases(seed: int | None) -> list[Case]:
    """Return the game and the replay of whole fits."""
    return [
        Case("nearest mean, game", lambda: _nearest_mean_game(seed).play(FIT_DRAWS)),
        Case("nearest mean, replay", lambda: _nearest_mean_replay(seed)),
    ]


def _small_table() -> tuple[FloatArray, FloatArray]:
    X = np.linspace(0.3, 0.7, 80).reshape(40, 2)
    return X, np.arange(40.0) % 2


def _nearest_mean_game(seed: int | None) -> Game:
    """Return the game of noisy class sums with and without one row in a corner of the cube."""
    X, y = _small_table()
    more, labels = np.vstack([X, [[1.0, 1.0]]]), np.append(y, 1)
    seeds = NoiseStream(seed)

    def fit(rows: FloatArray, classes: FloatArray) -> float:
        draw = int(seeds.words(1, np.uint32)[0])  # another seed for each fit, repeatable as a whole
        model = PrivateNearestMean(FIT_EPSILON, bounds=(0, 1), delta=DELTA, classes=[0, 1], random_state=draw)
        model.fit(rows, classes)
        return float(model.counts_[1] * (count_weight(ROW_NORM) + model.means_[1].sum()))

    def sampler(rows: FloatArray, classes: FloatArray) -> Sampler:
        return lambda count: np.array([fit(rows, classes) for _ in range(count)])

    return Game("nearest mean", FIT_EPSILON, DELTA, sampler(X, y), sampler(more, labels))


def _nearest_mean_replay(seed: int | None) -> AuditResult:
    X, y = _small_table()
    neighbour = np.vstack([X, [[1.0, 1.0]]]), np.append(y, 1)

    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        model = PrivateNearestMean(EPSILON, bounds=(0, 1), delta=DELTA, classes=[0, 1], random_state=seed)
        return dict(model.fit(*table).release().arrays)

    return replay_result(run, (X, y), neighbour)
