"""What the feedback tables share: the searches side by side at one budget, and runs gathered into rows."""

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from tacit.arrays import FloatArray
from tacit.experiments.registry import Row
from tacit.situations.feedback.linear import linear_vector
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import tune

Score = Callable[[FloatArray], FloatArray]
Run = Mapping[tuple[str, str], float]
START, RANDOM, PPS, BEST, LCPS, CMA, SUPERVISED = (
    "start",
    "random search",
    "PPS",
    "PPS, best query",
    "LCPS",
    "CMA-ES (pycma)",
    "supervised tuning",
)


def searched(start: FloatArray, score: Score, *, queries: int, sigma: float, batch: int, seed: int) -> dict[str, Any]:
    """Return the parameters that each search finds with the same start, scale and number of queries."""
    guided = tune(PerformanceSearch(start, queries=queries, sigma=sigma, batch=batch, random_state=seed), score)
    blind = tune(RandomSearch(start, queries=queries, sigma=sigma, random_state=seed), score)
    found = {START: start, RANDOM: blind.parameters, PPS: guided.parameters, BEST: guided.best_query}
    if importlib.util.find_spec("cma") is not None:
        found[CMA] = evolved(start, score, queries=queries, sigma=sigma, seed=seed)
    return found


def evolved(start: FloatArray, score: Score, *, queries: int, sigma: float, seed: int) -> FloatArray:
    """Return the mean that CMA-ES reaches, whole generations only, within ``queries``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a plotting library that is of no use here
        cma = importlib.import_module("cma")
    strategy = cma.CMAEvolutionStrategy(start, sigma, {"seed": seed + 1, "verbose": -9})
    for _ in range(queries // strategy.popsize):
        candidates = strategy.ask()
        strategy.tell(candidates, (-score(np.array(candidates))).tolist())
    return np.asarray(strategy.mean, dtype=np.float64)


def hidden_features(network: Any, X: FloatArray) -> FloatArray:
    """Return the activations before the last layer of a scikit-learn perceptron with rectified units."""
    for weights, biases in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        X = np.maximum(X @ weights + biases, 0)
    return X


def last_layer(network: Any) -> FloatArray:
    """Return weights, then bias, of the single output of a scikit-learn perceptron."""
    return np.concatenate([network.coefs_[-1].ravel(), network.intercepts_[-1]])


def supervised_last_layer(features: FloatArray, y: NDArray[Any], *, C: float = 0.1) -> FloatArray:
    """Return the last layer that logistic regression learns from the rows themselves: what seeing them would give."""
    return linear_vector(LogisticRegression(C=C, max_iter=1000).fit(features, y))


def scored(found: Mapping[str, FloatArray], support: Score, holdout: Score) -> dict[tuple[str, str], float]:
    """Return the accuracy of each method's parameters on the rows that answered and on those that did not."""
    sides = {"support accuracy": support, "holdout accuracy": holdout}
    return {
        (method, side): float(score(parameters[None])[0])
        for method, parameters in found.items()
        for side, score in sides.items()
    }


def gathered(setting: str, runs: Sequence[Run]) -> Iterator[Row]:
    """Yield a row for each method and metric over the runs."""
    for method, metric in runs[0]:
        values = [run[method, metric] for run in runs]
        yield Row(method, setting, metric, float(np.mean(values)), float(np.std(values)), len(values))
