"""Faulty pictures: batch normalisations of a network trained on clean digits, tuned from scores; one layer or all."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state
from torch import nn

from tacit.arrays import FloatArray
from tacit.data.datasets import load_digits, load_mnist
from tacit.experiments.feedback_networks import convolutional, corrupted, deep, trained, tuned_by_gradient
from tacit.experiments.feedback_runs import LCPS, PPS, START, SUPERVISED, gathered, searched
from tacit.experiments.registry import Row
from tacit.situations.feedback.estimates import best_reliance
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.networks import BATCH_NORMS, Groups, NetworkScorer, batch_norm_groups
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import Search, tune

SEEDS = 3
QUERIES, SIGMA, BATCH = 300, 0.1, 10
DEEP_QUERIES, DEEP_UNIT = 1000, 6
# Severities at which the network starts with errors of about 60, 35 and 85 %.
FAULTS = {"gaussian": 0.22, "impulse": 0.16, "contrast": 0.3}
DEEP_FAULTS = {"gaussian": 0.35, "contrast": 0.3}
WORDS = {"stored": "stored statistics", "rows": "statistics of the rows"}
SOURCE_ROWS, SUPPORT_ROWS, HOLDOUT_ROWS = 5_000, 500, 2_000


@dataclass(frozen=True)
class Case:
    """A trained network, its batch normalisations, and faulty rows to answer queries and to test on."""

    module: nn.Sequential
    groups: Groups
    support: tuple[Any, Any]
    holdout: tuple[Any, Any]

    def errors(self, statistics: str) -> tuple[NetworkScorer, Callable[[FloatArray], float]]:
        """Return the scorer of the support rows, and the error on the holdout rows."""
        support, holdout = (
            NetworkScorer(self.module, self.groups, X, accuracy(y), statistics=statistics)
            for X, y in (self.support, self.holdout)
        )
        return support, lambda parameters: 1 - float(holdout(parameters[None])[0])


def rows() -> Iterator[Row]:
    """Yield holdout errors of a convolutional network and of a deep one with many groups of parameters."""
    torch.set_num_threads(1)
    for fault in FAULTS:
        yield from gathered(f"{fault}, {QUERIES} queries", [_convolutional_run(fault, seed) for seed in range(SEEDS)])
    for fault in DEEP_FAULTS:
        yield from gathered(f"24 groups, {fault}, {DEEP_QUERIES} queries", [_deep_run(fault, s) for s in range(SEEDS)])


def _convolutional_run(fault: str, seed: int) -> dict[tuple[str, str], float]:
    """Return errors with the stored statistics, then with those of the rows, which repair much by themselves."""
    found = _mnist_case(fault, seed)
    start, sizes = found.groups.vector(found.module), found.groups.sizes
    errors = {}
    for statistics in ("stored", "rows"):
        support, error = found.errors(statistics)
        reached = searched(start, support, queries=QUERIES, sigma=SIGMA, batch=BATCH, seed=seed)
        if statistics == "rows":
            layered = LayerwiseSearch(start, queries=QUERIES, sigma=SIGMA, sizes=sizes, unit=BATCH, random_state=seed)
            reached[LCPS] = tune(layered, support).parameters
            reached[SUPERVISED] = _supervised(found)
        errors.update({(name, f"holdout error, {WORDS[statistics]}"): error(at) for name, at in reached.items()})
    return errors


def _supervised(found: Case) -> FloatArray:
    module = copy.deepcopy(found.module)
    return found.groups.vector(tuned_by_gradient(module, BATCH_NORMS, *found.support))


def _deep_run(fault: str, seed: int) -> dict[tuple[str, str], float]:
    found = _digits_case(fault, seed)
    support, error = found.errors("stored")
    start, sizes = found.groups.vector(found.module), found.groups.sizes
    theorem = best_reliance(len(sizes), expected_gain=0.1)
    searches: dict[str, Search] = {PPS: PerformanceSearch(start, queries=DEEP_QUERIES, sigma=0.1, random_state=seed)}
    for name, reliance in (("100", 100.0), (f"{theorem:.2g} (Theorem 5)", theorem)):
        searches[f"{LCPS}, reliance {name}"] = LayerwiseSearch(
            start, queries=DEEP_QUERIES, sigma=0.3, sizes=sizes, unit=DEEP_UNIT, reliance=reliance, random_state=seed
        )
    errors = {(name, "holdout error"): error(tune(search, support).parameters) for name, search in searches.items()}
    return {(START, "holdout error"): error(start), **errors}


@cache
def _mnist_network() -> nn.Sequential:
    data = load_mnist()
    torch.manual_seed(0)
    pictures = data.X_train[:SOURCE_ROWS].reshape(-1, 1, 28, 28)
    return trained(convolutional(), pictures, data.y_train[:SOURCE_ROWS], epochs=8, seed=0)


@cache
def _digits_network() -> nn.Sequential:
    data = load_digits()
    torch.manual_seed(0)
    return trained(deep(64), data.X_train[:900], data.y_train[:900], epochs=20, seed=0)


def _mnist_case(fault: str, seed: int) -> Case:
    data, generator = load_mnist(), check_random_state(seed)
    order = generator.permutation(len(data.X_test))[: SUPPORT_ROWS + HOLDOUT_ROWS]
    X = corrupted(data.X_test[order].astype(np.float64), fault, FAULTS[fault], generator).reshape(-1, 1, 28, 28)
    return _case(_mnist_network(), X, data.y_test[order], SUPPORT_ROWS)


def _digits_case(fault: str, seed: int) -> Case:
    data, generator = load_digits(), check_random_state(seed)
    X, y = (np.concatenate(parts) for parts in ((data.X_train[900:], data.X_test), (data.y_train[900:], data.y_test)))
    order = generator.permutation(len(X))
    faulty = corrupted(X[order].astype(np.float64), fault, DEEP_FAULTS[fault], generator)
    return _case(_digits_network(), faulty, y[order], len(X) // 2)


def _case(module: nn.Sequential, X: Any, y: Any, n_support: int) -> Case:
    groups = batch_norm_groups(module)
    return Case(module, groups, (X[:n_support], y[:n_support]), (X[n_support:], y[n_support:]))
