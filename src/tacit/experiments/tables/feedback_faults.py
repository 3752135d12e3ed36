"""Fifteen faults of pictures: batch normalisations tuned from scores alone; in the manner of [feedback] Table 5.2.

Also the metric of the best five classes (Fig. 5.8) and how many queries a preset error takes (Table 5.3).
"""

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
from tacit.data.public.datasets import ImageSet, load_cifar10, load_mnist
from tacit.experiments.feedback_networks import FaultyPictures, convolutional, tent, train
from tacit.experiments.feedback_runs import LCPS, PPS, RANDOM, START, ScoreCandidates
from tacit.experiments.picture_faults import FAULTS, faulty
from tacit.experiments.results import Figures, ResultRow, mean_row, metric_rows
from tacit.situations.feedback.layerwise import LayerwiseSearch
from tacit.situations.feedback.metrics import top_accuracy
from tacit.situations.feedback.networks import BATCH_NORMS, NetworkScorer, batch_norm_groups
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import Search, tune

SEEDS = 3
SETS = {"MNIST": load_mnist, "CIFAR-10": load_cifar10}
# Faults for which Fig. 5.8 and Table 5.3 are shown, on the last of the sets.
SHOWN = ("gaussian", "impulse")
QUERIES, SIGMA, BATCH = 200, 0.1, 10
SOURCE_ROWS, SUPPORT_ROWS, HOLDOUT_ROWS = 10_000, 400, 1_600
EPOCHS, WIDTH = 8, 8
BEST_CLASSES = 5
# The preset error of Table 5.3, as a part of the error before tuning.
PRESET = 0.9
MOST_QUERIES = 600
STORED, OF_ROWS, TENT = (
    f"{START}, stored statistics",
    f"{START}, statistics of the rows",
    "Tent, from rows without labels",
)
PRINTED_LCPS = f"{LCPS}, importance as printed (eq. 5.12)"
ERROR = "holdout error"
QUICK: dict[str, Any] = {
    "SEEDS": 1,
    "SETS": {"MNIST": load_mnist},
    "SHOWN": ("gaussian",),
    "QUERIES": 40,
    "MOST_QUERIES": 80,
    "EPOCHS": 2,
    "SOURCE_ROWS": 2_000,
}


def rows() -> Iterator[ResultRow]:
    """Yield holdout errors by fault and over all faults, then by the metric, then the queries to a preset error."""
    torch.set_num_threads(1)
    for name in SETS:
        runs = {fault: [tuned_errors(_task(name, fault, seed), seed) for seed in range(SEEDS)] for fault in FAULTS}
        for fault, figures in runs.items():
            yield from metric_rows(f"{name}, {fault}, {QUERIES} queries", figures)
        for key in runs[next(iter(FAULTS))][0]:
            means = [float(np.mean([runs[fault][seed][key] for fault in FAULTS])) for seed in range(SEEDS)]
            yield mean_row(key[0], f"{name}, mean of {len(FAULTS)} faults, {QUERIES} queries", means, metric=key[1])
    last = list(SETS)[-1]
    for fault in SHOWN:
        tasks = [_task(last, fault, seed) for seed in range(SEEDS)]
        by_metric = [errors_by_metric(task, seed) for seed, task in enumerate(tasks)]
        yield from metric_rows(f"{last}, {fault}, metric of tuning, {QUERIES} queries", by_metric)
        counts = [queries_to_preset(task, seed) for seed, task in enumerate(tasks)]
        yield from metric_rows(f"{last}, {fault}, at most {MOST_QUERIES} queries", counts)


def tuned_errors(task: FaultyPictures, seed: int) -> Figures:
    """Return holdout errors before tuning, by Tent, and by each search on the statistics of the rows."""
    support, error = task.errors("rows")
    start = task.groups.vector(task.module)
    searches: dict[str, Search] = {
        RANDOM: RandomSearch(start, queries=QUERIES, sigma=SIGMA, random_state=seed),
        PPS: PerformanceSearch(start, queries=QUERIES, sigma=SIGMA, batch=BATCH, random_state=seed),
        LCPS: _layerwise(task, QUERIES, seed),
        PRINTED_LCPS: replace(_layerwise(task, QUERIES, seed), judged="candidates"),
    }
    surer = tent(copy.deepcopy(task.module), BATCH_NORMS, task.support[0])
    parameters = {OF_ROWS: start, TENT: task.groups.vector(surer)}
    parameters |= {name: tune(search, support).parameters for name, search in searches.items()}
    figures = {(STORED, ERROR): task.errors("stored")[1](start)}
    return figures | {(name, ERROR): error(vector) for name, vector in parameters.items()}


