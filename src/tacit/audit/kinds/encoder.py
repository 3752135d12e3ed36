"""Audits of the private autoencoder: games and replays of whole fits, and the printed algorithm as a control."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, FIT_EPSILON, Case, replay_result
from tacit.audit.game import Game, Sampler, mechanism_game
from tacit.errors import InputError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.layers import encode_stack, layer_query, public_code, public_directions, with_constant
from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
from tacit.models.autoencoder.output_layer import class_targets, output_query
from tacit.privacy.account import observed_by
from tacit.privacy.card import AuditResult
from tacit.privacy.mechanisms import Gaussian, Laplace, Mechanism
from tacit.privacy.stream import NoiseStream

Table = tuple[FloatArray, FloatArray]
# Whole fits are slow; one query of them is played with many more draws.
FITS = 400
# A record as long as one can be, with a label.
EXTRA = np.array([[1.0]]), np.array([1.0])


def cases(seed: int | None) -> list[Case]:
    """Return games and replays with both kinds of noise, and the controls: noise halved, and as printed."""
    return [
        Case("autoencoder, whole fits, game", lambda: _fit_game(seed).play(FITS)),
        Case("autoencoder, one query, game", lambda: _query_game(seed, delta=DELTA).play(DRAWS)),
        Case("autoencoder, one query, pure epsilon, game", lambda: _query_game(seed, delta=0.0).play(DRAWS)),
        Case("autoencoder, replay", lambda: _classifier_replay(seed, hidden=(3, 2), delta=DELTA)),
        Case("autoencoder, pure epsilon, replay", lambda: _classifier_replay(seed, hidden=(3, 2), delta=0.0)),
        Case("functional output, pure epsilon, replay", lambda: _functional_replay(seed)),
        Case("linear regression, replay", lambda: _regression_replay(seed)),
        Case("autoencoder as a transformer, replay", lambda: _transformer_replay(seed, hidden=(3, 2), delta=DELTA)),
        Case(
            "control: autoencoder, noise halved",
            lambda: _query_game(seed, delta=DELTA, noise=0.5).play(DRAWS),
            control=True,
        ),
        Case(
            "control: autoencoder, pure epsilon, a third of the noise",
            lambda: _query_game(seed, delta=0.0, noise=1 / 3).play(DRAWS),
            control=True,
        ),
        Case(
            "control: autoencoder as printed",
            lambda: _classifier_replay(seed, hidden=(3,), accounting="paper"),
            control=True,
        ),
    ]


def _small_tables() -> tuple[Table, Table]:
    """Return a table of one feature, without and with the extra record."""
    X, y = np.linspace(0.3, 0.7, 20)[:, None], np.arange(20.0) % 2
    return (X, y), (np.vstack([X, EXTRA[0]]), np.append(y, EXTRA[1]))


def _query_game(seed: int | None, *, delta: float, noise: float = 1.0) -> Game:
    """Return the game of the one query that a fit without layers makes, as it is asked with and without the record."""
    queries = []
    for table in _small_tables():
        watch = _Watch()
        with observed_by(watch.see):
            _model(EPSILON, delta=delta, hidden=(), draw=0, output="functional").fit(*table)
        queries.append(watch.seen[0][:2])
    (mechanism, without), (_, present) = queries
    return mechanism_game(_quieter(mechanism, noise), without, present, epsilon=EPSILON, delta=delta, seed=seed)


def _quieter(mechanism: Mechanism, noise: float) -> Mechanism:
    match mechanism:
        case Gaussian():
            return replace(mechanism, sigma=noise * mechanism.sigma)
        case Laplace():
            return replace(mechanism, scale=noise * mechanism.scale)
    raise InputError(f"the autoencoder draws Laplace or Gaussian noise; got {mechanism.name}.")


def _model(epsilon: float, *, draw: int, **settings: Any) -> PrivateAutoencoderClassifier:
    return PrivateAutoencoderClassifier(epsilon, bounds=(0, 1), classes=[0, 1], random_state=draw, **settings)


def _fit_game(seed: int | None) -> Game:
    """Return the game of whole fits with and without one record; the statistic is the exact log-likelihood ratio.

    Everything but the record is known to the player, who computes from the released layers what the record would have
    added to each answer.
    """
    seeds = NoiseStream(seed)
    fewer, more = _small_tables()

    def statistic(table: Table) -> float:
        watch = _Watch()
        draw = int(seeds.words(1, np.uint32)[0])  # another seed for each fit, repeatable as a whole
        with observed_by(watch.see):
            model = _model(FIT_EPSILON, delta=DELTA, hidden=(1,), draw=draw).fit(*table)
        present = len(table[0]) > len(fewer[0])
        pairs = zip(watch.seen, _added(model), strict=True)
        return sum(_ratio(query, answer - values + present * added, added) for (query, values, answer), added in pairs)

    def sampler(table: Table) -> Sampler:
        return lambda count: np.array([statistic(table) for _ in range(count)])

    return Game("autoencoder", FIT_EPSILON, DELTA, sampler(fewer), sampler(more))


class _Watch:
    """Sees the queries of a fit and their answers."""

    def __init__(self) -> None:
        self.seen: list[tuple[Mechanism, FloatArray, FloatArray]] = []

    def see(self, mechanism: Mechanism, values: FloatArray, draw: Callable[[], FloatArray]) -> FloatArray:
        answer = draw()
        self.seen.append((mechanism, values, answer))
        return answer


def _added(model: PrivateAutoencoderClassifier) -> list[FloatArray]:
    """Return what the extra record adds to each query of the fit, given the released layers."""
    record, label = EXTRA
    added = []
    for depth, width in enumerate(model.hidden):
        below = encode_stack(model.layers_[:depth], record)
        code = public_code(below, public_directions(below.shape[1], width, seed=depth))
        added.append(layer_query(below.shape[1], width, norm=2).values(below, code))
    code = encode_stack(model.layers_, record)
    query = output_query(2, code.shape[1], norm=2)
    return [*added, query.values(class_targets(label.astype(np.intp), 2), with_constant(code))]


def _ratio(mechanism: Mechanism, beyond: FloatArray, added: FloatArray) -> float:
    """Return log-likelihood with the record minus without, ``beyond`` being the answer minus all but the record."""
    if not isinstance(mechanism, Gaussian):
        raise InputError(f"the game of whole fits is for Gaussian noise; got {mechanism.name}.")
    return float((beyond @ added - added @ added / 2) / mechanism.sigma**2)


def _tables() -> tuple[Table, Table]:
    X = np.linspace(0.1, 0.9, 160).reshape(40, 4) ** 2
    y = np.arange(40.0) % 2
    return (X, y), (np.vstack([X, np.ones((1, 4))]), np.append(y, 1.0))


def _classifier_replay(seed: int | None, **settings: Any) -> AuditResult:
    def run(table: Table) -> dict[str, object]:
        model = PrivateAutoencoderClassifier(EPSILON, bounds=(0, 1), classes=[0, 1], random_state=seed, **settings)
        return dict(model.fit(*table).release().arrays)

    return replay_result(run, *_tables())


def _functional_replay(seed: int | None) -> AuditResult:
    return _classifier_replay(seed, hidden=(3,), delta=0.0, output="functional")


def _transformer_replay(seed: int | None, **settings: Any) -> AuditResult:
    def run(table: Table) -> dict[str, object]:
        model = PrivateAutoencoder(EPSILON, bounds=(0, 1), random_state=seed, **settings)
        return dict(model.fit(table[0]).release().arrays)

    return replay_result(run, *_tables())


def _regression_replay(seed: int | None) -> AuditResult:
    def run(table: Table) -> dict[str, object]:
        model = PrivateLinearRegression(EPSILON, bounds=(0, 1), target_bounds=(0, 1), delta=DELTA, random_state=seed)
        return dict(model.fit(*table).release().arrays)

    return replay_result(run, *_tables())
