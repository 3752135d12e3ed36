"""Scores of candidates on the owner's rows."""

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.parameters import (
    split_vector,
)
from tacit.situations.feedback.desk.scoring import Scorer

LINEAR = Architecture("linear", 3, 3)
MLP = Architecture("mlp", 3, 3, hidden=5, activation="tanh")
SINGLE = Architecture("mlp", 3, 1, hidden=2)


def drawn(architecture: Architecture, k: int = 7) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(k, architecture.n_parameters))


def slow_code(row: np.ndarray, candidate: np.ndarray, architecture: Architecture) -> int:
    """Predict one row by one candidate, unit by unit."""
    part = split_vector(candidate, architecture)
    inputs = list(row)
    if architecture.hidden:
        raw = [
            sum(w * x for w, x in zip(part["hidden_weight"][j], inputs, strict=True)) + part["hidden_bias"][j]
            for j in range(architecture.hidden)
        ]
        inputs = [float(np.tanh(z)) if architecture.activation == "tanh" else max(z, 0.0) for z in raw]
    outputs = [
        sum(w * x for w, x in zip(weights, inputs, strict=True)) + bias
        for weights, bias in zip(part["weight"], part["bias"], strict=True)
    ]
    return int(outputs[0] > 0) if len(outputs) == 1 else outputs.index(max(outputs))


@pytest.mark.parametrize("architecture", [LINEAR, MLP, SINGLE], ids=["linear", "mlp", "single"])
def test_stacked_scores_are_those_of_one_row_and_one_candidate_at_a_time(architecture: Architecture) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.random((40, 3)), np.arange(40) % max(architecture.n_outputs, 2)
    candidates = drawn(architecture)
    codes = np.array([[slow_code(row, each, architecture) for row in X] for each in candidates])
    accuracy = Scorer(X, y, architecture, metric="accuracy")
    np.testing.assert_array_equal(accuracy.predicted(candidates), codes)
    np.testing.assert_allclose(accuracy(candidates), [(each == y).mean() for each in codes])
    balanced = Scorer(X, y, architecture, metric="balanced_accuracy")(candidates)
    rates = [[(each[y == c] == c).mean() for c in np.unique(y)] for each in codes]
    np.testing.assert_allclose(balanced, np.mean(rates, axis=1))


def test_a_scorer_refuses_rows_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="rows of 3 columns"):
        Scorer(np.zeros((4, 2)), np.zeros(4), LINEAR, metric="accuracy")
    with pytest.raises(InputError, match="labelled rows"):
        Scorer(np.zeros((4, 3)), np.array([0, 1, -1, 0]), LINEAR, metric="accuracy")
    with pytest.raises(InputError, match="metric must be one of"):
        Scorer(np.zeros((4, 3)), np.zeros(4), LINEAR, metric="profit")


def test_replacing_a_record_moves_accuracy_by_one_over_n_and_no_more() -> None:
    largest = 0.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, codes = rng.random((12, 3)), rng.integers(0, 2, 12)
        candidates = rng.normal(size=(20, SINGLE.n_parameters))
        before = Scorer(rows, codes, SINGLE, metric="accuracy")(candidates)
        rows[3], codes[3] = rng.random(3), rng.integers(2)
        after = Scorer(rows, codes, SINGLE, metric="accuracy")(candidates)
        largest = max(largest, float(np.abs(after - before).max()))
    assert largest == pytest.approx(1 / 12)
