"""Audits of the mechanisms themselves."""

from dataclasses import replace

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, Case, game_case, replay_result
from tacit.audit.game import Game, Sampler, mechanism_game
from tacit.privacy.account import Account, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import (
    Duchi,
    EntryNoise,
    Exponential,
    Gaussian,
    Laplace,
    NormGamma,
    RandomizedResponse,
    Staircase,
)
from tacit.privacy.stream import NoiseStream


def cases(seed: int | None) -> list[Case]:
    """Return the games of every mechanism, and of broken ones."""
    return [*_sound(seed), *_broken(seed)]


def _sound(seed: int | None) -> list[Case]:
    gaussian = Gaussian.for_budget(EPSILON, DELTA, sensitivity=1.0)
    return [
        game_case("laplace", Laplace.for_epsilon(EPSILON, sensitivity=1.0), seed),
        Case("laplace, 1-norm over 4 coordinates", lambda: _spread_game(seed).play(DRAWS)),
        game_case("gaussian", gaussian, seed, delta=DELTA),
        game_case("entry noise", EntryNoise(EPSILON, DELTA, 1.0), seed, delta=DELTA),
        game_case("staircase, scalar", Staircase(EPSILON, 1.0), seed),
        game_case("staircase, radial", Staircase(EPSILON, 1.0, dimension=4), seed),
        game_case("norm gamma", NormGamma(EPSILON, 1.0, dimension=2), seed),
        game_case("duchi", Duchi(EPSILON, dimension=3), seed),
        game_case("randomized response", RandomizedResponse(EPSILON, categories=4), seed),
        game_case("exponential", Exponential(EPSILON, 1.0), seed, draws=10_000),
    ]


def _broken(seed: int | None) -> list[Case]:
    """Return broken mechanisms: the audit is worth something only if these are caught."""
    halved = Laplace(Laplace.for_epsilon(EPSILON, sensitivity=1.0).scale / 2, 1.0)
    gaussian = Gaussian.for_budget(EPSILON, DELTA, sensitivity=1.0)
    weak = replace(gaussian, sigma=gaussian.sigma / 2)
    return [
        game_case("control: laplace, noise halved", halved, seed, control=True),
        game_case("control: gaussian, noise halved", weak, seed, delta=DELTA, control=True),
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


def _own_maximum_replay(seed: int | None) -> AuditResult:
    """Replay a sum whose noise is scaled by the largest row at hand, as some published algorithms do."""

    def run(rows: FloatArray) -> dict[str, object]:
        mechanism = Laplace.for_epsilon(EPSILON, sensitivity=float(rows.max()))
        step = Step(mechanism, "a sum", "rows are no larger than the largest of them")
        account = Account.open([step], budget=Budget(EPSILON, unit=Unit.RECORD), random_state=seed)
        return {"sum": account.release(mechanism, rows.sum(axis=0))}

    rows = np.linspace(0.1, 0.5, 20)
    return replay_result(run, rows, np.append(rows, 1.0))
