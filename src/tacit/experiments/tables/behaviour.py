"""Predicting behaviour on the Glasgow friendships and the Fitbit days: accuracy by epsilon and by share of the data."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPRegressor
from sklearn.utils import check_random_state

from tacit.arrays import FloatArray, IntArray
from tacit.experiments.results import ResultRow, mean_row
from tacit.models.autoencoder.classifier import PrivateAutoencoderClassifier
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.situations.behaviour.predictor import HIDDEN, bounded_tuples, learn_behaviour, row_norm
from tacit.situations.behaviour.public_logs import fitbit_log, glasgow_log
from tacit.situations.behaviour.tuples import BehaviourLog, Tuples, bounded_friendships, make_tuples

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
SHARES = (0.25, 0.5, 0.75)
AT_EPSILON = 1.0
DELTA = 1e-5
SEEDS = 10
MOST_INFLUENCED = 3
# Nearly no noise: what truncating the objective alone costs.
HARDLY_ANY = 99.0

# Learns from tuples with an epsilon and a seed, and returns a function from features to predictions.
Learn = Callable[[Tuples, float, int], Callable[[FloatArray], Any]]
QUICK: dict[str, Any] = {"SEEDS": 1, "EPSILONS": (1.0,), "SHARES": (0.5,)}


@dataclass(frozen=True)
class Study:
    """One data set: how far back tuples look, and how many tuples of a person are kept for a promise per person."""

    name: str
    log: BehaviourLog
    past: int
    most_tuples: int
    influence: str = "outcomes"


def rows() -> Iterator[ResultRow]:
    """Yield accuracies on people who were not learned from: by epsilon, then by the share of people learned from."""
    for study in studies():
        for name, learn in OPEN.items():
            yield _measure(study, name, learn, 0.0, setting="not private")
        for epsilon in EPSILONS:
            for name, learn in PRIVATE.items():
                yield _measure(study, name, learn, epsilon, setting=f"epsilon {epsilon:g} per tuple")
            if study.influence == "outcomes":
                yield _measure_per_person(study, epsilon)
        for share in SHARES:
            for name, learn in (OPEN | PRIVATE).items():
                promise = "not private" if name in OPEN else f"epsilon {AT_EPSILON:g} per tuple"
                setting = f"{share:.0%} of the people, {promise}"
                yield _measure(study, name, learn, AT_EPSILON, setting=setting, share=share)


def studies() -> list[Study]:
    """Return the two data sets; with one wave before and one after, a Glasgow pupil has one tuple.

    Glasgow is there twice: friends by the mean of their outcomes, and by contact probability.
    """
    return [
        Study("Glasgow, 1 wave back, friends", glasgow_log(), 1, 1),
        Study("Glasgow, 1 wave back, contact probability", glasgow_log(), 1, 1, "contacts"),
        Study("Fitbit, 3 days back", fitbit_log(), 3, 10),
    ]


def _autoencoder(
    tuples: Tuples, epsilon: float, seed: int, *, hidden: tuple[int, ...] = HIDDEN, delta: float = DELTA
) -> Any:
    norm = row_norm(tuples.X.shape[1])
    model = PrivateAutoencoderClassifier(
        epsilon, bounds=(0, 1), delta=delta, hidden=hidden, row_norm=norm, classes=(0, 1), random_state=seed
    )
    return model.fit(tuples.X, tuples.y).predict


def _deep_autoencoder(tuples: Tuples, _epsilon: float, seed: int) -> Any:
    """Fit a deep autoencoder by back-propagation, and a logistic regression on its middle."""
    widths = (*HIDDEN, *HIDDEN[-2::-1])
    network = MLPRegressor(hidden_layer_sizes=widths, activation="tanh", max_iter=300, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a stop after 300 rounds is what is meant
        network.fit(tuples.X, tuples.X)

    def code(X: FloatArray) -> FloatArray:
        for weights, bias in zip(network.coefs_[: len(HIDDEN)], network.intercepts_, strict=False):
            X = np.tanh(X @ weights + bias)
        return X

    top = LogisticRegression(max_iter=2000).fit(code(tuples.X), tuples.y)
    return lambda X: top.predict(code(X))


def _private_logistic(tuples: Tuples, epsilon: float, seed: int) -> Any:
    model = PrivateLogisticRegression(epsilon, bounds=(0, 1), regularization=0.01, classes=(0, 1), random_state=seed)
    return model.fit(tuples.X, tuples.y).predict


OPEN: dict[str, Learn] = {
    "deep autoencoder, not private": _deep_autoencoder,
    "truncated autoencoder, hardly any noise": lambda tuples, _, seed: _autoencoder(tuples, HARDLY_ANY, seed),
    "logistic regression, not private": lambda tuples, _, __: (
        LogisticRegression(max_iter=2000).fit(tuples.X, tuples.y).predict
    ),
}
PRIVATE: dict[str, Learn] = {
    "private autoencoder, two layers": _autoencoder,
    "functional mechanism, no layer": lambda tuples, epsilon, seed: _autoencoder(tuples, epsilon, seed, hidden=()),
    "private autoencoder, two layers, pure epsilon": lambda tuples, epsilon, seed: _autoencoder(
        tuples, epsilon, seed, delta=0.0
    ),
    "private logistic regression, pure epsilon": _private_logistic,
}


def _split(study: Study, seed: int, share: float = 1.0) -> tuple[BehaviourLog, Tuples]:
    """Return the log of the people to learn from, and the tuples of a third of the people to be tested on."""
    people = check_random_state(seed).permutation(np.unique(study.log.person))
    cut = len(people) // 3
    learners: IntArray = people[cut : cut + round(share * (len(people) - cut))]
    friendships = bounded_friendships(study.log.friendships, most=MOST_INFLUENCED)
    tuples = make_tuples(replace(study.log, friendships=friendships), past=study.past, influence=study.influence)
    held_out = np.isin(tuples.person, people[:cut])
    test = Tuples(tuples.X[held_out], tuples.y[held_out], tuples.person[held_out], tuples.time[held_out])
    return study.log.of(learners), test


def _measure(study: Study, name: str, learn: Learn, epsilon: float, *, setting: str, share: float = 1.0) -> ResultRow:
    accuracies = []
    for seed in range(SEEDS):
        log, test = _split(study, seed, share)
        tuples = bounded_tuples(
            log, past=study.past, most_influenced=MOST_INFLUENCED, most_tuples=None, influence=study.influence
        )
        accuracies.append(float((learn(tuples, epsilon, seed)(test.X) == test.y).mean()))
    return mean_row(name, f"{study.name}, {setting}", accuracies)


def _measure_per_person(study: Study, epsilon: float) -> ResultRow:
    accuracies = []
    for seed in range(SEEDS):
        log, test = _split(study, seed)
        predictor = learn_behaviour(
            log,
            past=study.past,
            epsilon=epsilon,
            delta=DELTA,
            unit="person",
            most_influenced=MOST_INFLUENCED,
            most_tuples=study.most_tuples,
            random_state=seed,
        )
        accuracies.append(float((predictor.predict(test.X) == test.y).mean()))
    return mean_row("private autoencoder, two layers", f"{study.name}, epsilon {epsilon:g} per person", accuracies)
