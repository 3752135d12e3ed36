"""Digits adopted without any label: from MNIST for MNIST, with classes cut to a fifth, for USPS; and small scans."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from tacit.adoption.pictures.label_free_transfer import LabelFreeTransfer, label_free_network
from tacit.adoption.pictures.second_round import OwnerAnswer, answer_request, make_request
from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import UNLABELLED, Codes, Rows
from tacit.data.public.datasets import ImageSet, load_digits, load_mnist, load_usps
from tacit.data.schemas.columns import Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.experiments.kept_answers import kept_figures
from tacit.experiments.results import ADOPTED, RELEASE_ALONE, TARGET_ONLY, ResultRow, mean_rows
from tacit.experiments.table_runs import FIRST_SEED
from tacit.experiments.transfer_runs import release_images
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.privacy.accounting import gaussian_epsilon
from tacit.releases.file import Release

SEEDS = 8
DELTA = 1e-5
RECEIVED = 9000
# Receivers, and the epsilon of the release.
SETTINGS = (("MNIST", 0.1), ("MNIST", 0.5), ("MNIST, five classes cut to a fifth", 0.5), ("USPS", 0.5))
# Draws of the scans, which take no network: three of 347 scans each lie up to five points off the mean.
SCANS_SEEDS = 20
# Owner's and receiver's rows of the demonstration's scans, of which both saw six of eight columns of pixels.
SCANS_OWNER, SCANS_RECEIVER, SIDE, SEEN = 1100, 350, 8, 6
SCANS_EPSILON = 1.0
OWN_ROWS = "adopted, on the receiver's own rows"
# The release of which a second round is asked for, and what release and answer cost together.
SECOND_ROUND, TOTAL_EPSILON = ("MNIST", 0.1), 0.5
ANSWERED = f"answer of a second round by itself, epsilon {TOTAL_EPSILON:g} in all"
ADOPTED_ANSWER = f"second round: answer adopted, epsilon {TOTAL_EPSILON:g} in all"
SELF_TRAINED = "adopted by self-training (no network)"
_full_network = label_free_network
QUICK: dict[str, Any] = {
    "SEEDS": 1,
    "SCANS_SEEDS": 1,
    "RECEIVED": 1200,
    "SETTINGS": (("MNIST", 0.1),),
    "label_free_network": lambda: _full_network().set_params(n_steps=20),
}


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on digits that nobody learned from, and on the receiver's own."""
    for receiver, epsilon in SETTINGS:
        runs = [_kept_run(receiver, epsilon, FIRST_SEED + draw) for draw in range(SEEDS)]
        yield from mean_rows(f"{receiver}, record epsilon {epsilon:g}", runs)
    scans = [_scans(FIRST_SEED + draw) for draw in range(SCANS_SEEDS)]
    yield from mean_rows(f"scans as a table, record epsilon {SCANS_EPSILON:g}", scans)


def _kept_run(receiver: str, epsilon: float, seed: int) -> dict[str, float]:
    """Return the figures of one draw, kept from an interrupted run if there was one."""
    question = ["adoption-none", receiver, epsilon, seed, RECEIVED, label_free_network().n_steps]
    return dict(kept_figures(question, lambda: _run(receiver, epsilon, seed)))


def _run(receiver: str, epsilon: float, seed: int) -> dict[str, float]:
    import torch  # noqa: PLC0415 - an extra, needed only here

    torch.set_num_threads(1)
    schema, (X, y), (X_test, y_test) = _received(receiver, seed)
    release = _release(epsilon, seed)
    with threadpool_limits(1):
        model = LabelFreeTransfer(
            [release], schema=schema, learner="network", network=label_free_network(), random_state=seed
        ).fit(X)
        scores = model.sources_[0].scores
        of_release = np.zeros(1) if scores is None else scores(X_test).argmax(axis=1) == y_test
        predictions = {
            TARGET_ONLY: commonest(y_test),
            RELEASE_ALONE: float(of_release.mean()),
            ADOPTED: float(model.score(X_test, y_test)),
            OWN_ROWS: float(model.score(X, y)),
        }
        if (receiver, epsilon) == SECOND_ROUND:
            predictions |= _second_round(model, (X, y), (X_test, y_test), seed)
        trained = LabelFreeTransfer([release], schema=schema, learner="self-training", random_state=seed).fit(X)
        return predictions | {SELF_TRAINED: float(trained.score(X_test, y_test))}


