"""Audits of additive releases: replays of whole releases, games of their queries, and broken twins of each stage."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, replay_fits, replay_result
from tacit.audit.game import Game, mechanism_game
from tacit.audit.neighbours import MixedTable
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.kinds.additive import KIND as ADDITIVE
from tacit.models.additive.class_check import cell_edges, histogram_query
from tacit.models.additive.classifier import PrivateAdditiveClassifier
from tacit.models.additive.descent import LevelTables, Weights, gradient_query
from tacit.models.additive.features import LevelFeatureTable, table_features
from tacit.models.additive.fit import CLASS_CLIP
from tacit.models.additive.levels import encoded_codes
from tacit.models.additive.losses import class_residuals
from tacit.models.additive.marginals import count_levels, marginal_query, read_marginals
from tacit.models.additive.pair_selection import SMALLEST_Z, SelectionNoise, choose_pairs, pair_query
from tacit.models.additive.pairs import CoarseColumn, coarse_column, level_pair, pair_features, pair_shares
from tacit.models.additive.plan import UNITS, AdditivePlan
from tacit.models.additive.regressor import PrivateAdditiveRegressor
from tacit.models.additive.rows import Batches, RowLayout, batches_of
from tacit.numerics.exact_sums import IntegerSum
from tacit.privacy import accounting
from tacit.privacy.budget import Unit
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Gaussian
from tacit.privacy.stream import NoiseStream

# Plans whose stages are played: halved noise shows in few draws where a stage costs an epsilon of about 2.
COUNTS_EPSILON, GRADIENTS_EPSILON = 10.0, 3.0
# The largest epsilon of a budget: little noise, with which even a short table is asked for its pairs.
LARGEST = 100.0
FEATURES = (Numeric("number", (0, 1), missing="flag"), Categorical("kind", ("a", "b", "c")))
SCHEMA = Schema((*FEATURES, Label("class", ("0", "1"))))
THREE_CLASSES = Schema((*FEATURES, Label("class", ("0", "1", "2"))))


def cases(seed: int | None) -> list[Case]:
    """Return replays of whole releases, games of the counts and the gradients, and broken twins of each stage."""
    return [
        Case("additive release, replay", lambda: _release_replay(SCHEMA, seed)),
        Case("additive release of three classes, replay", lambda: _release_replay(THREE_CLASSES, seed)),
        Case("additive release with pairs, replay", lambda: _release_replay(SCHEMA, seed, epsilon=LARGEST, repeats=4)),
        Case("additive classifier, replay", lambda: _classifier_replay(seed)),
        Case("additive regression, replay", lambda: _regression_replay(seed)),
        Case("additive release, counts of levels, game", lambda: _counts_game(seed).play(DRAWS)),
        Case("additive release, gradients, game", lambda: _gradients_game(seed).play(DRAWS)),
        Case("additive release, choice of pairs, game", lambda: _pairs_game(seed).play(DRAWS)),
        Case("control: noise of counts halved", lambda: _counts_game(seed, noise=0.5).play(DRAWS), control=True),
        Case("control: noise of gradients halved", lambda: _gradients_game(seed, noise=0.5).play(DRAWS), control=True),
        Case("control: gradients not shortened", lambda: _gradients_replay(seed), control=True),
        Case("control: noise of the choice of pairs halved", lambda: _pairs_game(seed, 0.5).play(DRAWS), control=True),
        Case("control: pairs chosen without noise", _pairs_replay, control=True),
        Case("control: bins read from the rows for free", lambda: _bins_replay(seed), control=True),
        Case("control: check of the scores not charged", lambda: _check_replay(seed), control=True),
    ]


def table(n_classes: int = 2) -> MixedTable:
    """Return 40 rows of ``SCHEMA``, some of them without a number."""
    number = np.linspace(0, 1, 40)
    missing = (np.arange(40) % 9 == 4).astype(np.float64)
    return np.column_stack([number, missing, np.eye(3)[np.arange(40) % 3]]), np.arange(40) // 3 % n_classes


def neighbour(n_classes: int = 2) -> MixedTable:
    """Return the table with one row more: the only one of its kind, in the last class."""
    X, y = table(n_classes)
    return np.vstack([X, [[1, 0, 0, 0, 1]]]), np.append(y, n_classes - 1)


def _release_replay(schema: Schema, seed: int | None, *, epsilon: float = EPSILON, repeats: int = 1) -> AuditResult:
    """Replay a release of ``repeats`` copies of the table, the last of them with a row more."""

    def run(rows: MixedTable) -> dict[str, object]:
        release = ADDITIVE.release(*rows, schema, epsilon=epsilon, delta=DELTA, random_state=seed)
        return {**release.arrays, "settings": repr(release.settings)}

    n_classes = len(schema.classes)
    copies, last = [table(n_classes)] * (repeats - 1), (table(n_classes), neighbour(n_classes))
    first, second = (
        (np.concatenate([X for X, _ in (*copies, end)]), np.concatenate([y for _, y in (*copies, end)])) for end in last
    )
    return replay_result(run, first, second)


def _classifier_replay(seed: int | None) -> AuditResult:
    """Replay a fit of the estimator to numbers alone with one row more, at the bounds."""
    (X, y), (more, labels) = table(), neighbour()
    settings: dict[str, Any] = {"bounds": (0, 1), "classes": [0, 1], "delta": DELTA, "random_state": seed}
    return replay_fits(lambda: PrivateAdditiveClassifier(EPSILON, **settings), (X, y), (more, labels))


def _regression_replay(seed: int | None) -> AuditResult:
    """Replay a fit to a number with one row more whose target lies beyond its bounds."""
    (X, _), (more, _) = table(), neighbour()
    numbers = np.linspace(0, 1, len(X))
    settings: dict[str, Any] = {"bounds": (0, 1), "target_bounds": (0, 1), "delta": DELTA, "random_state": seed}
    return replay_fits(
        lambda: PrivateAdditiveRegressor(EPSILON, **settings), (X, numbers), (more, np.append(numbers, 9))
    )


def _planned(epsilon: float) -> AdditivePlan:
    plan: AdditivePlan = ADDITIVE.plan(SCHEMA, unit=Unit.RECORD, epsilon=epsilon, delta=DELTA).details
    return plan


def _batches(rows: MixedTable, plan: AdditivePlan) -> Batches:
    X, y = rows
    return batches_of(encoded_codes(X, SCHEMA.features, plan.columns), y.astype(np.intp), plan.columns)


def _exact_counts(batches: Batches, plan: AdditivePlan) -> IntegerSum:
    counts, n_rows = count_levels(batches, plan.layout.size - plan.target.size, plan.target)
    return marginal_query(counts, plan.layout, n_rows)


def _features(answer: FloatArray, plan: AdditivePlan) -> LevelFeatureTable:
    return table_features(plan.columns, read_marginals(answer, plan.layout).columns)


def _gradient(batches: Batches, features: LevelFeatureTable, clip: float) -> IntegerSum:
    """Return the gradient of scores that are sure of the first class, where a row of the second one is all wrong."""
    sure = Weights(np.zeros((features.matrix.shape[1], 1)), np.full(1, -60.0))
    return gradient_query(batches, features, sure, class_residuals, clip)


def _counts_game(seed: int | None, *, noise: float = 1.0) -> Game:
    """Return the game of the numbers of rows at each level, with ``noise`` times what the claim needs."""
    plan = _planned(COUNTS_EPSILON)
    first, second = (_exact_counts(_batches(rows, plan), plan) for rows in (table(), neighbour()))
    return _game(plan.marginals, first.values, second.values, seed, noise)


def _gradients_game(seed: int | None, *, noise: float = 1.0) -> Game:
    """Return the game of a gradient that all units of the plan are spent on.

    Their mean has the law of one draw with the standard deviation divided by the root of their number.
    """
    plan = _planned(GRADIENTS_EPSILON)
    features = _features(_exact_counts(_batches(table(), plan), plan).values, plan)
    first, second = (_gradient(_batches(rows, plan), features, CLASS_CLIP).values for rows in (table(), neighbour()))
    mean = replace(plan.unit, sigma=plan.unit.sigma / np.sqrt(UNITS))
    return _game(mean, first, second, seed, noise)


def _pairs_game(seed: int | None, noise: float = 1.0) -> Game:
    """Return the game of the gradient by pairs of columns that all units of the plan are spent on."""
    plan = _planned(GRADIENTS_EPSILON)
    columns = _coarse_columns(plan)
    first, second = (_pair_gradient(rows, plan, columns) for rows in (table(), neighbour()))
    return _game(replace(plan.unit, sigma=plan.unit.sigma / np.sqrt(UNITS)), first, second, seed, noise)


def _coarse_columns(plan: AdditivePlan) -> list[CoarseColumn]:
    counts = read_marginals(_exact_counts(_batches(table(), plan), plan).values, plan.layout).columns
    return [coarse_column(levels, mass) for levels, mass in zip(plan.columns, counts, strict=True)]


def _sure_tables(plan: AdditivePlan) -> LevelTables:
    """Return scores that are sure of the first class."""
    return np.zeros((RowLayout(plan.columns).size, 1)), np.full(1, -30.0)


def _pair_gradient(rows: MixedTable, plan: AdditivePlan, columns: list[CoarseColumn]) -> FloatArray:
    return pair_query(
        _batches(rows, plan),
        RowLayout(plan.columns),
        columns,
        _sure_tables(plan),
        class_residuals,
        pairs=[level_pair(columns, 0, 1)],
        clip=CLASS_CLIP,
    ).values


def _game(claimed: Gaussian, first: FloatArray, second: FloatArray, seed: int | None, noise: float) -> Game:
    """Return the game along the difference of two queries; nothing else tells Gaussian noise on them apart."""
    distance = float(np.linalg.norm(second - first))
    drawn = replace(claimed, sigma=claimed.sigma * noise, coordinates=1)
    epsilon = accounting.epsilon(claimed.event, delta=DELTA)
    return mechanism_game(drawn, np.zeros(1), np.array([distance]), epsilon=epsilon, delta=DELTA, seed=seed)


def _gradients_replay(seed: int | None) -> AuditResult:
    """Replay a gradient in units of the clip to which no row was shortened."""

    def run(rows: MixedTable) -> dict[str, object]:
        plan = ADDITIVE.plan(SCHEMA, unit=Unit.RECORD, epsilon=EPSILON, delta=DELTA)
        account, batches = plan.open(random_state=seed), _batches(rows, plan.details)
        answer = account.release(plan.details.marginals, _exact_counts(batches, plan.details))
        long = 2.0**6  # no row is as long, and residuals keep twelve binary digits
        gradient = _gradient(batches, _features(answer, plan.details), long).values * (long / CLASS_CLIP)
        return {"gradient": account.release(plan.details.unit, gradient)}

    return replay_result(run, table(), neighbour())


def _pairs_replay() -> AuditResult:
    """Replay a choice that looks at exact gradients, with a bar between those of both tables."""
    plan = _planned(EPSILON)
    columns = _coarse_columns(plan)
    shares = pair_shares(columns, level_pair(columns, 0, 1))
    weights = shares @ pair_features(columns[0], columns[1]) ** 2
    squares = [weights @ _pair_gradient(rows, plan, columns)[:-1, 0] ** 2 for rows in (table(), neighbour())]
    bar = float(weights.sum() + SMALLEST_Z * np.sqrt(2 * (weights**2).sum()))
    sigma = math.sqrt(float(np.mean(squares)) / bar)

    def run(rows: MixedTable) -> dict[str, object]:
        chosen = choose_pairs(
            _batches(rows, plan),
            RowLayout(plan.columns),
            columns,
            _sure_tables(plan),
            class_residuals,
            energies=np.ones(2),
            ask=lambda query, _: query.values,
            noise=SelectionNoise(CLASS_CLIP, 1, sigma, np.zeros(1)),
        )
        return {"pairs": repr([pair.columns for pair in chosen])}

    return replay_result(run, table(), neighbour())


def _bins_replay(seed: int | None) -> AuditResult:
    """Replay features whose bins come from the exact numbers of rows."""

    def run(rows: MixedTable) -> dict[str, object]:
        plan = ADDITIVE.plan(SCHEMA, unit=Unit.RECORD, epsilon=EPSILON, delta=DELTA)
        account, batches = plan.open(random_state=seed), _batches(rows, plan.details)
        features = _features(_exact_counts(batches, plan.details).values, plan.details)
        answer = account.release(plan.details.unit, _gradient(batches, features, CLASS_CLIP))
        return {"curves": features.matrix @ answer[:-1]}

    return replay_result(run, table(), neighbour())


def _check_replay(seed: int | None) -> AuditResult:
    """Replay a release whose check has noise, but noise that no account knows of."""

    def run(rows: MixedTable) -> dict[str, object]:
        plan = ADDITIVE.plan(SCHEMA, unit=Unit.RECORD, epsilon=EPSILON, delta=DELTA)
        account, batches = plan.open(random_state=seed), _batches(rows, plan.details)
        answer = account.release(plan.details.marginals, _exact_counts(batches, plan.details))
        features = _features(answer, plan.details)
        gradient = account.release(plan.details.unit, _gradient(batches, features, CLASS_CLIP))
        curves, intercept = features.matrix @ gradient[:-1], gradient[-1]
        query = histogram_query(batches, curves, intercept, cell_edges(curves))
        return {"check": plan.details.unit.draw(query, NoiseStream(0))}

    return replay_result(run, table(), neighbour())