def errors_by_metric(task: FaultyPictures, seed: int) -> Figures:
    """Return the errors of the best class and of the best five, of LCPS that is told the one or the other."""
    start = task.groups.vector(task.module)
    tuned = {OF_ROWS: start}
    for top in (1, BEST_CLASSES):
        scorer = _top_scorer(task, task.support, top)
        tuned[f"{LCPS} by top-{top}"] = tune(_layerwise(task, QUERIES, seed), scorer).parameters
    judges = {f"top-{top} error": _top_scorer(task, task.holdout, top) for top in (1, BEST_CLASSES)}
    return {
        (name, metric): 1 - float(judge(vector[None])[0])
        for name, vector in tuned.items()
        for metric, judge in judges.items()
    }


def queries_to_preset(task: FaultyPictures, seed: int) -> Figures:
    """Return how many queries bring the error on the support rows to a part ``PRESET`` of what it was at first.

    Whether it is reached is looked up after each batch, by a score that is not counted.
    """
    support, _ = task.errors("rows")
    start = task.groups.vector(task.module)
    target = 1 - PRESET * (1 - float(support(start[None])[0]))
    layered = _layerwise(task, MOST_QUERIES, seed)
    searches: dict[str, Search] = {
        PPS: PerformanceSearch(start, queries=MOST_QUERIES, sigma=SIGMA, batch=BATCH, random_state=seed),
        f"{LCPS}, no importance": replace(layered, reliance=1e-9),
        LCPS: layered,
    }
    metric = f"queries to {PRESET:g} of the first error, at most all"
    return {(name, metric): float(queries_to(search, support, target)) for name, search in searches.items()}


def queries_to(search: Search, score: ScoreCandidates, target: float) -> int:
    """Return the queries after which the search's parameters score at least ``target``; all of them if never."""
    while not search.done:
        search = search.tell(score(search.ask()))
        if score(search.parameters[None])[0] >= target:
            break
    return search.used


def _layerwise(task: FaultyPictures, queries: int, seed: int) -> LayerwiseSearch:
    start = task.groups.vector(task.module)
    return LayerwiseSearch(start, queries=queries, sigma=SIGMA, sizes=task.groups.sizes, unit=BATCH, random_state=seed)


def _top_scorer(task: FaultyPictures, rows: tuple[Any, Any], top: int) -> NetworkScorer:
    X, y = rows
    return NetworkScorer(task.module, task.groups, X, top_accuracy(y), statistics="rows", top=top)


@cache
def _network(name: str) -> nn.Sequential:
    data = SETS[name]()
    torch.manual_seed(0)
    X = _channels_first(_pictures(data, data.X_train[:SOURCE_ROWS]))
    network = convolutional(WIDTH, channels=X.shape[1])
    return train(network, X, data.y_train[:SOURCE_ROWS], epochs=EPOCHS, seed=0)


def _task(name: str, fault: str, seed: int) -> FaultyPictures:
    data = SETS[name]()
    order = check_random_state(seed).permutation(len(data.X_test))[: SUPPORT_ROWS + HOLDOUT_ROWS]
    X = _channels_first(faulty(_pictures(data, data.X_test[order]), fault, seed))
    y, module = data.y_test[order], _network(name)
    support, holdout = (X[:SUPPORT_ROWS], y[:SUPPORT_ROWS]), (X[SUPPORT_ROWS:], y[SUPPORT_ROWS:])
    return FaultyPictures(module, batch_norm_groups(module), support, holdout)


def _pictures(data: ImageSet, X: Any) -> FloatArray:
    height, width, *channels = data.image_shape
    return np.asarray(X, dtype=np.float64).reshape(len(X), height, width, channels[0] if channels else 1)


def _channels_first(pictures: FloatArray) -> FloatArray:
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))
