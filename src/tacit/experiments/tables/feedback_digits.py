"""Faulty pictures: batch normalisations of a network trained on clean digits, tuned from scores; one layer or all."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state
from torch import nn

from tacit.arrays import FloatArray
from tacit.data.public.datasets import load_digits, load_mnist
from tacit.experiments.feedback_networks import FaultyPictures, convolutional, corrupt, deep, train, tune_by_gradient
from tacit.experiments.feedback_runs import LCPS, PPS, START, SUPERVISED, run_searches
from tacit.experiments.results import Figures, ResultRow, metric_rows
from tacit.situations.feedback.estimates import best_reliance
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.networks import BATCH_NORMS, batch_norm_groups
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.search import Search, tune

SEEDS = 3
QUERIES, SIGMA, BATCH = 300, 0.1, 10
DEEP_QUERIES, DEEP_UNIT = 1000, 6
# Severities at which the network starts with errors of about 60, 35 and 85 %.
FAULTS = {"gaussian": 0.22, "impulse": 0.16, "contrast": 0.3}
DEEP_FAULTS = {"gaussian": 0.35, "contrast": 0.3}
PRINTED_LCPS = f"{LCPS}, importance as printed (eq. 5.12)"
WORDS = {"stored": "stored statistics", "rows": "statistics of the rows"}
SOURCE_ROWS, SUPPORT_ROWS, HOLDOUT_ROWS = 5_000, 500, 2_000
EPOCHS, DEEP_EPOCHS = 8, 20
# Of the bundled digits, the first so many train the deep network.
DEEP_SOURCE_ROWS = 900
QUICK: dict[str, Any] = {"SEEDS": 1, "QUERIES": 60, "DEEP_QUERIES": 200, "EPOCHS": 2}


def rows() -> Iterator[ResultRow]:
    """Yield holdout errors of a convolutional network and of a deep one with many groups of parameters."""
    torch.set_num_threads(1)
    for fault in FAULTS:
        runs = [_convolutional_run(fault, seed) for seed in range(SEEDS)]
        yield from metric_rows(f"{fault}, {QUERIES} queries", runs)
    for fault in DEEP_FAULTS:
        runs = [_deep_run(fault, seed) for seed in range(SEEDS)]
        yield from metric_rows(f"24 groups, {fault}, {DEEP_QUERIES} queries", runs)


def _convolutional_run(fault: str, seed: int) -> Figures:
    """Return errors with the stored statistics, then with those of the rows, which repair much by themselves."""
    task = _mnist_task(fault, seed)
    start, sizes = task.groups.vector(task.module), task.groups.sizes
    figures: Figures = {}
    for statistics, words in WORDS.items():
        support, error = task.errors(statistics)
        parameters = run_searches(start, support, queries=QUERIES, sigma=SIGMA, batch=BATCH, seed=seed)
        if statistics == "rows":
            layered = LayerwiseSearch(start, queries=QUERIES, sigma=SIGMA, sizes=sizes, unit=BATCH, random_state=seed)
            parameters[LCPS] = tune(layered, support).parameters
            printed = replace(layered, judged="candidates", base_chance=0.0)
            parameters[PRINTED_LCPS] = tune(printed, support).parameters
            parameters[SUPERVISED] = _supervised(task)
        figures.update({(name, f"holdout error, {words}"): error(vector) for name, vector in parameters.items()})
    return figures


def _supervised(task: FaultyPictures) -> FloatArray:
    module = copy.deepcopy(task.module)
    return task.groups.vector(tune_by_gradient(module, BATCH_NORMS, *task.support))


def _deep_run(fault: str, seed: int) -> Figures:
    task = _digits_task(fault, seed)
    support, error = task.errors("stored")
    start, sizes = task.groups.vector(task.module), task.groups.sizes
    theorem = best_reliance(len(sizes), expected_gain=0.1)
    searches: dict[str, Search] = {PPS: PerformanceSearch(start, queries=DEEP_QUERIES, sigma=0.1, random_state=seed)}
    for name, reliance in (("100", 100.0), (f"{theorem:.2g} (Theorem 5)", theorem)):
        searches[f"{LCPS}, reliance {name}"] = LayerwiseSearch(
            start, queries=DEEP_QUERIES, sigma=0.3, sizes=sizes, unit=DEEP_UNIT, reliance=reliance, random_state=seed
        )
    searches[PRINTED_LCPS] = LayerwiseSearch(
        start, queries=DEEP_QUERIES, sigma=0.3, sizes=sizes, unit=DEEP_UNIT, judged="candidates", random_state=seed
    )
    errors = {(name, "holdout error"): error(tune(search, support).parameters) for name, search in searches.items()}
    return {(START, "holdout error"): error(start), **errors}


@cache
def _mnist_network() -> nn.Sequential:
    data = load_mnist()
    torch.manual_seed(0)
    pictures = data.X_train[:SOURCE_ROWS].reshape(-1, 1, 28, 28)
    return train(convolutional(), pictures, data.y_train[:SOURCE_ROWS], epochs=EPOCHS, seed=0)


@cache
def _digits_network() -> nn.Sequential:
    data = load_digits()
    torch.manual_seed(0)
    rows = slice(DEEP_SOURCE_ROWS)
    return train(deep(64), data.X_train[rows], data.y_train[rows], epochs=DEEP_EPOCHS, seed=0)


def _mnist_task(fault: str, seed: int) -> FaultyPictures:
    data, generator = load_mnist(), check_random_state(seed)
    order = generator.permutation(len(data.X_test))[: SUPPORT_ROWS + HOLDOUT_ROWS]
    X = corrupt(data.X_test[order].astype(np.float64), fault, FAULTS[fault], generator).reshape(-1, 1, 28, 28)
    return _task(_mnist_network(), X, data.y_test[order], SUPPORT_ROWS)


def _digits_task(fault: str, seed: int) -> FaultyPictures:
    data, generator = load_digits(), check_random_state(seed)
    X = np.concatenate([data.X_train[DEEP_SOURCE_ROWS:], data.X_test])
    y = np.concatenate([data.y_train[DEEP_SOURCE_ROWS:], data.y_test])
    order = generator.permutation(len(X))
    faulty = corrupt(X[order].astype(np.float64), fault, DEEP_FAULTS[fault], generator)
    return _task(_digits_network(), faulty, y[order], len(X) // 2)


def _task(module: nn.Sequential, X: Any, y: Any, n_support: int) -> FaultyPictures:
    groups = batch_norm_groups(module)
    return FaultyPictures(module, groups, (X[:n_support], y[:n_support]), (X[n_support:], y[n_support:]))
