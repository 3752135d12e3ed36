"""Audits of the private autoencoder: games and replays of whole fits, and the printed algorithm as a control."""

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import FloatArray
from tacit.audit.case import DELTA, DRAWS, EPSILON, FIT_EPSILON, Case, LabelledTable, replay_fits
from tacit.audit.game import Game, fit_samplers, mechanism_game
from tacit.audit.replay import QueryRecorder, RecordedQuery
from tacit.errors import InputError
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.autoencoder.encoder import PrivateAutoencoder
from tacit.models.autoencoder.layers import encode_stack, layer_query, public_code, public_directions, with_constant
from tacit.models.autoencoder.linear_regression import PrivateLinearRegression
from tacit.models.autoencoder.output_layer import class_targets, output_query
from tacit.privacy.account import observed_by
from tacit.privacy.card_content import AuditResult
from tacit.privacy.mechanisms import Gaussian, Laplace, Mechanism

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


def _small_tables() -> tuple[LabelledTable, LabelledTable]:
    """Return a table of one feature, without and with the extra record."""
    X, y = np.linspace(0.3, 0.7, 20)[:, None], np.arange(20.0) % 2
    return (X, y), (np.vstack([X, EXTRA[0]]), np.append(y, EXTRA[1]))


def _query_game(seed: int | None, *, delta: float, noise: float = 1.0) -> Game:
    """Return the game of the one query that a fit without layers makes, as it is asked with and without the record."""
    queries = [
        _recorded_fit(table, EPSILON, delta=delta, hidden=(), draw=0, output="functional")[1][0]
        for table in _small_tables()
    ]
    mechanism = _with_noise(queries[0].mechanism, noise)
    return mechanism_game(mechanism, *(query.values for query in queries), epsilon=EPSILON, delta=delta, seed=seed)


def _with_noise(mechanism: Mechanism, noise: float) -> Mechanism:
    """Return the mechanism with ``noise`` times its scale."""
    match mechanism:
        case Gaussian():
            return replace(mechanism, sigma=noise * mechanism.sigma)
        case Laplace():
            return replace(mechanism, scale=noise * mechanism.scale)
    raise InputError(f"the autoencoder draws Laplace or Gaussian noise; got {mechanism.name}.")


def _model(epsilon: float, *, draw: int | None, **settings: Any) -> PrivateAutoencoderClassifier:
    return PrivateAutoencoderClassifier(epsilon, bounds=(0, 1), classes=[0, 1], random_state=draw, **settings)


def _recorded_fit(
    table: LabelledTable, epsilon: float, **settings: Any
) -> tuple[PrivateAutoencoderClassifier, list[RecordedQuery]]:
    """Return a fitted model and the queries of its fit."""
    recorder = QueryRecorder()
    with observed_by(recorder.record):
        model = _model(epsilon, **settings).fit(*table)
    return model, recorder.queries


def _fit_game(seed: int | None) -> Game:
    """Return the game of whole fits with and without one record; the statistic is the exact log-likelihood ratio.

    The player knows everything but the record, and computes from the released layers what the record would have added
    to each answer.
    """
    fewer, more = _small_tables()

    def statistic(table: LabelledTable, draw: int) -> float:
        model, queries = _recorded_fit(table, FIT_EPSILON, delta=DELTA, hidden=(1,), draw=draw)
        present = len(table[0]) > len(fewer[0])
        return sum(
            _log_ratio(query.mechanism, query.answer - query.values + present * added, added)
            for query, added in zip(queries, _added(model), strict=True)
        )

    sampler = fit_samplers(statistic, seed)
    return Game("autoencoder", FIT_EPSILON, DELTA, sampler(fewer), sampler(more))


def _added(model: PrivateAutoencoderClassifier) -> list[FloatArray]:
    """Return what the extra record adds to each query of the fit, given the released layers."""
    record, label = EXTRA
    added = []
    for depth, width in enumerate(model.hidden):
        below = encode_stack(model.layers_[:depth], record)
        code = public_code(below, public_directions(below.shape[1], width, seed=depth))
        added.append(layer_query(below.shape[1], width, norm=2).total(below, code).values)
    code = encode_stack(model.layers_, record)
    query = output_query(2, code.shape[1], norm=2)
    return [*added, query.total(class_targets(label.astype(np.intp), 2), with_constant(code)).values]


def _log_ratio(mechanism: Mechanism, beyond: FloatArray, added: FloatArray) -> float:
    """Return log-likelihood with the record minus without, ``beyond`` being the answer minus all but the record."""
    if not isinstance(mechanism, Gaussian):
        raise InputError(f"the game of whole fits is for Gaussian noise; got {mechanism.name}.")
    return float((beyond @ added - added @ added / 2) / mechanism.sigma**2)


def _tables() -> tuple[LabelledTable, LabelledTable]:
    X = np.linspace(0.1, 0.9, 160).reshape(40, 4) ** 2
    y = np.arange(40.0) % 2
    return (X, y), (np.vstack([X, np.ones((1, 4))]), np.append(y, 1.0))


def _classifier_replay(seed: int | None, **settings: Any) -> AuditResult:
    return replay_fits(lambda: _model(EPSILON, draw=seed, **settings), *_tables())


def _functional_replay(seed: int | None) -> AuditResult:
    return _classifier_replay(seed, hidden=(3,), delta=0.0, output="functional")


def _transformer_replay(seed: int | None, **settings: Any) -> AuditResult:
    data, neighbour = ((X,) for X, _ in _tables())
    return replay_fits(
        lambda: PrivateAutoencoder(EPSILON, bounds=(0, 1), random_state=seed, **settings), data, neighbour
    )


def _regression_replay(seed: int | None) -> AuditResult:
    return replay_fits(
        lambda: PrivateLinearRegression(EPSILON, bounds=(0, 1), target_bounds=(0, 1), delta=DELTA, random_state=seed),
        *_tables(),
    )
