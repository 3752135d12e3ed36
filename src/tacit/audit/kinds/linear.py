"""Audits of objective perturbation and of the private linear classifiers built on it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DRAWS, EPSILON, FIT_EPSILON, Case, replay_fits, replay_result
from tacit.audit.game import Game, Sampler, fit_samplers, mechanism_game
from tacit.data.rows.parts import row_parts
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.planning import SplitSettings
from tacit.models.two_class_problems import query_of, row_factors, unit_rows
from tacit.privacy.account import Account
from tacit.privacy.budget import Budget
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import AgainstRest, ObjectivePerturbation
from tacit.privacy.stream import NoiseStream

# Both rows of the game lie far on the wrong side of the prior weights, so that their losses have slope 1, and almost
# opposite each other across it. In one dimension two such rows do not exist, and halved noise would not show.
PRIOR = np.array([[-1000.0, 0.0]])
LEAN = 0.02
ROWS = np.array([[LEAN, math.sqrt(1 - LEAN**2)], [LEAN, -math.sqrt(1 - LEAN**2)]])
COMPANY = np.array([[0.3, 0.1]])
REGULARIZATION = 10.0
FITS, CLASSES = 1000, 3


def cases(seed: int | None) -> list[Case]:
    """Return the game of whole fits, its broken control, and replays of every way to learn."""
    return [
        Case("logistic regression, game of fits", lambda: _fit_game(seed).play(FITS)),
        Case("objective perturbation, game", lambda: _mechanism_game(seed, 1.0).play(DRAWS // 2)),
        Case("control: objective noise halved", lambda: _mechanism_game(seed, 0.5).play(DRAWS // 2), control=True),
        Case("objective perturbation, a row added, game", lambda: _addition_game(seed, 1.0).play(DRAWS // 2)),
        Case("control: noise halved, a row added", lambda: _addition_game(seed, 0.5).play(DRAWS // 2), control=True),
        Case("each class against the rest, game", lambda: classes_game(seed, 1.0).play(DRAWS // 5)),
        Case("control: noise of classes halved", lambda: classes_game(seed, 0.5).play(DRAWS // 5), control=True),
        Case("logistic regression, replay", lambda: _replay(PrivateLogisticRegression, seed)),
        Case(
            "regression of three classes, replay",
            lambda: _replay(PrivateLogisticRegression, seed, classes=[0, 1, 2]),
        ),
        Case("tuned regression, replay", lambda: _replay(PrivateLogisticRegression, seed, regularization=(0.5, 2.0))),
        Case("feature split, replay", lambda: _replay(FeatureSplitClassifier, seed, split=2)),
        Case(
            "stacking, replay", lambda: _replay(FeatureSplitClassifier, seed, split=2, settings=SplitSettings("stack"))
        ),
        Case("stacking of a sorted table, replay", lambda: _sorted_replay(seed, by_place=False)),
        Case("control: halves by the rows' places", lambda: _sorted_replay(seed, by_place=True), control=True),
        Case("control: rows scaled by the table's own maximum", lambda: _own_maximum_replay(seed), control=True),
    ]


def _table(place: int) -> tuple[FloatArray, FloatArray]:
    return np.vstack([COMPANY, ROWS[place : place + 1]]), np.ones(2)


def _fit_game(seed: int | None) -> Game:
    """Return the game of whole fits when one row is replaced by one across the prior weights."""

    def statistic(place: int, draw: int) -> float:
        model = PrivateLogisticRegression(
            FIT_EPSILON, prior=PRIOR, regularization=REGULARIZATION, classes=[0, 1], random_state=draw
        )
        return float(model.fit(*_table(place)).coef_[0, 1])

    sampler = fit_samplers(statistic, seed)
    return Game("logistic regression", FIT_EPSILON, 0.0, sampler(0), sampler(1))


def _mechanism_game(seed: int | None, noise: float) -> Game:
    """Return the same game without the rest of a fit, with ``noise`` times what the claim needs."""
    sound = ObjectivePerturbation.for_epsilon(FIT_EPSILON, curvature=2 * REGULARIZATION, dimension=2)
    mechanism = replace(sound, beta=sound.beta / noise)
    stream = NoiseStream(seed)

    def sampler(place: int) -> Sampler:
        X, signs = _table(place)
        query = query_of(X, row_factors(X) * signs, PRIOR[0], len(X))
        return lambda count: mechanism.draw(np.broadcast_to(query, (count, *query.shape)), stream)[:, 1]

    return Game("objective perturbation", FIT_EPSILON, 0.0, sampler(0), sampler(1))


def _addition_game(seed: int | None, noise: float) -> Game:
    """Return the game of a row that is there or not; in one dimension both noises are Laplace and nothing is hidden."""
    sound = ObjectivePerturbation.for_epsilon(EPSILON, curvature=1.0, dimension=1, neighbours="added")
    mechanism = replace(sound, beta=sound.beta / noise)
    return mechanism_game(mechanism, *mechanism.opposite_rows(), epsilon=EPSILON, seed=seed)


def classes_game(seed: int | None, noise: float, neighbours: str = "replaced") -> Game:
    """Return the game of a row that is wrong in the problem of every class, with ``noise`` times what the claim needs.

    The problems' losses add up where all of them lean to the same side at once, so the statistic is the least of them:
    their sum would not show halved noise.
    """
    sound = ObjectivePerturbation.for_epsilon(FIT_EPSILON / CLASSES, curvature=50.0, dimension=1, neighbours=neighbours)
    mechanism = AgainstRest(replace(sound, beta=sound.beta / noise), CLASSES)
    stream = NoiseStream(seed)

    def sampler(table: FloatArray) -> Sampler:
        def sample(count: int) -> FloatArray:
            weights = mechanism.draw(np.broadcast_to(table, (count, *table.shape)), stream)
            return np.asarray((weights * mechanism.output_direction).min(axis=(1, 2)))

        return sample

    first, second = (sampler(table) for table in mechanism.opposite_rows())
    return Game("each class against the rest", FIT_EPSILON, 0.0, first, second)


def _neighbours() -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    X = np.column_stack([np.linspace(-1, 1, 40), np.linspace(1, -0.5, 40), np.cos(np.arange(40.0))])
    y = np.arange(40.0) // 3 % 2
    other, labels = X.copy(), y.copy()
    other[7], labels[7] = [1e6, -1e6, 0.0], 1 - y[7]
    return (X, y), (other, labels)


def _replay(estimator: Any, seed: int | None, **settings: Any) -> AuditResult:
    """Replay a fit with one row, and its label, replaced by an extreme one."""
    parameters = {"classes": [0, 1], "random_state": seed, **settings}
    return replay_fits(lambda: estimator(EPSILON, **parameters), *_neighbours())


def _sorted_replay(seed: int | None, *, by_place: bool) -> AuditResult:
    """Replay stacking on a table kept sorted, whose first row becomes the last; ``by_place``: as halves once were."""
    (step,) = FeatureSplitClassifier(EPSILON, split=2, settings=SplitSettings("stack")).plan(3, n_rows=40)

    def run(X: FloatArray) -> dict[str, object]:
        rows = X[np.argsort(X[:, 0])]
        halves = np.arange(40) % 2 if by_place else row_parts(rows, np.zeros(40, dtype=np.int64), 2)
        groups = [np.column_stack([unit_rows(part), np.zeros(40)]) for part in (rows[:, :2], rows[:, 2:])]
        account = Account.open([step], budget=Budget(EPSILON, unit="record", relation="replace"), random_state=seed)
        return {"weights": account.release(step.mechanism, np.column_stack([halves, *groups]))}

    X = _neighbours()[0][0]
    other = X.copy()
    other[0, 0] = 2.0
    return replay_result(run, X, other)


def _own_maximum_replay(seed: int | None) -> AuditResult:
    """Replay a fit whose rows were divided by the longest of them, as [pptl] Alg. 1, line 7 reads."""

    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        X, y = table
        longest = float(np.linalg.norm(X, axis=1).max())
        model = PrivateLogisticRegression(EPSILON, row_norm=longest, classes=[0, 1], random_state=seed)
        return dict(model.fit(X, y).release().arrays)

    return replay_result(run, *_neighbours())
