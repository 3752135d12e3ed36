"""What the feedback tables share: the searches side by side at one budget, on the last layer of a network."""

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from tacit.arrays import FloatArray
from tacit.experiments.results import Figures
from tacit.situations.feedback.linear import LinearScorer, linear_vector
from tacit.situations.feedback.metrics import accuracy
from tacit.situations.feedback.performance import PerformanceSearch
from tacit.situations.feedback.random_search import RandomSearch
from tacit.situations.feedback.search import tune

# Returns the score [Q] of each candidate's parameters [Q, d].
ScoreCandidates = Callable[[FloatArray], FloatArray]
START, RANDOM, PPS, BEST, LCPS, CMA, SUPERVISED = (
    "start",
    "random search",
    "PPS",
    "PPS, best query",
    "LCPS",
    "CMA-ES (pycma)",
    "supervised tuning",
)


def run_searches(
    start: FloatArray, score: ScoreCandidates, *, queries: int, sigma: float, batch: int, seed: int
) -> dict[str, FloatArray]:
    """Return the parameters that each search reaches with the same start, scale and number of queries."""
    guided = tune(PerformanceSearch(start, queries=queries, sigma=sigma, batch=batch, random_state=seed), score)
    blind = tune(RandomSearch(start, queries=queries, sigma=sigma, random_state=seed), score)
    parameters = {START: start, RANDOM: blind.parameters, PPS: guided.parameters}
    parameters[BEST] = start if guided.best_query is None else guided.best_query
    if importlib.util.find_spec("cma") is not None:
        parameters[CMA] = cma_search(start, score, queries=queries, sigma=sigma, seed=seed)
    return parameters


def cma_search(start: FloatArray, score: ScoreCandidates, *, queries: int, sigma: float, seed: int) -> FloatArray:
    """Return the mean that CMA-ES reaches, whole generations only, within ``queries``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for a plotting library that is of no use here
        cma = importlib.import_module("cma")
    strategy = cma.CMAEvolutionStrategy(start, sigma, {"seed": seed + 1, "verbose": -9})
    for _ in range(queries // strategy.popsize):
        candidates = strategy.ask()
        strategy.tell(candidates, (-score(np.array(candidates))).tolist())
    return np.asarray(strategy.mean, dtype=np.float64)


def train_perceptron(X: FloatArray, y: NDArray[Any], **settings: Any) -> MLPClassifier:
    """Return a scikit-learn perceptron after a fixed number of rounds, whether or not it has converged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopped early on purpose, before it overfits
        return MLPClassifier(**settings).fit(X, y)


def hidden_features(network: MLPClassifier, X: FloatArray) -> FloatArray:
    """Return the activations before the last layer of a scikit-learn perceptron with rectified units."""
    for weights, biases in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        X = np.maximum(X @ weights + biases, 0)
    return X


def last_layer(network: MLPClassifier) -> FloatArray:
    """Return weights, then bias, of the single output of a scikit-learn perceptron."""
    return np.concatenate([network.coefs_[-1].ravel(), network.intercepts_[-1]])


def compare_last_layers(
    start: FloatArray,
    rows: tuple[FloatArray, NDArray[Any]],
    parts: Sequence[NDArray[np.intp] | slice],
    *,
    regularization: float,
    **search: Any,
) -> Figures:
    """Return accuracies of last layers that each search reaches, and of one learned from the support rows themselves.

    ``rows`` are features before the last layer and their labels; ``parts`` are the support rows, on which queries are
    scored, and the holdout rows. ``regularization`` is C of the logistic regression that sees the support rows.
    """
    features, y = rows
    support, holdout = (LinearScorer(features[part], accuracy(y[part])) for part in parts)
    parameters = run_searches(start, support, **search)
    supervised = LogisticRegression(C=regularization, max_iter=1000).fit(features[parts[0]], y[parts[0]])
    parameters[SUPERVISED] = linear_vector(supervised)
    return accuracies(parameters, support, holdout)


def accuracies(parameters: Mapping[str, FloatArray], support: ScoreCandidates, holdout: ScoreCandidates) -> Figures:
    """Return the accuracy of each method's parameters on the rows that answered queries and on those that did not."""
    scorers = {"support accuracy": support, "holdout accuracy": holdout}
    return {
        (method, metric): float(score(vector[None])[0])
        for method, vector in parameters.items()
        for metric, score in scorers.items()
    }
