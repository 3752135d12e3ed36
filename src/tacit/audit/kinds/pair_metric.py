"""Audits of the pair metric, and of the printed algorithm that it replaces."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import BoolArray, FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, replay_fits
from tacit.audit.game import Game, Sampler, mechanism_game
from tacit.data.rows.pairs import pair_signs, random_pairs
from tacit.models.pair_metric.diagonal import Diagonal
from tacit.models.pair_metric.metric import PairMetric
from tacit.models.pair_metric.printed import PrintedDescent
from tacit.models.pair_metric.solvers import DescentSettings
from tacit.numerics.contrastive import clipped_gradient_sum
from tacit.numerics.pair_graph import kappa_bounds
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Laplace
from tacit.privacy.stream import NoiseStream

# As many rows of W as the printed algorithm is caught with, and as many draws.
ROWS, PRINTED_DRAWS = 4, 4_000
BATCH, CLIP, MARGIN = 20, 0.5, 10.0

REPLAYED: dict[str, dict[str, Any]] = {
    "diagonal": {},
    "diagonal laplace": {"mechanism": "laplace"},
    "diagonal staircase": {"mechanism": "staircase"},
    "local": {"mechanism": "duchi"},
    "input perturbation": {"mechanism": "input"},
    "descent": {"solver": DescentSettings(passes=2)},
    "descent in batches": {"solver": DescentSettings(passes=2, batch_size=7), "mechanism": "laplace"},
}

# Differences of pairs and which of them are dissimilar.
PairBatch = tuple[FloatArray, BoolArray]


def cases(seed: int | None) -> list[Case]:
    """Return games and replays of the sound solvers, and the printed ones as controls."""
    return [
        *(Case(f"pair metric, {name}, replay", _replay_of(settings, seed)) for name, settings in REPLAYED.items()),
        Case("pair metric, correlated pairs, replay", lambda: _correlated_replay(seed)),
        Case("pair metric, sums, game", lambda: _sums_game(seed).play(DRAWS)),
        Case("pair metric, gradient, game", lambda: _gradient_game(seed).play(DRAWS)),
        Case("control: printed DPP", lambda: _printed_game(seed, reduced=False).play(PRINTED_DRAWS), control=True),
        Case("control: printed DPP-S", lambda: _printed_game(seed, reduced=True).play(PRINTED_DRAWS), control=True),
        Case(
            "control: printed Gaussian DPP-S",
            lambda: _printed_game(seed, reduced=True, delta=DELTA).play(PRINTED_DRAWS),
            control=True,
        ),
    ]


def _labelled_pairs() -> tuple[FloatArray, FloatArray]:
    """Return pairs [K, 2, 3] in the unit cube and their labels."""
    pairs = check_random_state(0).uniform(size=(40, 2, 3))
    return pairs, np.where(np.arange(40) % 3 == 0, -1.0, 1.0)


def _replay_of(settings: dict[str, Any], seed: int | None) -> Callable[[], AuditResult]:
    """Return the replay of a fit after one pair went from equal rows, dissimilar, to opposite corners, similar."""
    pairs, signs = _labelled_pairs()
    neighbour, other_signs = pairs.copy(), signs.copy()
    pairs[5], signs[5] = 0.5, -1
    neighbour[5], other_signs[5] = np.array([[0.0], [1.0]]), 1
    return lambda: replay_fits(
        lambda: PairMetric(EPSILON, bounds=(0, 1), delta=DELTA, kappa=1, random_state=seed, **settings),
        (pairs, signs),
        (neighbour, other_signs),
    )


def _correlated_replay(seed: int | None) -> AuditResult:
    """Replay a fit on a dense graph after κ of its pairs changed: their rows are read from another table."""
    people = check_random_state(1).uniform(size=(30, 3))
    edges = random_pairs(30, 2.0, random_state=2).indices
    signs = pair_signs(np.arange(30) % 2, edges).astype(float)
    pairs, kappa = people[edges], kappa_bounds(edges).second
    neighbour, other_signs = pairs.copy(), signs.copy()
    neighbour[:kappa] = np.array([[0.0], [1.0]])
    other_signs[:kappa] = -signs[:kappa]
    return replay_fits(
        lambda: PairMetric(EPSILON, bounds=(0, 1), delta=DELTA, kappa=kappa, random_state=seed),
        (pairs, signs),
        (neighbour, other_signs),
    )


def _sums_game(seed: int | None) -> Game:
    """Return the game of the diagonal release's sums when one relationship turns from similar to dissimilar."""
    solver = Diagonal(3, 1, "gaussian", EPSILON, DELTA, 1.0, (1.0,) * 3, (False,) * 3)
    row = solver.query.shorten(np.append(np.ones(3), solver.unit)[None])[0]
    first, second = np.concatenate([row, np.zeros(4)]), np.concatenate([np.zeros(4), row])
    return mechanism_game(solver.noise, first, second, epsilon=EPSILON, delta=DELTA, seed=seed)


def _gradient_game(seed: int | None) -> Game:
    """Return the game of one batch's gradient when one relationship turns from similar to dissimilar."""
    W = 3 * np.eye(ROWS)
    sums = [clipped_gradient_sum(W, *batch, margin=MARGIN, clip=CLIP, norm=1).ravel() for batch in _flipped_label()]
    mechanism = Laplace.for_epsilon(EPSILON, sensitivity=2 * CLIP * (1 + 1e-9), coordinates=W.size)
    return mechanism_game(mechanism, *sums, epsilon=EPSILON, seed=seed)


def _flipped_label() -> tuple[PairBatch, PairBatch]:
    """Return a batch of similar pairs, and the same with one of them dissimilar."""
    differences = np.zeros((BATCH, ROWS))
    differences[:, 0] = 0.5
    similar, flipped = np.zeros(BATCH, bool), np.zeros(BATCH, bool)
    flipped[0] = True
    return (differences, similar), (differences, flipped)


def _distant_pair() -> tuple[PairBatch, PairBatch]:
    """Return a batch of pairs that hardly differ, and the same with one of them far apart."""
    near, similar = np.full((BATCH, ROWS), 1e-6), np.zeros(BATCH, bool)
    far = near.copy()
    far[0] = 0.5
    return (near, similar), (far, similar)


def _printed_game(seed: int | None, *, reduced: bool, delta: float = 0.0) -> Game:
    """Return the game of Alg. 1's noisy gradient as printed, at a public W.

    The statistic of DPP is the sum of the first entries of its rows, each of which adds a whole epsilon; that of DPP-S
    is the size of its noise.
    """
    printed = PrintedDescent(
        BATCH, ROWS, ROWS, 1, EPSILON, radius=1.0, clip=CLIP, passes=1, batch_size=BATCH, reduced=reduced, delta=delta
    )
    stream = NoiseStream(seed)

    def sampler(batch: PairBatch) -> Sampler:
        rows, units = printed.query(3 * np.ones((ROWS, ROWS)), *batch, MARGIN)

        def draw(count: int) -> FloatArray:
            noisy = printed.noise.draw(np.broadcast_to(rows, (count, *rows.shape)), stream) * units
            return np.asarray(np.abs(noisy).sum(axis=(1, 2)) if reduced else noisy[:, :, 0].sum(axis=1))

        return draw

    first, second = _distant_pair() if reduced else _flipped_label()
    return Game("printed", EPSILON, delta, sampler(first), sampler(second))