def _second_round(
    model: LabelFreeTransfer, own: tuple[Rows, Codes], others: tuple[Rows, Codes], seed: int
) -> dict[str, float]:
    """Return accuracies of the owner's answer to the receiver's request, and of a network that adopts it."""
    release = _answer(model, own[0], seed)
    answer = OwnerAnswer.from_release(release)
    adopted = LabelFreeTransfer(
        [release], schema=model.schema_, learner="network", network=label_free_network(), random_state=seed
    ).fit(own[0])
    return {
        ANSWERED: float((answer.predict(others[0]) == others[1]).mean()),
        ADOPTED_ANSWER: float(adopted.score(*others)),
        f"{ADOPTED_ANSWER}, on the receiver's own rows": float(adopted.score(*own)),
    }


def _answer(model: LabelFreeTransfer, X: Rows, seed: int) -> Release:
    """Return what the owner answers to the receiver's request, at the epsilon that the release left of the total."""
    images = _mnist()
    return answer_request(
        make_request(model, X, model.schema_),
        images.X_train,
        images.y_train,
        images.schema,
        epsilon=left_epsilon(TOTAL_EPSILON, SECOND_ROUND[1], DELTA),
        delta=DELTA,
        random_state=seed,
    )


def left_epsilon(total: float, spent: float, delta: float) -> float:
    """Return the epsilon of a Gaussian query that together with one of epsilon ``spent`` costs ``total``, all at delta.

    Gaussians of sensitivity over noise mu compose to the root of the sum of mu² [gdp].
    """
    whole, part = (1 / _multiplier(epsilon, delta) for epsilon in (total, spent))
    return gaussian_epsilon(1 / math.sqrt(whole**2 - part**2), delta)


def _multiplier(epsilon: float, delta: float) -> float:
    """Return the noise over sensitivity at which a Gaussian costs ``epsilon``."""
    return float(brentq(lambda multiplier: gaussian_epsilon(multiplier, delta) - epsilon, 0.05, 1e4))


def _received(receiver: str, seed: int) -> tuple[Schema, tuple[Rows, Codes], tuple[Rows, Codes]]:
    """Return the receiver's schema, its rows, and others to test on, both with their hidden labels."""
    if receiver == "USPS":
        usps = load_usps()
        return usps.schema, (usps.X_train[:RECEIVED], usps.y_train[:RECEIVED]), (usps.X_test, usps.y_test)
    images = _mnist()
    random = check_random_state(seed)
    order = random.permutation(len(images.y_test))
    received, held_out = order[:RECEIVED], order[RECEIVED:]
    if "cut" in receiver:
        few = np.flatnonzero(images.y_test[received] < 5)
        received = np.delete(received, random.permutation(few)[len(few) // 5 :])
    return (
        images.schema,
        (images.X_test[received], images.y_test[received]),
        (images.X_test[held_out], images.y_test[held_out]),
    )


def _scans(seed: int) -> dict[str, float]:
    """Return accuracies on scans of which owner and receiver share four of eight columns of pixels."""
    digits = load_digits()
    X, y = np.concatenate([digits.X_train, digits.X_test]), np.concatenate([digits.y_train, digits.y_test])
    order = check_random_state(seed).permutation(len(y))
    owner, receiver, rest = np.split(order, [SCANS_OWNER, SCANS_OWNER + SCANS_RECEIVER])
    left, right = _pixels(0, SEEN), _pixels(SIDE - SEEN, SIDE)
    release = CLASS_MOMENTS.release(
        X[owner][:, left],
        y[owner],
        _scan_schema(left, digits.classes),
        unit="record",
        epsilon=SCANS_EPSILON,
        delta=1e-6,
        random_state=seed,
    )
    schema, nothing = _scan_schema(right, digits.classes), np.full(SCANS_RECEIVER, UNLABELLED)
    model = AveragedTransfer([release], schema=schema, random_state=seed).fit(X[receiver][:, right], nothing)
    of_release = model.releases_proba(X[rest][:, right]).argmax(axis=1)
    return {
        TARGET_ONLY: commonest(y[rest]),
        RELEASE_ALONE: float((of_release == y[rest]).mean()),
        ADOPTED: float((model.predict(X[rest][:, right]) == y[rest]).mean()),
    }


def commonest(codes: Codes) -> float:
    """Return the share of the commonest class: what a receiver without labels or releases can be right on at best."""
    return float(np.bincount(codes).max() / len(codes))


def _pixels(first: int, last: int) -> list[int]:
    return [SIDE * row + column for row in range(SIDE) for column in range(first, last)]


def _scan_schema(pixels: list[int], classes: tuple[str, ...]) -> Schema:
    return Schema((*(Numeric(f"pixel {place}", (0, 1)) for place in pixels), Label("digit", classes)))


@cache
def _release(epsilon: float, seed: int) -> Release:
    return release_images(_mnist(), unit="record", epsilon=epsilon, delta=DELTA, seed=seed)


@cache
def _mnist() -> ImageSet:
    return load_mnist()
