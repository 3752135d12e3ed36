"""Architectures, candidates as safetensors, and their scores against slow, obvious ones."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from tacit.data.columns import Categorical, Label, Numeric
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.situations.feedback.desk.architecture import Architecture, declared_architecture, read_architecture
from tacit.situations.feedback.desk.parameters import (
    checked_vector,
    decode_parameters,
    encode_parameters,
    largest_body,
    split_vector,
)
from tacit.situations.feedback.desk.scoring import Scorer

SCHEMA = Schema((Numeric("age", (0, 110)), Categorical("sex", ("f", "m")), Label("ill", ("a", "b", "c"))))
LINEAR = Architecture("linear", 3, 3)
MLP = Architecture("mlp", 3, 3, hidden=5, activation="tanh")
SINGLE = Architecture("mlp", 3, 1, hidden=2)


def drawn(architecture: Architecture, k: int = 7) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(k, architecture.n_parameters))


def test_an_architecture_takes_inputs_and_outputs_from_the_schema(tmp_path: Path) -> None:
    (tmp_path / "mlp.toml").write_text('kind = "mlp"\nhidden = 5\nactivation = "tanh"\n')
    assert read_architecture(tmp_path / "mlp.toml", SCHEMA) == MLP
    assert read_architecture("linear", SCHEMA) == declared_architecture({"kind": "linear"}, SCHEMA)
    assert declared_architecture({}, SCHEMA) == LINEAR
    assert Architecture.from_dict(MLP.to_dict()) == MLP
    two = Schema((Numeric("age", (0, 1)), Label("ill", ("no", "yes"))))
    assert declared_architecture({}, two).n_parameters == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('kind = "forest"', "one of 'linear', 'mlp'"),
        ('kind = "mlp"', "hidden must be above 0"),
        ('kind = "linear"\nhidden = 4', "left out"),
        ('kind = "linear"\ncode = "import os"', "may declare"),
        ('kind = "mlp"\nhidden = 9000000', "at most"),
        ('kind = "mlp"\nhidden = 2.5', "whole number"),
        ("kind = ", "not valid TOML"),
    ],
)
def test_a_declaration_that_is_none_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "model.toml").write_text(text)
    with pytest.raises(InputError, match=words):
        read_architecture(tmp_path / "model.toml", SCHEMA)


@pytest.mark.parametrize("architecture", [LINEAR, MLP, SINGLE], ids=["linear", "mlp", "single"])
def test_the_safetensors_library_reads_what_we_write_and_writes_what_we_read(architecture: Architecture) -> None:
    vector = drawn(architecture)[0]
    raw = encode_parameters(vector, architecture)
    theirs = safetensors.numpy.load(raw)
    assert {name: array.shape for name, array in theirs.items()} == architecture.layout
    np.testing.assert_array_equal(decode_parameters(safetensors.numpy.save(theirs), architecture), vector)
    single = {name: array.astype(np.float32) for name, array in theirs.items()}
    np.testing.assert_allclose(decode_parameters(safetensors.numpy.save(single), architecture), vector, rtol=1e-6)
    assert len(raw) == largest_body(architecture)


def test_bodies_that_are_not_the_declared_arrays_are_refused() -> None:
    raw = encode_parameters(drawn(LINEAR)[0], LINEAR)
    head = json.dumps({"weight": {"dtype": "F64", "shape": [3, 3], "data_offsets": [0, 10**12]}}).encode()
    for broken in (
        b"",
        b"\x80\x04.",
        raw[:-1],
        raw + b"\0",
        raw[8:],
        struct.pack("<Q", 2**63) + raw[8:],
        struct.pack("<Q", len(head)) + head,
        encode_parameters(drawn(MLP)[0], MLP),
        safetensors.numpy.save({"weight": np.zeros((3, 3)), "bias": np.zeros(3)}, metadata={"a": "b"}),
        safetensors.numpy.save({"weight": np.zeros((9, 1)), "bias": np.zeros(3)}),
        safetensors.numpy.save({"weight": np.zeros((3, 3), np.int64), "bias": np.zeros(3, np.int64)}),
    ):
        with pytest.raises(InputError, match=r"weight \[3, 3\], bias \[3\]"):
            decode_parameters(broken, LINEAR)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.1e6, -1e300])
def test_numbers_that_are_none_or_huge_are_refused(value: float) -> None:
    weight = np.zeros((3, 3))
    weight[1, 2] = value
    raw = safetensors.numpy.save({"weight": weight, "bias": np.zeros(3)})
    with pytest.raises(InputError, match="finite numbers of at most"):
        decode_parameters(raw, LINEAR)


def test_tiny_numbers_become_zero_so_that_no_candidate_is_slow() -> None:
    assert checked_vector(np.array([1e-310, -1e-31, 1e-29])).tolist() == [0.0, 0.0, 1e-29]


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
