"""What the feedback tables share: searches at one budget, and the last layer of a perceptron."""

import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from tacit.arrays import FloatArray
from tacit.experiments.feedback_runs import (
    BEST,
    CMA,
    PPS,
    RANDOM,
    START,
    SUPERVISED,
    accuracies,
    cma_search,
    compare_last_layers,
    hidden_features,
    last_layer,
    run_searches,
    train_perceptron,
)
from tacit.situations.feedback.linear import linear_codes

HAS_CMA = importlib.util.find_spec("cma") is not None


class CountedScore:
    """Minus the squared distance to a goal, and how many candidates were scored."""

    def __init__(self, goal: float) -> None:
        self.goal, self.queries = goal, 0

    def __call__(self, candidates: FloatArray) -> FloatArray:
        self.queries += len(candidates)
        return np.asarray(-((candidates - self.goal) ** 2).sum(axis=1))


def test_features_and_last_layer_make_up_the_network() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    network = train_perceptron(X, y, hidden_layer_sizes=(6, 5), max_iter=5, random_state=0)
    assert_array_equal(linear_codes(hidden_features(network, X), last_layer(network)[None])[0], network.predict(X))


def test_every_search_has_the_same_budget() -> None:
    for queries in (20, 60):
        score = CountedScore(1.0)
        parameters = run_searches(np.zeros(3), score, queries=queries, sigma=0.3, batch=10, seed=0)
        assert score.queries <= queries * (3 if HAS_CMA else 2)
        assert score.queries >= 1.8 * queries
        assert list(parameters)[:4] == [START, RANDOM, PPS, BEST]
        assert (CMA in parameters) == HAS_CMA


def test_guided_search_comes_nearer_than_random_search_and_the_start() -> None:
    score = CountedScore(1.0)
    parameters = run_searches(np.zeros(8), score, queries=300, sigma=0.2, batch=10, seed=0)
    distances = {name: float(np.linalg.norm(vector - 1)) for name, vector in parameters.items()}
    assert distances[PPS] < 0.7 * distances[RANDOM] < 0.7 * distances[START]


def test_a_seed_repeats_the_searches() -> None:
    first, again, other = (
        run_searches(np.zeros(2), CountedScore(1.0), queries=20, sigma=0.3, batch=4, seed=seed) for seed in (0, 0, 1)
    )
    for name in (RANDOM, PPS, BEST):
        assert_array_equal(first[name], again[name])
        assert not np.array_equal(first[name], other[name])


def test_accuracies_are_on_the_rows_that_answer_and_on_the_others() -> None:
    vectors = {"a": np.array([0.0, 1.0]), "b": np.array([2.0, 3.0])}
    figures = accuracies(vectors, lambda rows: rows[:, 0], lambda rows: rows[:, 1])
    assert figures == {
        ("a", "support accuracy"): 0.0,
        ("a", "holdout accuracy"): 1.0,
        ("b", "support accuracy"): 2.0,
        ("b", "holdout accuracy"): 3.0,
    }


def test_supervised_tuning_sees_the_support_rows_only() -> None:
    rng = np.random.default_rng(0)
    features, y = rng.normal(size=(120, 4)), np.arange(120) % 2
    features[:, 0] += y
    parts = np.arange(80), np.arange(80, 120)
    figures = compare_last_layers(
        np.zeros(5), (features, y), parts, regularization=0.1, queries=10, sigma=0.1, batch=4, seed=0
    )
    oracle = LogisticRegression(C=0.1, max_iter=1000).fit(features[:80], y[:80])
    for metric, part in (("support accuracy", parts[0]), ("holdout accuracy", parts[1])):
        assert figures[SUPERVISED, metric] == pytest.approx(oracle.score(features[part], y[part]))
    assert {method for method, _ in figures} >= {START, RANDOM, PPS, BEST, SUPERVISED}


@pytest.mark.skipif(not HAS_CMA, reason="the peer cma is not installed")
def test_the_peer_keeps_the_budget() -> None:
    score = CountedScore(1.0)
    mean = cma_search(np.zeros(3), score, queries=100, sigma=0.3, seed=0)
    assert 90 < score.queries <= 100
    assert score(mean[None])[0] > -3
