"""Audits of an owner's answer to a request: noisy steps of a softmax layer on a receiver's features."""

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.pictures.private_head import descend_head, head_gradient, plan_head
from tacit.audit.case import EPSILON, Case, LabelledTable, replay_result
from tacit.privacy.card_content import AuditResult

ROWS, FEATURES, CLASSES, DELTA = 50, 4, 3, 1e-6


def cases(seed: int | None) -> list[Case]:
    """Return the replay of an answer, and a control whose rows are longer than was declared."""
    return [
        Case("answer to a request, replay", lambda: answer_replay(seed)),
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


def gradient_move(length: float = 1.0) -> float:
    """Return how far one row moves the gradient at a start of zeros."""
    start = np.zeros((FEATURES, CLASSES))
    first, second = (head_gradient(*table, start) for table in neighbours(length))
    return float(np.linalg.norm(second - first))
