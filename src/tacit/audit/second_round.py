"""Audits of an owner's answer to a request: noisy steps of a softmax layer on a receiver's features."""

import math
from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.pictures.private_head import STEPS, descend_head, head_gradient, plan_head
from tacit.audit.case import DRAWS, EPSILON, Case, LabelledTable, replay_result
from tacit.audit.game import Game, mechanism_game
from tacit.privacy.card_content import AuditResult

ROWS, FEATURES, CLASSES, DELTA = 50, 4, 3, 1e-6
# Of the game: halved noise shows in few draws where the answer costs an epsilon of about 3.
GAME_EPSILON, GAME_DELTA = 3.0, 1e-3


def cases(seed: int | None) -> list[Case]:
    """Return replay and game of an answer, and controls: rows longer than was declared, and half of the noise."""
    return [
        Case("answer to a request, replay", lambda: answer_replay(seed)),
        Case("answer to a request, gradients, game", lambda: gradients_game(seed).play(DRAWS)),
        Case("control: noise of an answer halved", lambda: gradients_game(seed, noise=0.5).play(DRAWS), control=True),
        Case("control: features longer than 1", lambda: answer_replay(seed, length=4.0), control=True),
    ]


def neighbours(length: float = 1.0) -> tuple[LabelledTable, LabelledTable]:
    """Return features of ``length`` and codes, and the same with one row more."""
    random = check_random_state(0)
    rows = random.normal(size=(ROWS + 1, FEATURES))
    rows *= 0.99 * length / np.linalg.norm(rows, axis=1, keepdims=True)
    dyadic = np.rint(rows * 2**15) / 2**15
    codes = random.randint(CLASSES, size=ROWS + 1)
    return (dyadic[:-1], codes[:-1]), (dyadic, codes)


def answer_replay(seed: int | None, *, length: float = 1.0) -> AuditResult:
    """Replay an answer with and without one row."""
    plan = plan_head(FEATURES, CLASSES, epsilon=EPSILON, delta=DELTA)

    def run(table: LabelledTable) -> dict[str, object]:
        account = plan.plan.open(random_state=0 if seed is None else seed, purpose="audit")
        return {"head": descend_head(*table, np.zeros((FEATURES, CLASSES)), plan, account)}

    return replay_result(run, *neighbours(length))


def gradients_game(seed: int | None, *, noise: float = 1.0) -> Game:
    """Return the game of a gradient that all queries of an answer are spent on, with ``noise`` times what it claims.

    Their mean has the law of one draw with the standard deviation divided by the root of their number; along the
    difference of the two gradients, since nothing else tells Gaussian noise on them apart.
    """
    claimed = plan_head(FEATURES, CLASSES, epsilon=GAME_EPSILON, delta=GAME_DELTA).mechanism
    drawn = replace(claimed, sigma=noise * claimed.sigma / math.sqrt(STEPS + 1), coordinates=1)
    ends = np.zeros(1), np.array([gradient_move()])
    return mechanism_game(drawn, *ends, epsilon=GAME_EPSILON, delta=GAME_DELTA, seed=seed)


def gradient_move(length: float = 1.0) -> float:
    """Return how far one row moves the gradient at a start of zeros."""
    start = np.zeros((FEATURES, CLASSES))
    first, second = (head_gradient(*table, start) for table in neighbours(length))
    return float(np.linalg.norm(second - first))
