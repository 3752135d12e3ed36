"""Audits of private adoption: a correction of released scores, learned from rows that are private too."""

from functools import cache

import numpy as np
from sklearn.utils import check_random_state

from tacit.adoption.sources.source import LARGEST_SCORE
from tacit.adoption.tables.private_transfer import PrivateTransfer
from tacit.arrays import FloatArray
from tacit.audit.case import EPSILON, FIT_EPSILON, Case, LabelledTable, replay_result
from tacit.audit.game import Game, fit_samplers
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.privacy.card_content import AuditResult
from tacit.releases.file import Release

SCHEMA = Schema((Numeric("a", (0, 1)), Numeric("b", (0, 1)), Label("label", ("no", "yes"))))
OWNER_ROWS, RECEIVER_ROWS, FITS = 200, 60, 400


class CentredTransfer(PrivateTransfer):
    """Broken on purpose: scores are centred by the mean of the receiver's own rows, as class moments would do."""

    def _released(self, rows: FloatArray) -> FloatArray:
        offsets = super()._released(rows)
        return np.asarray(np.clip(offsets - offsets.mean(axis=0), -LARGEST_SCORE, LARGEST_SCORE))


def cases(seed: int | None) -> list[Case]:
    """Return the game of whole fits, replays of them, and the broken control."""
    return [
        Case("private correction, game of fits", lambda: _game(seed).play(FITS)),
        Case("private correction, replay", lambda: _replay(PrivateTransfer, seed)),
        Case("control: scores centred by our own rows", lambda: _replay(CentredTransfer, seed), control=True),
    ]


def neighbours() -> tuple[LabelledTable, LabelledTable]:
    """Return two tables that differ in one row and its label."""
    place = np.arange(RECEIVER_ROWS)
    X = np.column_stack([place % 7 / 6, place % 5 / 4]).astype(np.float64)
    y = (place % 7 > 3).astype(np.intp)
    other, labels = X.copy(), y.copy()
    other[3], labels[3] = 1 - X[3], 1 - y[3]
    return (X, y), (other, labels)


@cache
def _release() -> Release:
    random = check_random_state(0)
    X = random.rand(OWNER_ROWS, 2)
    y = (X[:, 0] > X[:, 1]).astype(np.intp)
    return ADDITIVE.release(X, y, SCHEMA, unit="record", epsilon=2.0, delta=1e-6, random_state=0)


def _game(seed: int | None) -> Game:
    """Return the game of whole fits; the statistic leans to the side of the row that was replaced."""
    tables = neighbours()

    def statistic(place: int, draw: int) -> float:
        model = PrivateTransfer(FIT_EPSILON, releases=[_release()], schema=SCHEMA, random_state=draw)
        return float(model.fit(*tables[place]).coef_[0, 0])

    sampler = fit_samplers(statistic, seed)
    return Game("private correction", FIT_EPSILON, 0.0, sampler(0), sampler(1))


def _replay(estimator: type[PrivateTransfer], seed: int | None) -> AuditResult:
    release = _release()  # made before, for its own queries are none of the replay's

    def run(table: LabelledTable) -> dict[str, object]:
        model = estimator(EPSILON, releases=[release], schema=SCHEMA, random_state=seed).fit(*table)
        return {"correction": model.coef_}

    return replay_result(run, *neighbours())
