"""The pieces of the feedback tables, and the smallest table as a whole."""

import importlib.util
import warnings

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from tacit.arrays import FloatArray
from tacit.experiments.feedback_networks import convolutional, corrupted, deep, trained
from tacit.experiments.feedback_runs import PPS, RANDOM, evolved, hidden_features, last_layer
from tacit.experiments.tables import feedback_noise, feedback_toy
from tacit.situations.feedback.desk.usefulness import USEFUL_NOISE
from tacit.situations.feedback.linear import linear_codes
from tacit.situations.feedback.networks import batch_norm_groups


def test_the_toy_reaches_its_goal_where_random_search_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback_toy, "SEEDS", 3)
    found = {row.method: row.mean for row in feedback_toy.rows() if row.metric == "holdout accuracy"}
    assert found[PPS] >= 0.99 > found[RANDOM]


def test_a_search_gains_less_from_noisier_scores_and_most_of_it_from_useful_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feedback_noise, "SEEDS", 5)
    monkeypatch.setattr(feedback_noise, "CASES", ((500, 300),))
    monkeypatch.setattr(feedback_noise, "NOISE", (0.0, USEFUL_NOISE, 0.5))
    shares = [row.mean for row in feedback_noise.rows() if row.metric == "share of the exact gain"]
    assert shares[0] == 1 > shares[1] > 0.75 > shares[2]


def test_features_and_last_layer_make_up_the_network() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network = MLPClassifier((6, 5), max_iter=5, random_state=0).fit(X, y)
    assert_array_equal(linear_codes(hidden_features(network, X), last_layer(network)[None])[0], network.predict(X))


def test_faults_are_what_they_are_called() -> None:
    X, generator = np.random.default_rng(0).uniform(0.3, 0.7, (200, 64)), np.random.RandomState(0)
    noisy = corrupted(X, "gaussian", 0.05, generator) - X
    assert abs(noisy.std() - 0.05) < 0.002
    struck = corrupted(X, "impulse", 0.2, generator)
    assert abs((struck != X).mean() - 0.2) < 0.02
    assert set(np.unique(struck[struck != X])) == {0.0, 1.0}
    flat = corrupted(X, "contrast", 0.25, generator)
    assert_allclose(flat.mean(axis=1), X.mean(axis=1))
    assert_allclose(flat.std(axis=1), 0.25 * X.std(axis=1))


def test_the_deep_network_has_many_groups_and_the_convolutional_one_three() -> None:
    sizes = batch_norm_groups(deep(64)).sizes
    assert len(sizes) >= 20
    assert sum(sizes) >= 2000
    assert batch_norm_groups(convolutional()).sizes == (16, 32, 64)


def test_training_teaches() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((200, 8)).astype(np.float32)
    y = (X[:, 0] > 0).astype(np.int64)
    torch.manual_seed(0)
    network = trained(deep(8, width=16, depth=2), X, y, epochs=60, seed=0)
    assert (network(torch.as_tensor(X)).argmax(dim=1).numpy() == y).mean() > 0.9


@pytest.mark.skipif(importlib.util.find_spec("cma") is None, reason="the peer cma is not installed")
def test_the_peer_keeps_the_budget() -> None:
    asked = 0

    def score(rows: FloatArray) -> FloatArray:
        nonlocal asked
        asked += len(rows)
        return np.asarray(-((rows - 1) ** 2).sum(axis=1))

    found = evolved(np.zeros(3), score, queries=100, sigma=0.3, seed=0)
    assert 90 < asked <= 100
    assert score(found[None])[0] > -3
