"""The audit of everything in the package that draws noise, with broken controls that it must catch."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.checks import FloatArray
from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.evaluation.game import Game, Sampler, furthest_pair, mechanism_game
from tacit.evaluation.replay import replay
from tacit.models.class_means import PrivateNearestMean, count_weight
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card import AuditResult
from tacit.privacy.mechanisms import (
    Duchi,
    EntryNoise,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    NormGamma,
    RandomizedResponse,
    Staircase,
)
from tacit.privacy.stream import NoiseStream
from tacit.scenarios.transfer.owner import make_release

EPSILON = 1.0
DELTA = 1e-3
DRAWS = 40_000
# A game on whole fits needs as many fits; a larger claim shows more with fewer of them.
FIT_DRAWS = 3_000
FIT_EPSILON = 4.0
# Of two features in [0, 1].
ROW_NORM = math.sqrt(2)


@dataclass(frozen=True)
class Verdict:
    """One line of the audit; a control is broken on purpose and must not pass."""

    result: AuditResult
    control: bool = False

    @property
    def as_it_should(self) -> bool:
        """Whether a right mechanism passed, or a broken one was caught."""
        return self.result.passed != self.control


@dataclass(frozen=True)
class Case:
    """One audit to run."""

    name: str
    run: Callable[[], AuditResult]
    control: bool = False


def cases(seed: int | None = None) -> list[Case]:
    """Return every audit of the package; a ``seed`` repeats it."""
    return [*_mechanism_cases(seed), *_estimator_cases(seed), *_controls(seed)]


def self_audit(seed: int | None = None) -> Iterator[Verdict]:
    """Yield the verdict on each case, as it is reached."""
    for case in cases(seed):
        yield Verdict(replace(case.run(), what=case.name), case.control)


def _game_case(
    name: str, mechanism: Mechanism, seed: int | None, *, delta: float = 0.0, draws: int = DRAWS, control: bool = False
) -> Case:
    game = mechanism_game(mechanism, *furthest_pair(mechanism), epsilon=EPSILON, delta=delta, name=name, seed=seed)
    return Case(name, lambda: game.play(draws), control)


def _mechanism_cases(seed: int | None) -> list[Case]:
    gaussian = Gaussian.for_budget(EPSILON, DELTA, sensitivity=1.0)
    return [
        _game_case("laplace", Laplace.for_epsilon(EPSILON, sensitivity=1.0), seed),
        Case("laplace, 1-norm over 4 coordinates", lambda: _spread_game(seed).play(DRAWS)),
        _game_case("gaussian", gaussian, seed, delta=DELTA),
        _game_case("entry noise", EntryNoise(EPSILON, DELTA, 1.0), seed, delta=DELTA),
        _game_case("staircase, scalar", Staircase(EPSILON, 1.0), seed),
        _game_case("staircase, radial", Staircase(EPSILON, 1.0, dimension=4), seed),
        _game_case("norm gamma", NormGamma(EPSILON, 1.0, dimension=2), seed),
        _game_case("duchi", Duchi(EPSILON, dimension=3), seed),
        _game_case("randomized response", RandomizedResponse(EPSILON, categories=4), seed),
        _game_case("exponential", Exponential(EPSILON, 1.0), seed, draws=10_000),
    ]


def _controls(seed: int | None) -> list[Case]:
    """Return broken mechanisms: the audit is worth something only if these are caught."""
    halved = Laplace(Laplace.for_epsilon(EPSILON, sensitivity=1.0).scale / 2, 1.0)
    gaussian = Gaussian.for_budget(EPSILON, DELTA, sensitivity=1.0)
    weak = replace(gaussian, sigma=gaussian.sigma / 2)
    return [
        _game_case("control: laplace, noise halved", halved, seed, control=True),
        _game_case("control: gaussian, noise halved", weak, seed, delta=DELTA, control=True),
        Case("control: budget not split over rows", lambda: _unsplit_game(seed).play(DRAWS), control=True),
        Case("control: sensitivity from the batch's own maximum", lambda: _own_maximum_replay(seed), control=True),
    ]


def _spread_game(seed: int | None) -> Game:
    """Return the game of 1-norm noise when the whole change lies in one of four coordinates."""
    mechanism = Laplace.for_epsilon(EPSILON, sensitivity=1.0, coordinates=4)
    return mechanism_game(mechanism, np.zeros(4), np.eye(4)[2], epsilon=EPSILON, seed=seed)


def _unsplit_game(seed: int | None, rows: int = 4) -> Game:
    """Return the game of a mechanism that spends the whole epsilon on each of several rows of one record."""
    mechanism = Laplace.for_epsilon(EPSILON, sensitivity=1.0)
    stream = NoiseStream(seed)

    def sampler(value: float) -> Sampler:
        return lambda count: mechanism.draw(np.full((count, rows), value), stream).sum(axis=1)

    return Game("budget not split", EPSILON, 0.0, sampler(0.0), sampler(1.0))


def _estimator_cases(seed: int | None) -> list[Case]:
    return [
        Case("nearest mean, game", lambda: _nearest_mean_game(seed).play(FIT_DRAWS)),
        Case("nearest mean, replay", lambda: _nearest_mean_replay(seed)),
        Case("transfer release per record, replay", lambda: _transfer_replay(Unit.RECORD, seed)),
        Case("transfer release per entry, replay", lambda: _transfer_replay(Unit.ENTRY, seed)),
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

    return _replay_result(run, (X, y), neighbour)


def _transfer_replay(unit: Unit, seed: int | None) -> AuditResult:
    """Replay a release with one row more, or with one category changed."""
    columns = (Numeric("number", (0, 1)), Categorical("kind", ("a", "b")), Label("class", ("0", "1")))
    X, y = np.column_stack([np.linspace(0, 1, 40), np.eye(2)[np.arange(40) % 2]]), np.arange(40) // 3 % 2
    changed = X.copy()
    changed[7, 1:] = changed[7, :0:-1]
    neighbour = (np.vstack([X, [[1, 1, 0]]]), np.append(y, 1)) if unit is Unit.RECORD else (changed, y)

    def run(table: tuple[FloatArray, Any]) -> dict[str, object]:
        release = make_release(*table, Schema(columns), unit=unit, epsilon=EPSILON, delta=DELTA, random_state=seed)
        return dict(release.arrays)

    return _replay_result(run, (X, y), neighbour)


def _own_maximum_replay(seed: int | None) -> AuditResult:
    """Replay a sum whose noise is scaled by the largest row at hand, as some published algorithms do."""

    def run(rows: FloatArray) -> dict[str, object]:
        mechanism = Laplace.for_epsilon(EPSILON, sensitivity=float(rows.max()))
        step = Step(mechanism, "a sum", "rows are no larger than the largest of them")
        account = Account.open([step], budget=Budget(EPSILON, unit=Unit.RECORD), random_state=seed)
        return {"sum": account.release(mechanism, rows.sum(axis=0))}

    rows = np.linspace(0.1, 0.5, 20)
    return _replay_result(run, rows, np.append(rows, 1.0))


def _replay_result(run: Callable[[Any], dict[str, object]], data: Any, neighbour: Any) -> AuditResult:
    seen = replay(run, data, neighbour)
    # A replay is no statistic: the bound is the share of the declared sensitivity that the neighbour used.
    return AuditResult("replay", EPSILON, EPSILON * seen.largest_share, 1.0, seen.queries, seen.passed)
